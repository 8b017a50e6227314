//! What is told of a metric: while it is learned, in the result, and by `inspect`.

use crate::failure::Failure;
use crate::input::Input;
use crate::session::Session;
use crate::table;
use hedgerow::data::{Dataset, Preprocessing};
use hedgerow_methods::{MetricOutcome, Pipeline, Preparation, Stored};
use hedgerow_report::BarChart;
use serde_json::{Value, json};

/// Columns that are shown to people.
const SHOWN: usize = 20;

/// Prepares the columns, with progress of a metric, and says what became of it.
pub(super) fn prepare(
    session: &Session,
    pipeline: &Pipeline,
    input: &Input,
) -> Result<Preparation, Failure> {
    let data = &input.loaded.dataset;
    let prepared = pipeline.prepare(data, &|state| {
        session.progress(format_args!(
            "learning the metric: round {} of {}, loss {}",
            state.round,
            state.rounds,
            table::number(state.loss)
        ));
        Ok(())
    });
    session.progress_done();
    let prepared = prepared.map_err(Failure::data(&input.name))?;
    if let Some(outcome) = prepared.metric.as_ref().filter(|one| !one.tried.is_empty()) {
        session.say(text(outcome))?;
    }
    Ok(prepared)
}

fn text(outcome: &MetricOutcome) -> String {
    let score = |power: f64| {
        let found = outcome.tried.iter().find(|(tried, _)| *tried == power);
        found.map_or("-".to_owned(), |(_, score)| table::number(score.abs()))
    };
    let best = if outcome.weights.is_some() {
        format!(
            "{} with it (weights to the power {}), kept",
            score(outcome.power),
            outcome.power
        )
    } else {
        format!("{} with it, not kept", score(1.0))
    };
    format!(
        "metric: on {} rows kept aside {} without, {best}; {}",
        outcome.judged,
        score(0.0),
        table::seconds(outcome.seconds)
    )
}

/// What the result object says of a metric.
pub(super) fn fields(outcome: &MetricOutcome, data: &Dataset) -> Value {
    let tried: Vec<Value> = outcome
        .tried
        .iter()
        .map(|(power, score)| json!({"power": power, "score": score}))
        .collect();
    let weights = outcome.weights.as_ref().map(|weights| {
        let named = weights.iter().enumerate();
        let named = named
            .map(|(f, weight)| json!({"name": name(data.feature_names(), f), "weight": weight}));
        named.collect::<Vec<Value>>()
    });
    json!({
        "used": outcome.weights.is_some(),
        "power": outcome.power,
        "tried": tried,
        "judged_rows": outcome.judged,
        "rounds": outcome.rounds,
        "weights": weights,
        "seconds": outcome.seconds,
    })
}

fn name(names: Option<&[String]>, f: usize) -> String {
    match names.and_then(|names| names.get(f)) {
        Some(name) => name.clone(),
        None => (f + 1).to_string(),
    }
}

/// Columns of a model by name with their weights, those dropped included; the largest first. Columns
/// of one nominal column that share a weight are told once.
pub(super) fn weights_of(stored: &Stored) -> Option<Vec<(String, f64)>> {
    let Preprocessing::Weighted {
        n_features,
        features,
        factors,
        ..
    } = &stored.frame.preprocessing
    else {
        return None;
    };
    let mut weights = vec![0.0; *n_features];
    for (&f, &factor) in features.iter().zip(factors) {
        weights[f as usize] = factor;
    }
    let names = stored.frame.feature_names.as_deref();
    let mut all: Vec<(String, f64)> = Vec::with_capacity(*n_features);
    if let Some(encoding) = &stored.frame.encoding {
        let mut at = 0;
        for column in &encoding.columns {
            let width = column.kind.n_features();
            let own = &weights[at.min(weights.len())..(at + width).min(weights.len())];
            if own.windows(2).all(|pair| pair[0] == pair[1]) {
                all.extend(own.first().map(|&weight| (column.name.clone(), weight)));
            } else {
                let each = own.iter().enumerate();
                all.extend(each.map(|(i, &weight)| (name(names, at + i), weight)));
            }
            at += width;
        }
    } else {
        let each = weights.iter().enumerate();
        all.extend(each.map(|(f, &weight)| (name(names, f), weight)));
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    Some(all)
}

/// The weights as a table for people.
pub(super) fn weights_text(weights: &[(String, f64)]) -> String {
    let head = ["column", "weight"].map(str::to_owned);
    let shown = weights.iter().take(SHOWN);
    let rows: Vec<Vec<String>> = shown
        .map(|(name, weight)| vec![name.clone(), table::number(*weight)])
        .collect();
    let mut text = format!("weights of columns\n{}", table::render(&head, &rows));
    if weights.len() > SHOWN {
        let zeros = weights.iter().filter(|(_, weight)| *weight == 0.0).count();
        let more = weights.len() - SHOWN;
        text = format!("{text}\n… {more} more; {zeros} of all are dropped");
    }
    text
}

/// The weights as bars, relative to the largest.
pub(super) fn weights_svg(title: &str, weights: &[(String, f64)]) -> String {
    let largest = weights.first().map_or(1.0, |(_, weight)| *weight);
    let shown = || weights.iter().take(2 * SHOWN);
    BarChart::new(title)
        .with_categories(shown().map(|(name, _)| name.as_str()))
        .with_series(
            "weight, largest = 100",
            shown()
                .map(|(_, weight)| 100.0 * weight / largest)
                .collect(),
        )
        .to_svg()
}
