//! Input that a chart must survive: nothing, one point, equal values, values that are no numbers,
//! labels full of markup.

use hedgerow_report::{
    BarChart, BoundaryChart, CalibrationBin, CalibrationChart, ConfusionChart, HeatmapChart,
    LineChart, RocChart, ScatterChart, Series,
};
use roxmltree::Document;

/// Well-formed, every coordinate a finite number, nothing far outside the picture.
fn check(name: &str, svg: &str) {
    let document = Document::parse(svg).unwrap_or_else(|e| panic!("{name}: {e}\n{svg}"));
    for node in document.descendants() {
        for attribute in node.attributes() {
            let geometric = [
                "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "width", "height",
            ];
            if geometric.contains(&attribute.name()) {
                let value: f64 = attribute.value().parse().unwrap_or(f64::NAN);
                assert!(
                    value.is_finite(),
                    "{name}: {} = {:?}",
                    attribute.name(),
                    attribute.value()
                );
                assert!(value.abs() < 2e5, "{name}: {} = {value}", attribute.name());
            }
            if ["width", "height", "r"].contains(&attribute.name()) {
                assert!(!attribute.value().starts_with('-'), "{name}: {attribute:?}");
            }
            assert!(!attribute.value().contains("NaN"), "{name}: {attribute:?}");
            assert!(!attribute.value().contains("inf"), "{name}: {attribute:?}");
        }
    }
}

#[allow(clippy::too_many_lines)] // a list of all charts
/// Every kind of chart, filled with the given points and label.
fn all_charts(points: &[(f64, f64)], label: &str) -> Vec<(&'static str, String)> {
    let xs: Vec<f64> = points.iter().map(|point| point.0).collect();
    let ys: Vec<f64> = points.iter().map(|point| point.1).collect();
    let range = (
        xs.iter().copied().fold(f64::INFINITY, f64::min),
        xs.iter().copied().fold(f64::NEG_INFINITY, f64::max),
    );
    let labels: Vec<String> = (0..points.len()).map(|k| format!("{label}{k}")).collect();
    let classed = points
        .iter()
        .enumerate()
        .map(|(k, p)| (p.0, p.1, k as u32 % 9));
    let bins = points.iter().map(|p| CalibrationBin {
        predicted: p.0,
        observed: p.1,
        count: 3,
    });
    let side = labels.len();
    let table: Vec<f64> = (0..side * side).map(|k| ys[k % side.max(1)]).collect();
    let grid: Vec<f64> = (0..25)
        .map(|k| ys.get(k % ys.len().max(1)).copied().unwrap_or(0.0))
        .collect();
    let lines = LineChart::new(label)
        .with_x_label(label)
        .with_y_label(label)
        .with_series(Series::new(label, points.to_vec()).with_band(points.to_vec()))
        .with_reference(ys.first().copied().unwrap_or(f64::NAN), label);
    vec![
        (
            "log lines",
            lines.clone().with_log_x().with_log_y().to_svg(),
        ),
        (
            "ranged lines",
            lines
                .clone()
                .with_y_range(f64::NAN, 1.0)
                .with_size(0, 0)
                .to_svg(),
        ),
        ("lines", lines.to_svg()),
        (
            "scatter",
            ScatterChart::new(label)
                .with_group(label, points.to_vec())
                .with_diagonal()
                .to_svg(),
        ),
        (
            "bars",
            BarChart::new(label)
                .with_categories(labels.clone())
                .with_series(label, xs.clone())
                .with_series(label, ys.clone())
                .with_reference(f64::NAN, label)
                .with_unit(label)
                .to_svg(),
        ),
        (
            "log bars",
            BarChart::new(label)
                .with_y_label(label)
                .with_categories(labels.clone())
                .with_series(label, ys.clone())
                .with_log_axis()
                .to_svg(),
        ),
        (
            "heat map",
            HeatmapChart::new(label)
                .with_y_label(label)
                .with_cells(labels.clone(), labels.clone(), table)
                .to_svg(),
        ),
        (
            "roc",
            RocChart::roc(label)
                .with_curve(label, points.to_vec(), f64::NAN)
                .to_svg(),
        ),
        (
            "precision–recall",
            RocChart::precision_recall(label, f64::NAN)
                .with_curve(label, points.to_vec(), 0.5)
                .to_svg(),
        ),
        (
            "confusion",
            ConfusionChart::new(label)
                .with_counts(labels, vec![u64::MAX, 0, 7])
                .to_svg(),
        ),
        (
            "calibration",
            CalibrationChart::new(label)
                .with_curve(label, bins.collect())
                .to_svg(),
        ),
        (
            "boundary",
            BoundaryChart::new(label, range, (-1.0, 1.0))
                .with_scores(5, 5, grid, 7)
                .with_points(classed.clone())
                .with_support(0..100)
                .with_class_names([label])
                .to_svg(),
        ),
        (
            "regions",
            BoundaryChart::new(label, (f64::NAN, 1.0), (1.0, f64::INFINITY))
                .with_regions(5, 5, (0..25).map(|k| k % 7).collect())
                .with_points(classed)
                .to_svg(),
        ),
    ]
}

