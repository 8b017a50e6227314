//! Draws what H-LSVM makes of the banana set before and after pruning, for the guide.
//!
//! `cargo run --release -p hedgerow-cli --example tree_pictures -- docs/src/img [banana.csv]`
//!
//! Without a file the rows are drawn from the built-in generator. Half of them train, the other half tests.

use hedgerow::data::{Dataset, SamplesView, generate, stratified_hold_out};
use hedgerow::evaluate::{Metric, evaluate};
use hedgerow::tree::{HlsvmParams, LinearTrees};
use hedgerow::{Prediction, Predictor};
use hedgerow_io::{ReadOptions, Source, read_dataset};
use hedgerow_report::BoundaryChart;
use std::error::Error;
use std::io::Write;

/// Nodes of the grid along a side.
const NODES: usize = 301;
/// Regulariser and least share of rows of a node with a hyperplane, as in the document.
const LAMBDA: f64 = 1e-5;
const MIN_SHARE: f64 = 1e-3;
/// Training rows that are drawn.
const SHOWN: usize = 700;

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let folder = words.next().unwrap_or_else(|| ".".to_owned());
    let data = match words.next() {
        Some(path) => read_dataset(&Source::from_argument(&path), &ReadOptions::default())?.dataset,
        None => generate::banana(5300, 0.25, 1)?,
    };
    let split = stratified_hold_out(data.classes()?, 0.5, 1)?;
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    for (file, title, holdout) in [
        ("banana-full", "Not pruned", 0.0),
        ("banana-pruned", "Pruned, ρ = 0.1", 0.1),
    ] {
        let params = HlsvmParams::document(LAMBDA)
            .with_min_share(MIN_SHARE)
            .with_holdout(holdout);
        let model = params.fit(&train)?.model;
        let costs = model.path_costs(test.samples().view())?;
        let accuracy = |data: &Dataset| -> Result<f64, Box<dyn Error>> {
            let found = evaluate(&model, data)?;
            let of_all = found.iter().find(|(metric, _)| *metric == Metric::Accuracy);
            Ok(of_all.map_or(f64::NAN, |(_, value)| 100.0 * value))
        };
        let (known, new) = (accuracy(&train)?, accuracy(&test)?);
        writeln!(
            std::io::stdout(),
            "{title}: {} hyperplanes, {:.2} ({}) on a path, {known:.2} % of the training rows and \
             {new:.2} % of new rows right",
            model.n_hyperplanes(),
            costs.mean,
            costs.max,
        )?;
        let title = format!(
            "{title}: {} hyperplanes, {new:.1} % right on new rows",
            model.n_hyperplanes()
        );
        let svg = picture(&title, &model, &train)?;
        std::fs::write(format!("{folder}/{file}.svg"), svg)?;
    }
    Ok(())
}

fn picture(title: &str, model: &LinearTrees, train: &Dataset) -> Result<String, Box<dyn Error>> {
    let view = train.samples().view();
    let labels = train.classes()?;
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut points = Vec::new();
    for i in 0..view.n_rows() {
        let mut row = [0.0; 2];
        view.row(i).write_dense(&mut row);
        for f in 0..2 {
            low[f] = low[f].min(row[f]);
            high[f] = high[f].max(row[f]);
        }
        if i < SHOWN {
            points.push((row[0], row[1], labels.codes()[i]));
        }
    }
    let at = |f: usize, step: usize| low[f] + (high[f] - low[f]) * step as f64 / (NODES - 1) as f64;
    let nodes: Vec<f64> = (0..NODES * NODES)
        .flat_map(|node| [at(0, node % NODES), at(1, node / NODES)])
        .collect();
    let Prediction::Classes(regions) = model.predict(SamplesView::dense(2, &nodes)?)? else {
        return Err("the rows have no classes".into());
    };
    Ok(
        BoundaryChart::new(title, (low[0], high[0]), (low[1], high[1]))
            .with_regions(NODES, NODES, regions)
            .with_points(points)
            .with_class_names(labels.names().iter().map(ToString::to_string))
            .to_svg(),
    )
}
