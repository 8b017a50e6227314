//! The training rows that a model keeps, in the columns of the file that it was trained on.

use crate::table;
use hedgerow::capability::KeptRows;
use hedgerow::data::Row;
use hedgerow_io::ColumnKind;
use hedgerow_methods::{ModelFrame, Stored};
use serde_json::{Map, Value, json};

/// Rows and columns that are shown to people; machines get all rows, and up to `MOST_COLUMNS`.
const SHOWN_ROWS: usize = 40;
const SHOWN_COLUMNS: usize = 12;
const MOST_COLUMNS: usize = 1000;

/// A value of a column.
enum Cell {
    Number(f64),
    Word(String),
}

impl Cell {
    fn text(&self) -> String {
        match self {
            Self::Number(value) => table::exact(*value),
            Self::Word(word) => word.clone(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Self::Number(value) => json!(value),
            Self::Word(word) => json!(word),
        }
    }
}

/// What is known of a kept row.
struct Kept {
    /// From 1.
    number: u64,
    class: String,
    /// Columns with their names; of sparse rows those that are not 0.
    cells: Vec<(String, Cell)>,
}

/// A table for people, if the model keeps rows.
pub(super) fn text(stored: &Stored) -> Option<String> {
    let rows = kept(stored)?;
    let mut names: Vec<String> = Vec::new();
    for (name, _) in rows.iter().flat_map(|row| &row.cells) {
        if names.len() <= SHOWN_COLUMNS && !names.contains(name) {
            names.push(name.clone());
        }
    }
    let more_columns = names.len() > SHOWN_COLUMNS;
    names.truncate(SHOWN_COLUMNS);
    let mut head = vec!["row".to_owned(), "class".to_owned()];
    head.extend(names.iter().cloned());
    if more_columns {
        head.push("…".to_owned());
    }
    let shown: Vec<Vec<String>> = rows
        .iter()
        .take(SHOWN_ROWS)
        .map(|row| {
            let mut line = vec![row.number.to_string(), row.class.clone()];
            line.extend(names.iter().map(|name| {
                let cell = row.cells.iter().find(|(other, _)| other == name);
                cell.map_or_else(|| "0".to_owned(), |(_, cell)| cell.text())
            }));
            line
        })
        .collect();
    let mut text = format!("rows that are kept\n{}", table::render(&head, &shown));
    if rows.len() > SHOWN_ROWS {
        text = format!("{text}\n… {} more", rows.len() - SHOWN_ROWS);
    }
    Some(text)
}

/// All rows for machines, if the model keeps rows.
pub(super) fn json(stored: &Stored) -> Option<Value> {
    let row = |row: Kept| {
        let cells = row.cells.iter().take(MOST_COLUMNS);
        let values: Map<String, Value> = cells
            .map(|(name, cell)| (name.clone(), cell.json()))
            .collect();
        json!({"row": row.number, "class": row.class, "values": values})
    };
    Some(kept(stored)?.into_iter().map(row).collect())
}

fn kept(stored: &Stored) -> Option<Vec<Kept>> {
    let KeptRows {
        numbers,
        classes,
        samples,
    } = stored.model.kept_rows()?;
    let names = stored.model.classes().unwrap_or(&[]);
    let view = samples.view();
    let rows = numbers.iter().zip(&classes).enumerate();
    let row = |(at, (&number, &class)): (usize, (&u32, &u32))| Kept {
        number: u64::from(number) + 1,
        class: names
            .get(class as usize)
            .map_or_else(String::new, ToString::to_string),
        cells: cells(&stored.frame, stored.n_inputs(), &view.row(at)),
    };
    Some(rows.map(row).collect())
}

/// A row of the model in the columns of the file.
fn cells(frame: &ModelFrame, n_inputs: usize, row: &Row<'_>) -> Vec<(String, Cell)> {
    let features = features(frame, n_inputs, row);
    let number = |f: usize| features[f].map(Cell::Number);
    let mut cells = Vec::new();
    if let Some(encoding) = &frame.encoding {
        let mut first = 0;
        for column in &encoding.columns {
            let cell = match &column.kind {
                // What categories became in training cannot be told apart again: the code is shown.
                ColumnKind::Numeric { .. } | ColumnKind::TargetCoded { .. } => number(first),
                ColumnKind::Coded { categories, .. } => features[first].and_then(|place| {
                    let category = categories.get(place.round() as usize)?;
                    Some(Cell::Word(category.clone()))
                }),
                ColumnKind::Dropped => None,
                ColumnKind::Nominal { categories, .. } => {
                    let set = |at: &usize| features[first + at].is_some_and(|x| x > 0.5);
                    let at = (0..categories.len()).find(set);
                    at.map(|at| Cell::Word(categories[at].clone()))
                }
            };
            cells.extend(cell.map(|cell| (column.name.clone(), cell)));
            first += column.kind.n_features();
        }
        return cells;
    }
    let sparse = matches!(row, Row::Sparse { .. });
    for f in 0..n_inputs {
        if sparse && features[f].is_none_or(|x| x == 0.0) {
            continue;
        }
        let named = frame.feature_names.as_ref().and_then(|names| names.get(f));
        let name = named.cloned().unwrap_or_else(|| (f + 1).to_string());
        cells.extend(number(f).map(|cell| (name, cell)));
    }
    cells
}

/// The features before scaling and weighting; `None` for those that the model does not see. Of
/// several codes of a feature the first counts.
fn features(frame: &ModelFrame, n_inputs: usize, row: &Row<'_>) -> Vec<Option<f64>> {
    let preprocessing = &frame.preprocessing;
    let chosen = preprocessing.chosen();
    let factors = preprocessing.factors();
    let places = places(frame, n_inputs);
    let mut seen = vec![0.0; chosen.map_or(places.len(), <[u32]>::len)];
    row.write_dense(&mut seen);
    let mut features = vec![None; n_inputs];
    for (at, &value) in seen.iter().enumerate() {
        let coded = chosen.map_or(at, |chosen| chosen[at] as usize);
        let value = factors.map_or(value, |factors| value / factors[at]);
        let scaler = preprocessing.scaler();
        let plain = scaler.map_or(value, |scaler| scaler.inverse(coded, value));
        let is_plain = scaler.is_none() && factors.is_none();
        features[places[coded]].get_or_insert(if is_plain { plain } else { rounded(plain) });
    }
    features
}

/// The input that each feature after coding comes from.
fn places(frame: &ModelFrame, n_inputs: usize) -> Vec<usize> {
    let Some(coding) = frame.preprocessing.coding() else {
        return (0..n_inputs).collect();
    };
    let width = coding.overall().len();
    let copies = |f: usize| match coding.codes_of(f as u32) {
        Some(_) => width,
        None => 1,
    };
    (0..n_inputs)
        .flat_map(|f| std::iter::repeat_n(f, copies(f)))
        .collect()
}

/// To twelve digits: scaling and back is exact to a few more.
fn rounded(value: f64) -> f64 {
    format!("{value:.11e}").parse().unwrap_or(value)
}
