//! Draws the weights of features on NDCC with useless ones, for the guide, and what they do for the
//! nearest neighbours.
//!
//! `cargo run --release -p hedgerow-cli --example weight_pictures -- docs/src/img`

#![allow(clippy::print_stdout, reason = "an example prints")]

use hedgerow::Result;
use hedgerow::data::generate::{NdccProbesParams, ndcc_probes};
use hedgerow::select::{KernelWeights, KernelWeightsParams};
use hedgerow_report::BarChart;

/// Features that are true; all after them are noise.
const TRUE: usize = 20;
/// Bars.
const SHOWN: usize = 24;

fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let found = weights()?;
    let ranked = &found.ranking.features[..SHOWN];
    let value = |f: usize, is_true: bool| {
        if (f < TRUE) == is_true {
            found.weights[f]
        } else {
            f64::NAN
        }
    };
    let series = |is_true: bool| ranked.iter().map(|&f| value(f, is_true)).collect();
    let name = |&f: &usize| {
        if f < TRUE {
            format!("true {}", f + 1)
        } else {
            format!("noise {}", f + 1 - TRUE)
        }
    };
    let chart = BarChart::new("AO-II on NDCC: 20 true features among 120, 200 rows")
        .with_categories(ranked.iter().map(name))
        .with_series("true features", series(true))
        .with_series("noise", series(false));
    std::fs::write(format!("{folder}/kernel-weights.svg"), chart.to_svg())?;
    let right = (0..TRUE).filter(|&f| found.weights[f] > 0.0).count();
    println!("{right} of {TRUE} true, {} others", found.n_kept() - right);
    Ok(())
}

fn weights() -> Result<KernelWeights> {
    let data = ndcc_probes(&NdccProbesParams::default(), 3)?;
    KernelWeightsParams::default()
        .with_mu(Some(0.0625))
        .fit(&data)
}
