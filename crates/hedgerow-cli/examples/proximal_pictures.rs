//! Draws the surfaces of ReGEC and of CReGEC on two crescents, with the rows that CReGEC keeps, for the
//! guide.
//!
//! `cargo run --release -p hedgerow-cli --example proximal_pictures -- docs/src/img`

use hedgerow::data::{Dataset, Samples, SamplesView, generate};
use hedgerow::evaluate::{Metric, evaluate};
use hedgerow::kernel::Kernel;
use hedgerow::proximal::{CregecParams, ProximalModel, RegecParams, SubsetOrder};
use hedgerow::{Error, Prediction, Predictor};
use hedgerow_report::BoundaryChart;

/// Nodes of the grid along a side.
const NODES: usize = 161;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let train = generate::banana(300, 0.2, 3)?;
    let test = generate::banana(4000, 0.2, 4)?;
    let kernel = Kernel::rbf(1.0);
    let whole = RegecParams::default()
        .with_kernel(kernel.clone())
        .fit(&train)?
        .model;
    let chunk = CregecParams::default()
        .with_kernel(kernel)
        .with_order(SubsetOrder::Shuffled)
        .with_seed(1)
        .fit(&train)?
        .model;
    let kept: Vec<usize> = chunk.parts().chunks[0]
        .rows
        .iter()
        .map(|&row| row as usize)
        .collect();
    let title = "ReGEC, all 300 rows";
    let svg = picture(title, &whole, &train, &[], &test)?;
    std::fs::write(format!("{folder}/regec-surfaces.svg"), svg)?;
    let title = format!("CReGEC, {} rows kept", kept.len());
    let svg = picture(&title, chunk.proximal(), &train, &kept, &test)?;
    std::fs::write(format!("{folder}/cregec-surfaces.svg"), svg)?;
    Ok(())
}

fn picture(
    title: &str,
    model: &ProximalModel,
    train: &Dataset,
    kept: &[usize],
    test: &Dataset,
) -> Result<String, Error> {
    let accuracy = evaluate(model, test)?
        .iter()
        .find(|(metric, _)| *metric == Metric::Accuracy)
        .map_or(f64::NAN, |(_, value)| *value);
    let view = train.samples().view();
    let labels = train.classes()?;
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    let mut points = Vec::with_capacity(view.n_rows());
    for i in 0..view.n_rows() {
        let mut row = [0.0; 2];
        view.row(i).write_dense(&mut row);
        for f in 0..2 {
            low[f] = low[f].min(row[f] - 0.1);
            high[f] = high[f].max(row[f] + 0.1);
        }
        points.push((row[0], row[1], labels.codes()[i]));
    }
    let at = |f: usize, step: usize| low[f] + (high[f] - low[f]) * step as f64 / (NODES - 1) as f64;
    let nodes: Vec<f64> = (0..NODES * NODES)
        .flat_map(|node| [at(0, node % NODES), at(1, node / NODES)])
        .collect();
    let nodes: Samples = Samples::dense(NODES * NODES, 2, nodes)?;
    let regions = match model.predict(nodes.view())? {
        Prediction::Classes(codes) => codes,
        Prediction::Real(_) => Vec::new(),
    };
    let title = format!("{title}: {:.1} % right on new rows", 100.0 * accuracy);
    let mut chart = BoundaryChart::new(&title, (low[0], high[0]), (low[1], high[1]))
        .with_regions(NODES, NODES, regions)
        .with_points(points)
        .with_rings(kept.iter().copied(), "row that is kept")
        .with_class_names(labels.names().iter().map(ToString::to_string));
    let values = surfaces(model, nodes.view())?;
    for (class, values) in values.iter().enumerate() {
        chart = chart.with_curve(NODES, NODES, values, class as u32);
    }
    Ok(chart.to_svg())
}

/// Values of both surfaces at all rows.
fn surfaces(model: &ProximalModel, nodes: SamplesView<'_>) -> Result<[Vec<f64>; 2], Error> {
    let values = model.values(nodes)?;
    let of = |at: usize| values.iter().skip(at).step_by(2).copied().collect();
    Ok([of(0), of(1)])
}
