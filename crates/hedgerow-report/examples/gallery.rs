//! Writes every kind of chart to a folder: `cargo run -p hedgerow-report --example gallery -- FOLDER`.
//!
//! The numbers are made up by formulas; they show the drawing, not a result.

use hedgerow_report::{
    BarChart, Best, BoundaryChart, CalibrationBin, CalibrationChart, ConfusionChart, HeatmapChart,
    LineChart, RocChart, ScatterChart, Series,
};
use std::error::Error;
use std::path::PathBuf;

/// Points spread evenly over the unit square (an additive recurrence).
fn spread(k: usize) -> (f64, f64) {
    let k = k as f64 + 0.5;
    (
        (k * 0.754_877_666_246_7).fract(),
        (k * 0.569_840_290_998_05).fract(),
    )
}

fn boundary() -> BoundaryChart {
    let score = |x: f64, y: f64| 2.2 * (y - 0.8 * (1.6 * x).sin()) + 0.6 * (3.0 * x + y).cos();
    let (nx, ny) = (121, 101);
    let grid = (0..nx * ny)
        .map(|k| {
            let x = -3.0 + 6.0 * (k % nx) as f64 / (nx - 1) as f64;
            let y = -2.5 + 5.0 * (k / nx) as f64 / (ny - 1) as f64;
            score(x, y)
        })
        .collect();
    let points: Vec<(f64, f64, u32)> = (0..220)
        .map(|k| {
            let (u, v) = spread(k);
            let (x, y) = (-3.0 + 6.0 * u, -2.5 + 5.0 * v);
            let slip = (k as f64 * 12.9898).sin() * 0.9;
            (x, y, u32::from(score(x, y) + slip > 0.0))
        })
        .collect();
    let support: Vec<usize> = (0..points.len())
        .filter(|&i| {
            let (x, y, class) = points[i];
            let side = if class == 1 { 1.0 } else { -1.0 };
            side * score(x, y) <= 1.0
        })
        .collect();
    BoundaryChart::new("C-SVC, rbf(gamma=0.5), C = 1", (-3.0, 3.0), (-2.5, 2.5))
        .with_x_label("feature 1")
        .with_y_label("feature 2")
        .with_class_names(["negative", "positive"])
        .with_scores(nx, ny, grid, 1)
        .with_points(points)
        .with_support(support)
}

fn regions() -> BoundaryChart {
    let centres = [(-1.2, 0.9), (1.4, 1.1), (0.1, -1.2), (2.0, -1.3)];
    let class = |x: f64, y: f64| -> u32 {
        let distance =
            |c: &(f64, f64)| (x - c.0).powi(2) + (y - c.1 + 0.4 * (2.0 * x).sin()).powi(2);
        let nearest =
            |a: &usize, b: &usize| distance(&centres[*a]).total_cmp(&distance(&centres[*b]));
        (0..centres.len()).min_by(nearest).map_or(0, |c| c as u32)
    };
    let n = 141;
    let step = |k: usize| -3.0 + 6.0 * k as f64 / (n - 1) as f64;
    let grid = (0..n * n)
        .map(|k| class(step(k % n), step(k / n)))
        .collect();
    let points = (0..260).map(|k| {
        let (u, v) = spread(k);
        let (x, y) = (-3.0 + 6.0 * u, -3.0 + 6.0 * v);
        let shift = (k as f64 * 78.233).sin() * 0.35;
        (x, y, class(x + shift, y - shift))
    });
    BoundaryChart::new("One-vs-one on four classes", (-3.0, 3.0), (-3.0, 3.0))
        .with_class_names(["ash", "hazel", "holly", "rowan"])
        .with_regions(n, n, grid)
        .with_points(points)
}

fn lines() -> LineChart {
    let sizes: Vec<f64> = (0..8).map(|k| 500.0 * 2f64.powi(k)).collect();
    let law = |factor: f64, power: f64| -> Vec<(f64, f64)> {
        sizes.iter().map(|&n| (n, factor * n.powf(power))).collect()
    };
    let exact = law(2e-8, 2.1);
    let band = exact.iter().map(|&(_, y)| (y * 0.75, y * 1.35)).collect();
    LineChart::new("Training time grows with the number of rows")
        .with_x_label("rows")
        .with_y_label("seconds")
        .with_log_x()
        .with_log_y()
        .with_series(Series::new("rbf", exact).with_band(band))
        .with_series(Series::new("linear", law(3e-7, 1.4)))
        .with_series(Series::new("polynomial, degree 3", law(5e-8, 2.05)))
}

fn learning_curve() -> LineChart {
    let curve = |end: f64, rate: f64, wave: f64| -> Vec<(f64, f64)> {
        (1..=20)
            .map(|k| {
                let x = f64::from(k) * 50.0;
                (x, end - 0.25 * (-rate * x).exp() + 0.004 * (x * wave).sin())
            })
            .collect()
    };
    let test = curve(0.941, 0.006, 0.05);
    let band = test
        .iter()
        .map(|&(x, y)| (y - 2.0 / x.sqrt() / 5.0, y + 2.0 / x.sqrt() / 5.0))
        .collect();
    LineChart::new("Learning curve")
        .with_x_label("training rows")
        .with_y_label("accuracy")
        .with_series(Series::new("cross-validated", test).with_band(band))
        .with_series(Series::new("training", curve(0.968, 0.02, 0.03)))
        .with_reference(0.95, "Bayes rate")
}

