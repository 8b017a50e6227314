//! What stands in the text of the charts: elements, labels, sizes.

use hedgerow_report::{
    BarChart, Best, BoundaryChart, CalibrationBin, CalibrationChart, ConfusionChart, HeatmapChart,
    LineChart, RocChart, ScatterChart, Series,
};
use roxmltree::{Document, Node};

fn count(svg: &str, name: &str) -> usize {
    let document = Document::parse(svg).expect("well-formed");
    let named = |node: &Node<'_, '_>| node.has_tag_name(("http://www.w3.org/2000/svg", name));
    document.descendants().filter(named).count()
}

fn texts(svg: &str) -> Vec<String> {
    let document = Document::parse(svg).expect("well-formed");
    document
        .descendants()
        .filter(|node| node.tag_name().name() == "text")
        .filter_map(|node| node.text().map(str::to_owned))
        .collect()
}

fn assert_has(svg: &str, wanted: &[&str]) {
    let found = texts(svg);
    for text in wanted {
        assert!(
            found.iter().any(|t| t == text),
            "{text:?} is not in {found:?}"
        );
    }
}

#[test]
fn the_root_has_a_view_box_a_title_and_a_white_ground() {
    let svg = LineChart::new("Title")
        .with_size(500, 300)
        .with_series(Series::new("a", vec![(0.0, 0.0), (1.0, 1.0)]))
        .to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let root = document.root_element();
    assert_eq!(root.attribute("viewBox"), Some("0 0 500 300"));
    assert_eq!(root.attribute("role"), Some("img"));
    let first: Vec<_> = root.children().filter(Node::is_element).take(3).collect();
    assert_eq!(first[0].tag_name().name(), "title");
    assert_eq!(first[0].text(), Some("Title"));
    assert_eq!(first[1].tag_name().name(), "desc");
    assert_eq!(first[2].attribute("fill"), Some("#ffffff"));
    assert_eq!(first[2].attribute("width"), Some("500"));
    assert!(
        !svg.contains(" id="),
        "ids would clash when charts share a page"
    );
}

#[test]
fn lines_show_legend_labels_and_one_path_a_series() {
    let points = |slope: f64| {
        (0..60)
            .map(|k| (f64::from(k), slope * f64::from(k)))
            .collect::<Vec<_>>()
    };
    let band = points(1.0)
        .iter()
        .map(|&(_, y)| (y - 1.0, y + 1.0))
        .collect();
    let svg = LineChart::new("Lines")
        .with_x_label("rows")
        .with_y_label("seconds")
        .with_series(Series::new("one", points(1.0)).with_band(band))
        .with_series(Series::new("two", points(0.5)))
        .with_reference(10.0, "goal")
        .to_svg();
    assert_has(&svg, &["Lines", "rows", "seconds", "one", "two", "goal"]);
    // Two lines and a band; with 60 points no marks.
    assert_eq!(count(&svg, "path"), 3);
    assert_eq!(count(&svg, "circle"), 0);
}

#[test]
fn a_gap_splits_a_line() {
    let svg = LineChart::new("")
        .with_series(Series::new(
            "a",
            vec![
                (0.0, 1.0),
                (1.0, 2.0),
                (2.0, f64::NAN),
                (3.0, 2.0),
                (4.0, 1.0),
            ],
        ))
        .to_svg();
    let document = Document::parse(&svg).expect("well-formed");
    let path = document
        .descendants()
        .find(|node| node.tag_name().name() == "path")
        .expect("a path");
    let data = path.attribute("d").expect("data");
    assert_eq!(data.matches('M').count(), 2);
    assert_eq!(count(&svg, "circle"), 4);
}

#[test]
fn log_axes_leave_out_what_is_not_positive() {
    let svg = LineChart::new("")
        .with_log_x()
        .with_log_y()
        .with_series(Series::new(
            "a",
            vec![(0.0, 1.0), (-1.0, 1.0), (1.0, 10.0), (100.0, 1000.0)],
        ))
        .to_svg();
    assert_eq!(count(&svg, "circle"), 2);
    assert_has(&svg, &["10", "100", "1000"]);
}

