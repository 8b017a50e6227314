//! Columns of text for people.

/// Rows with columns padded to one width: the first column to the left, the others to the right.
pub(crate) fn render(head: &[String], rows: &[Vec<String>]) -> String {
    let n_columns = rows
        .iter()
        .map(Vec::len)
        .chain([head.len()])
        .max()
        .unwrap_or(0);
    let mut widths = vec![0; n_columns];
    for row in rows.iter().map(Vec::as_slice).chain([head]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for row in [head].into_iter().chain(rows.iter().map(Vec::as_slice)) {
        if row.is_empty() {
            continue;
        }
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let padding = " ".repeat(width - cell.chars().count());
            if at == 0 {
                line.push_str(cell);
                line.push_str(&padding);
            } else {
                line.push_str("  ");
                line.push_str(&padding);
                line.push_str(cell);
            }
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

/// `name  value` lines.
pub(crate) fn pairs(pairs: &[(String, String)]) -> String {
    let width = pairs
        .iter()
        .map(|(name, _)| name.chars().count())
        .max()
        .unwrap_or(0);
    let lines: Vec<String> = pairs
        .iter()
        .map(|(name, value)| {
            let padding = " ".repeat(width - name.chars().count());
            format!("{name}{padding}  {value}")
        })
        .collect();
    lines.join("\n")
}

/// Four decimals for scores and losses of usual size, four significant digits otherwise.
pub(crate) fn number(value: f64) -> String {
    // -0 is 0 for people.
    let value = value + 0.0;
    let size = value.abs();
    if value == 0.0 || (1e-3..1e4).contains(&size) {
        format!("{value:.4}")
    } else if size.is_finite() {
        format!("{value:.3e}")
    } else {
        format!("{value}")
    }
}

/// Shortest text that reads back as the same number.
pub(crate) fn exact(value: f64) -> String {
    if value == 0.0 || (1e-4..1e15).contains(&value.abs()) || !value.is_finite() {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Seconds for people.
pub(crate) fn seconds(value: f64) -> String {
    if value < 0.1 {
        format!("{:.1} ms", value * 1e3)
    } else {
        format!("{value:.2} s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let head = ["fold".to_owned(), "accuracy".to_owned()];
        let rows = [
            vec!["1".to_owned(), "0.5".to_owned()],
            vec!["mean".to_owned(), "0.75".to_owned()],
        ];
        assert_eq!(
            render(&head, &rows),
            "fold  accuracy\n1          0.5\nmean      0.75"
        );
    }

    #[test]
    fn numbers_keep_their_size_visible() {
        assert_eq!(number(0.98765), "0.9877");
        assert_eq!(number(1.5e-7), "1.500e-7");
        assert_eq!(exact(0.1), "0.1");
        assert_eq!(exact(2f64.powi(-15)), "3.0517578125e-5");
    }
}