fn scatter() -> ScatterChart {
    let cloud = |cx: f64, cy: f64, from: usize| -> Vec<(f64, f64)> {
        (from..from + 90)
            .map(|k| {
                let (u, v) = spread(k);
                let (radius, angle) = ((-2.0 * (u + 1e-9).ln()).sqrt(), std::f64::consts::TAU * v);
                (cx + radius * angle.cos(), cy + 0.7 * radius * angle.sin())
            })
            .collect()
    };
    ScatterChart::new("Three classes")
        .with_x_label("petal length")
        .with_y_label("petal width")
        .with_group("setosa", cloud(0.0, 0.0, 0))
        .with_group("versicolor", cloud(3.0, 1.5, 200))
        .with_group("virginica", cloud(4.5, -1.5, 500))
}

fn bars() -> BarChart {
    BarChart::new("Training speed relative to a peer")
        .with_x_label("speed ratio (higher is faster)")
        .with_categories([
            "adult (32 561 × 123)",
            "ijcnn1 (49 990 × 22)",
            "checkerboard",
            "letter, 26 classes",
            "spirals",
        ])
        .with_series("1 thread", vec![1.8, 2.6, 3.4, 0.84, 2.2])
        .with_series("2 threads", vec![3.1, 4.4, 5.9, 1.5, 3.7])
        .with_reference(1.0, "peer = 1")
        .with_unit("×")
        .with_log_axis()
}

fn heatmap() -> HeatmapChart {
    let costs: Vec<String> = (-2..=6).map(|k| format!("{}", 4f64.powi(k))).collect();
    let gammas: Vec<String> = (-5..=1).map(|k| format!("{}", 4f64.powi(k))).collect();
    let mut values = Vec::new();
    for g in 0..gammas.len() {
        for c in 0..costs.len() {
            let (dx, dy) = (c as f64 - 5.2, g as f64 - 3.1);
            let abandoned = g == gammas.len() - 1 && c > 5;
            values.push(if abandoned {
                f64::NAN
            } else {
                96.4 - 0.45 * dx * dx - 0.8 * dy * dy - 0.5 * dx * dy
            });
        }
    }
    HeatmapChart::new("Grid search: 5-fold accuracy in per cent")
        .with_x_label("cost")
        .with_y_label("gamma")
        .with_cells(costs, gammas, values)
        .with_best(Best::Highest)
        .with_decimals(1)
}

fn roc_points(bend: f64) -> Vec<(f64, f64)> {
    (0..=100)
        .map(|k| {
            let x = f64::from(k) / 100.0;
            (x, x.powf(bend))
        })
        .collect()
}

fn roc() -> RocChart {
    RocChart::roc("ROC on the test part")
        .with_curve("rbf", roc_points(0.15), 1.0 / 1.15)
        .with_curve("linear", roc_points(0.35), 1.0 / 1.35)
}

fn precision_recall() -> RocChart {
    let curve = |power: i32| -> Vec<(f64, f64)> {
        roc_points(1.0)
            .into_iter()
            .map(|(r, _)| (r, 1.0 - 0.8 * r.powi(power)))
            .collect()
    };
    RocChart::precision_recall("Precision and recall", 0.2)
        .with_curve("rbf", curve(6), 1.0 - 0.8 / 7.0)
        .with_curve("linear", curve(2), 1.0 - 0.8 / 3.0)
}

fn confusion() -> ConfusionChart {
    ConfusionChart::new("Confusion on 10 folds").with_counts(
        ["ash", "hazel", "holly", "rowan"],
        vec![182, 9, 1, 0, 14, 203, 6, 2, 0, 4, 96, 11, 0, 0, 7, 31],
    )
}

fn calibration() -> CalibrationChart {
    let bins = |bend: f64| -> Vec<CalibrationBin> {
        (0..10)
            .map(|k| {
                let p = (f64::from(k) + 0.5) / 10.0;
                let observed = p + bend * (p - 0.5) * p * (1.0 - p) * 4.0;
                let count = (40.0 + 900.0 * (p - 0.5).powi(2)) as u64;
                CalibrationBin {
                    predicted: p,
                    observed,
                    count,
                }
            })
            .collect()
    };
    CalibrationChart::new("Are the probabilities right?")
        .with_curve("Platt", bins(0.12))
        .with_curve("raw sigmoid", bins(0.75))
}

fn main() -> Result<(), Box<dyn Error>> {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        return Err("give the folder to write to".into());
    };
    std::fs::create_dir_all(&folder)?;
    let charts = [
        ("boundary", boundary().to_svg()),
        ("regions", regions().to_svg()),
        ("lines", lines().to_svg()),
        ("learning-curve", learning_curve().to_svg()),
        ("scatter", scatter().to_svg()),
        ("bars", bars().to_svg()),
        ("heatmap", heatmap().to_svg()),
        ("roc", roc().to_svg()),
        ("precision-recall", precision_recall().to_svg()),
        ("confusion", confusion().to_svg()),
        ("calibration", calibration().to_svg()),
        ("no-data", LineChart::new("Nothing to see").to_svg()),
    ];
    for (name, svg) in charts {
        std::fs::write(folder.join(name).with_extension("svg"), svg)?;
    }
    Ok(())
}