#[test]
fn a_scatter_plot_draws_every_finite_point_with_the_mark_of_its_group() {
    let svg = ScatterChart::new("Points")
        .with_group("round", vec![(0.0, 0.0), (1.0, 1.0), (f64::NAN, 1.0)])
        .with_group("angled", vec![(0.5, 0.5), (0.2, f64::INFINITY)])
        .to_svg();
    // One mark more of each kind in the legend.
    assert_eq!(count(&svg, "circle"), 3);
    assert_eq!(count(&svg, "path"), 2);
    assert_has(&svg, &["round", "angled"]);
}

#[test]
fn many_points_become_few_elements() {
    let points: Vec<(f64, f64)> = (0..50_000)
        .map(|k| {
            let k = f64::from(k);
            ((k * 0.754_877).fract(), (k * 0.569_840).fract())
        })
        .collect();
    let svg = ScatterChart::new("Many").with_group("", points).to_svg();
    assert_eq!(count(&svg, "path"), 1);
    assert!(svg.len() < 600_000, "{} bytes", svg.len());
}

#[test]
fn a_boundary_is_a_handful_of_paths() {
    let n = 200;
    let at = |k: usize| -2.0 + 4.0 * k as f64 / (n - 1) as f64;
    let scores = (0..n * n)
        .map(|k| 1.5 - at(k % n).hypot(at(k / n)) * 2.0)
        .collect();
    let svg = BoundaryChart::new("Disc", (-2.0, 2.0), (-2.0, 2.0))
        .with_scores(n, n, scores, 0)
        .with_points([(0.0, 0.0, 0), (1.5, 1.5, 1), (9.0, 9.0, 1)])
        .with_support([0, 0, 77])
        .with_class_names(["in", "out"])
        .to_svg();
    assert_has(&svg, &["in", "out", "support vector", "margin ±1"]);
    // Four fills and three lines, and the triangle of class 1 in the legend and in the plot; the
    // point outside the range is not drawn.
    assert_eq!(count(&svg, "path"), 4 + 3 + 2);
    // Class 0 and the ring, each in the legend and in the plot.
    assert_eq!(count(&svg, "circle"), 4);
    assert!(svg.len() < 100_000, "{} bytes", svg.len());
}