#[test]
fn hostile_values_give_well_formed_charts() {
    let inputs: [&[(f64, f64)]; 9] = [
        &[],
        &[(0.3, 0.7)],
        &[(0.0, 0.0), (0.0, 0.0)],
        &[(5.0, 5.0); 4],
        &[(f64::NAN, f64::NAN), (f64::INFINITY, f64::NEG_INFINITY)],
        &[
            (f64::NAN, 1.0),
            (0.5, 0.5),
            (1.0, f64::INFINITY),
            (0.7, 0.2),
        ],
        &[(-1e308, 1e308), (1e308, -1e308), (0.0, 0.0)],
        &[(5e-324, 5e-324), (1e-300, 2e-300), (-0.0, 0.0)],
        &[(1e6 - 1e-7, 1e15), (1e6, 1e15 + 0.25), (1e6 + 1e-7, 1e15)],
    ];
    for (k, points) in inputs.iter().enumerate() {
        for (name, svg) in all_charts(points, "label") {
            check(&format!("input {k}, {name}"), &svg);
        }
    }
}

#[test]
fn hostile_labels_come_back_as_they_were() {
    let label = "<b a=\"1\">&amp; 'x' ]]> --";
    for (name, svg) in all_charts(&[(0.2, 0.4), (0.6, 0.9)], label) {
        check(name, &svg);
        let document = Document::parse(&svg).expect("checked");
        let title = document
            .root_element()
            .first_element_child()
            .expect("a title");
        assert_eq!(title.text(), Some(label), "{name}");
    }
    for label in [
        "",
        "\u{0}\u{1b}\u{ffff}",
        "日本語 – ü – 🌳",
        "a\nb\tc",
        &"long ".repeat(400),
    ] {
        for (name, svg) in all_charts(&[(0.2, 0.4), (0.6, 0.9)], label) {
            check(name, &svg);
        }
    }
}

#[test]
fn charts_without_values_say_so() {
    for (name, svg) in all_charts(&[], "t") {
        // The boundary charts have a grid, but ranges that are not finite and no points to
        // replace them.
        assert!(svg.contains(">no data<"), "{name}");
    }
    let svg = BoundaryChart::new("", (0.0, 1.0), (0.0, 1.0))
        .with_scores(3, 3, vec![0.0; 8], 1)
        .to_svg();
    assert!(
        svg.contains(">no data<"),
        "a grid of the wrong length is left out"
    );
    let svg = HeatmapChart::new("")
        .with_cells(["a"], ["b"], vec![f64::NAN])
        .to_svg();
    assert!(svg.contains(">no data<"));
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    let points = [(0.1, 0.9), (0.4, 0.3), (0.8, 0.6)];
    assert_eq!(all_charts(&points, "same"), all_charts(&points, "same"));
}

#[test]
fn of_a_class_for_every_point_or_node_only_some_are_drawn() {
    let points = (0..20_000u32).map(|k| (f64::from(k % 141), f64::from(k / 141), u32::MAX - k));
    let svg = BoundaryChart::new("points", (0.0, 141.0), (0.0, 141.0))
        .with_points(points)
        .to_svg();
    check("points", &svg);
    assert_eq!(svg.matches("stroke-linecap").count(), 64);
    let svg = BoundaryChart::new("regions", (0.0, 1.0), (0.0, 1.0))
        .with_regions(200, 200, (0..40_000).map(|k| k * 100_000).collect())
        .to_svg();
    check("regions", &svg);
    assert_eq!(svg.matches("fill-rule").count(), 64);
}

#[test]
fn an_overlong_matrix_or_table_is_bounded() {
    let names: Vec<String> = (0..150).map(|k| format!("class {k}")).collect();
    let svg = ConfusionChart::new("big")
        .with_counts(names.clone(), vec![1; 150 * 150])
        .to_svg();
    check("confusion", &svg);
    let svg = BarChart::new("big")
        .with_categories((0..2000).map(|k| k.to_string()))
        .with_series("a", vec![1.0; 2000])
        .to_svg();
    check("bars", &svg);
    let svg = HeatmapChart::new("big")
        .with_cells(
            names.clone(),
            names,
            (0..150 * 150).map(f64::from).collect(),
        )
        .to_svg();
    check("heat map", &svg);
}
