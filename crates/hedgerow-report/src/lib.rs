//! Charts for classifiers, as self-contained SVG text.
//!
//! Every chart is a value that is filled by `with_…` methods and turned into text by `to_svg`:
//!
//! ```
//! use hedgerow_report::{LineChart, Series};
//!
//! let svg = LineChart::new("Training time")
//!     .with_x_label("rows")
//!     .with_y_label("seconds")
//!     .with_log_x()
//!     .with_log_y()
//!     .with_series(Series::new("rbf", vec![(1e3, 0.02), (1e4, 1.1), (1e5, 96.0)]))
//!     .to_svg();
//! assert!(svg.starts_with("<svg"));
//! ```
//!
//! The crate sees only numbers and strings. It never fails: values that are NaN or infinite are
//! left out, a chart without any value says "no data", labels may hold any character. The same
//! input gives the same bytes. Colours can be told apart with any common colour blindness, and
//! shape or dash repeats what colour says. No element has an `id`, so several charts can stand in
//! one HTML page.

mod axes;
mod bars;
mod boundary;
mod calibration;
mod chart_frame;
mod confusion;
mod contour;
mod covering;
mod heatmap;
mod lines;
mod marker;
mod palette;
mod roc;
mod scale;
mod scatter;
mod svg;
mod tree;
mod typeset;

pub use bars::BarChart;
pub use boundary::BoundaryChart;
pub use calibration::{CalibrationBin, CalibrationChart};
pub use confusion::ConfusionChart;
pub use covering::{CoveringChart, Disc};
pub use heatmap::{Best, HeatmapChart};
pub use lines::{LineChart, Series};
pub use roc::RocChart;
pub use scatter::ScatterChart;
pub use tree::{TreeChart, TreeChartNode};