#[test]
fn the_positive_class_chooses_the_colour() {
    let chart = BoundaryChart::new("", (0.0, 1.0), (0.0, 1.0));
    let all = |positive| {
        chart
            .clone()
            .with_scores(2, 2, vec![2.0; 4], positive)
            .to_svg()
    };
    let fill_of = |svg: &str| {
        let document = Document::parse(svg).expect("well-formed");
        document
            .descendants()
            .filter(|node| node.attribute("fill-rule").is_some())
            .filter_map(|node| node.attribute("fill").map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let (zero, one) = (fill_of(&all(0)), fill_of(&all(1)));
    assert_eq!(zero.len(), 2);
    assert_eq!(one.len(), 2);
    assert_ne!(zero, one);
}

#[test]
fn regions_of_three_classes_are_filled_and_named() {
    let n = 60;
    let classes = (0..n * n).map(|k| ((k % n) / 20) as u32).collect();
    let svg = BoundaryChart::new("Strips", (0.0, 1.0), (0.0, 1.0))
        .with_regions(n, n, classes)
        .with_class_names(["a", "b"])
        .to_svg();
    assert_has(&svg, &["a", "b", "class 2"]);
    let document = Document::parse(&svg).expect("well-formed");
    let fills = document
        .descendants()
        .filter(|node| node.attribute("fill-rule").is_some());
    assert_eq!(fills.count(), 3);
}

#[test]
fn a_fine_or_ragged_grid_stays_small() {
    let n = 700;
    // Every node disagrees with its neighbours: the worst case for the length of the text.
    let classes = (0..n * n).map(|k| ((k % n + k / n) % 2) as u32).collect();
    let svg = BoundaryChart::new("", (0.0, 1.0), (0.0, 1.0))
        .with_regions(n, n, classes)
        .to_svg();
    assert!(Document::parse(&svg).is_ok());
    assert!(svg.len() < 8_000_000, "{} bytes", svg.len());
    let smooth = (0..n * n)
        .map(|k| (k % n) as f64 - 350.0 + (k / n) as f64 * 0.3)
        .collect();
    let svg = BoundaryChart::new("", (0.0, 1.0), (0.0, 1.0))
        .with_scores(n, n, smooth, 1)
        .to_svg();
    assert!(svg.len() < 20_000, "{} bytes", svg.len());
}

#[test]
fn bars_show_values_categories_and_the_reference() {
    let svg = BarChart::new("Speed")
        .with_categories(["adult", "letter"])
        .with_series("one", vec![2.0, 0.5])
        .with_series("two", vec![4.25, f64::NAN])
        .with_reference(1.0, "peer = 1")
        .with_unit("×")
        .with_log_axis()
        .to_svg();
    assert_has(
        &svg,
        &[
            "adult", "letter", "one", "two", "peer = 1", "2×", "0.5×", "4.25×",
        ],
    );
    // Ground, two blocks of the legend, three bars.
    assert_eq!(count(&svg, "rect"), 1 + 2 + 3);
}

#[test]
fn a_heat_map_writes_its_values_and_frames_the_best() {
    let chart = HeatmapChart::new("Grid")
        .with_x_label("cost")
        .with_y_label("gamma")
        .with_cells(
            ["1", "10"],
            ["0.1", "0.2"],
            vec![90.0, 95.5, f64::NAN, 80.0],
        )
        .with_decimals(1);
    let framed = |svg: &str| {
        let document = Document::parse(svg).expect("well-formed");
        let frame = document
            .descendants()
            .find(|node| node.attribute("stroke-width") == Some("2.5"))
            .expect("a frame");
        (
            frame.attribute("x").map(str::to_owned),
            frame.attribute("y").map(str::to_owned),
        )
    };
    let svg = chart.to_svg();
    assert_has(
        &svg,
        &["90.0", "95.5", "–", "80.0", "cost", "gamma", "0.1", "10"],
    );
    let lowest = chart.with_best(Best::Lowest).to_svg();
    let (high, low) = (framed(&svg), framed(&lowest));
    // 95.5 stands at the top right, 80.0 below it.
    assert_eq!(high.0, low.0);
    assert_ne!(high.1, low.1);
}

#[test]
fn roc_and_precision_recall_name_area_and_axes() {
    let points = vec![(0.0, 0.0), (0.2, 0.7), (1.0, 1.0)];
    let roc = RocChart::roc("R")
        .with_curve("rbf", points.clone(), 0.75)
        .to_svg();
    assert_has(
        &roc,
        &[
            "rbf (AUC 0.750)",
            "chance",
            "false positive rate",
            "true positive rate",
        ],
    );
    let pr = RocChart::precision_recall("P", 0.3)
        .with_curve("rbf", points, f64::NAN)
        .to_svg();
    assert_has(&pr, &["rbf", "recall", "precision"]);
}

#[test]
fn a_confusion_matrix_shows_counts_and_row_shares() {
    let svg = ConfusionChart::new("C")
        .with_counts(["no", "yes"], vec![8, 2, 0, 5])
        .to_svg();
    assert_has(
        &svg,
        &[
            "no", "yes", "8", "80.0 %", "20.0 %", "5", "100.0 %", "0.0 %",
        ],
    );
    assert_eq!(count(&svg, "rect"), 1 + 4);
}

#[test]
fn a_calibration_diagram_shows_bins_and_their_sizes() {
    let bin = |predicted, observed, count| CalibrationBin {
        predicted,
        observed,
        count,
    };
    let svg = CalibrationChart::new("K")
        .with_curve(
            "Platt",
            vec![
                bin(0.1, 0.15, 20),
                bin(0.9, 0.8, 10),
                bin(0.5, 0.5, 0),
                bin(f64::NAN, 0.5, 3),
            ],
        )
        .to_svg();
    assert_has(
        &svg,
        &[
            "Platt",
            "perfect",
            "predicted probability",
            "observed share",
            "rows",
        ],
    );
    assert_eq!(count(&svg, "circle"), 2);
    assert_eq!(count(&svg, "rect"), 1 + 2);
}
