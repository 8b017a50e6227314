//! Draws what k-NN and kNN-SVM make of the same rows, and 1-NN before and after noise reduction, for the
//! guide.
//!
//! `cargo run --release -p hedgerow-cli --example knn_pictures -- docs/src/img`

use hedgerow::clean::{Editor, FalkNrParams};
use hedgerow::data::{Dataset, SamplesView, generate};
use hedgerow::evaluate::{Metric, evaluate};
use hedgerow::local::{KnnParams, KnnSvmParams};
use hedgerow::{Error, Prediction, Predictor};
use hedgerow_report::BoundaryChart;

/// Nodes of the grid along a side.
const NODES: usize = 161;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let train = generate::banana(400, 0.25, 3)?;
    let test = generate::banana(4000, 0.25, 4)?;
    let nearest = KnnParams::default().fit(&train)?.model;
    let votes = KnnParams::default().with_neighbours(15).fit(&train)?.model;
    let local = KnnSvmParams::default()
        .with_neighbours(60)
        .fit(&train)?
        .model;
    let models: [(&str, &str, &dyn Predictor); 3] = [
        ("knn-1", "1-NN", &nearest),
        ("knn-15", "15-NN", &votes),
        ("knn-svm", "kNN-SVM, k = 60", &local),
    ];
    for (file, title, model) in models {
        let svg = picture(title, model, &train, &[], &test)?;
        std::fs::write(format!("{folder}/{file}.svg"), svg)?;
    }
    clean(&folder)
}

/// 1-NN on rows of which a tenth has a wrong label, and on what FaLKNR leaves of them.
fn clean(folder: &str) -> Result<(), Box<dyn std::error::Error>> {
    let train = generate::flip_labels(&generate::banana(400, 0.2, 3)?, 0.1, 5)?;
    let test = generate::banana(4000, 0.2, 4)?;
    let edit = FalkNrParams::default().with_neighbours(100).edit(&train)?;
    let (left, removed) = (edit.apply(&train)?, edit.removed());
    let views = [
        ("noise-before", "All rows", &train, removed.as_slice()),
        ("noise-after", "After FaLKNR", &left, &[]),
    ];
    for (file, title, rows, removed) in views {
        let model = KnnParams::default().fit(rows)?.model;
        let svg = picture(title, &model, rows, removed, &test)?;
        std::fs::write(format!("{folder}/{file}.svg"), svg)?;
    }
    Ok(())
}

fn codes(model: &dyn Predictor, samples: SamplesView<'_>) -> Result<Vec<u32>, Error> {
    match model.predict(samples)? {
        Prediction::Classes(codes) => Ok(codes),
        Prediction::Real(_) => Ok(Vec::new()),
    }
}

fn picture(
    title: &str,
    model: &dyn Predictor,
    train: &Dataset,
    removed: &[usize],
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
            low[f] = low[f].min(row[f]);
            high[f] = high[f].max(row[f]);
        }
        points.push((row[0], row[1], labels.codes()[i]));
    }
    let at = |f: usize, step: usize| low[f] + (high[f] - low[f]) * step as f64 / (NODES - 1) as f64;
    let nodes: Vec<f64> = (0..NODES * NODES)
        .flat_map(|node| [at(0, node % NODES), at(1, node / NODES)])
        .collect();
    let regions = codes(model, SamplesView::dense(2, &nodes)?)?;
    let title = format!("{title}: {:.1} % right on new rows", 100.0 * accuracy);
    Ok(
        BoundaryChart::new(&title, (low[0], high[0]), (low[1], high[1]))
            .with_regions(NODES, NODES, regions)
            .with_points(points)
            .with_rings(removed.iter().copied(), "removed")
            .with_class_names(labels.names().iter().map(ToString::to_string))
            .to_svg(),
    )
}
