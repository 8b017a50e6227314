//! Draws the columns of a CSV table as lines over its first column, for the guide.
//!
//! `cargo run --release -p hedgerow-cli --example line_chart -- TITLE Y-LABEL OUT.svg < table.csv`
//!
//! The first line has the names of the columns. An empty cell is a point that a line does not have.

use hedgerow_report::{LineChart, Series};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [title, y_label, out] = words.as_slice() else {
        return Err("usage: line_chart TITLE Y-LABEL OUT.svg < table.csv".into());
    };
    let text = std::io::read_to_string(std::io::stdin())?;
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().ok_or("no header")?.split(',').collect();
    let mut points = vec![Vec::new(); names.len()];
    for line in lines {
        let cells: Vec<&str> = line.split(',').collect();
        let x: f64 = cells[0].parse()?;
        for (column, cell) in cells.iter().enumerate().skip(1) {
            if !cell.is_empty() {
                points[column].push((x, cell.parse()?));
            }
        }
    }
    let mut chart = LineChart::new(title)
        .with_x_label(names[0])
        .with_y_label(y_label);
    for (name, points) in names.iter().zip(points).skip(1) {
        chart = chart.with_series(Series::new(name, points));
    }
    std::fs::write(out, chart.to_svg())?;
    Ok(())
}
