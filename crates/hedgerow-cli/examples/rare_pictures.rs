//! Draws ROC and precision–recall curves of four ways to find a rare class, for the guide.
//!
//! `cargo run --release -p hedgerow-cli --example rare_pictures -- docs/src/img mammography.csv.gz`
//!
//! A quarter of the rows tests. Columns are standardised by training rows. C of the SVMs is chosen by
//! the AUC of a five-fold cross-validation on training rows, λ of RankRC by its own search. Prints the
//! table of operating points. Without a file the rows are drawn from a built-in generator.

use hedgerow::clean::{Editor, SmoteParams};
use hedgerow::data::{Dataset, Scaling, folds_for, generate, stratified_hold_out};
use hedgerow::evaluate::operating::{Aim, operating_point, operating_points};
use hedgerow::evaluate::ranking::{Ties, auc, average_precision};
use hedgerow::evaluate::{Metric, cross_validate};
use hedgerow::kernel::{Kernel, gamma_mean};
use hedgerow::rank::{BasisWord, RankRcParams};
use hedgerow::svm::SvcParams;
use hedgerow::{Predictor, Result};
use hedgerow_io::{ReadOptions, Source, read_dataset};
use hedgerow_report::RocChart;
use std::io::Write;

/// Values of C that are tried.
const COSTS: [f64; 6] = [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0];

type Training<'a> = &'a (dyn Fn(&Dataset, f64) -> Result<Box<dyn Predictor>> + Sync);

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| ".".to_owned());
    let data = match words.next() {
        Some(path) => read_dataset(&Source::from_argument(&path), &ReadOptions::default())?.dataset,
        None => generate::RareMixtureParams::default()
            .build()?
            .sample(2000, 1)?,
    };
    let (train, test) = parts(&data)?;
    let labels = test.classes()?;
    let counts = labels.counts();
    let rare = u32::from(counts[1] < counts[0]);
    let positive: Vec<bool> = labels.codes().iter().map(|&code| code == rare).collect();
    let name = labels.names()[rare as usize].clone();
    let ratio = counts[1 - rare as usize] as f64 / counts[rare as usize] as f64;
    let kernel = || Kernel::rbf(gamma_mean(train.samples().view()));
    let svm = |rows: &Dataset, cost: f64| -> Result<Box<dyn Predictor>> {
        let params = SvcParams::default().with_cost(cost).with_kernel(kernel());
        Ok(Box::new(params.fit(rows)?.model))
    };
    let weighted = |rows: &Dataset, cost: f64| -> Result<Box<dyn Predictor>> {
        let params = SvcParams::default().with_cost(cost).with_kernel(kernel());
        let params = params.with_class_weight(name.clone(), ratio);
        Ok(Box::new(params.fit(rows)?.model))
    };
    let smote = |rows: &Dataset, cost: f64| -> Result<Box<dyn Predictor>> {
        svm(&SmoteParams::default().edit(rows)?.apply(rows)?, cost)
    };
    let params = RankRcParams {
        basis: BasisWord::Rare,
        ..RankRcParams::default()
    };
    let rank: Box<dyn Predictor> = Box::new(params.fit(&train)?.model);
    let models = [
        ("RankRC", rank),
        ("SVM", tuned(&train, &svm)?),
        ("SVM, weighted", tuned(&train, &weighted)?),
        ("SVM after SMOTE", tuned(&train, &smote)?),
    ];
    let share = positive.iter().filter(|&&p| p).count() as f64 / positive.len() as f64;
    let mut roc = RocChart::roc("Mammography: ROC");
    let mut top = RocChart::precision_recall("Mammography: precision and recall", share);
    let mut out = std::io::stdout();
    writeln!(
        out,
        "| method | AUC | average precision | precision at recall 0.8 | alerts for recall 0.9 | hits in 100 alerts | cost 20:1 |"
    )?;
    writeln!(out, "|---|---|---|---|---|---|---|")?;
    for (title, model) in models {
        let table = model.scores(test.samples().view())?;
        let leads = table.columns[0].starts_with(&format!("{name}/"));
        let sign = if leads { 1.0 } else { -1.0 };
        let scores: Vec<f64> = table.values.iter().map(|value| sign * value).collect();
        let points = operating_points(&positive, &scores)?;
        let area = auc(&positive, &scores, Ties::Half)?;
        let precision = average_precision(&positive, &scores)?;
        let curve = |x: &dyn Fn(usize) -> (f64, f64)| (0..points.len()).map(x).collect();
        let rates = curve(&|i| (points[i].false_positive_rate(), points[i].recall()));
        roc = roc.with_curve(title, rates, area);
        let shares = curve(&|i| (points[i].recall(), points[i].precision()));
        top = top.with_curve(title, shares, precision);
        let at = |aim| operating_point(&positive, &scores, aim);
        let (missed, alarm) = (20.0, 1.0);
        writeln!(
            out,
            "| {title} | {:.1} | {:.1} | {:.2} | {} | {} | {} |",
            100.0 * area,
            100.0 * precision,
            at(Aim::Recall(0.8))?.precision(),
            at(Aim::Recall(0.9))?.alerts(),
            at(Aim::Alerts(100))?.hits,
            at(Aim::Cost { missed, alarm })?.cost(missed, alarm),
        )?;
    }
    std::fs::write(format!("{folder}/rare-roc.svg"), roc.to_svg())?;
    std::fs::write(format!("{folder}/rare-precision-recall.svg"), top.to_svg())?;
    Ok(())
}

/// Training and test rows, standardised by the training rows.
fn parts(data: &Dataset) -> Result<(Dataset, Dataset)> {
    let split = stratified_hold_out(data.classes()?, 0.25, 1)?;
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let scaler = Scaling::Standardize.fit(train.samples().view())?;
    let scaled = |rows: &Dataset| rows.with_samples(scaler.apply(rows.samples().view())?);
    Ok((scaled(&train)?, scaled(&test)?))
}

/// The model with the cost of the best AUC by cross-validation.
fn tuned(train: &Dataset, fit: Training<'_>) -> Result<Box<dyn Predictor>> {
    let splits = folds_for(train, 5, 1)?;
    let mut best = (f64::NEG_INFINITY, COSTS[0]);
    for cost in COSTS {
        let found = cross_validate(train, &splits, |rows| fit(rows, cost))?;
        let area = found
            .summary(Metric::Auc)
            .map_or(0.0, |summary| summary.mean);
        if area > best.0 {
            best = (area, cost);
        }
    }
    fit(train, best.1)
}
