//! `--metric`: what columns are multiplied by.

use crate::failure::Failure;
use crate::input::Input;
use crate::session::Session;
use hedgerow::data::Dataset;
use hedgerow::evaluate::Metric;
use hedgerow::params::{Parameters, Value};
use hedgerow::rank::{RankRcParams, RankWeightsParams};
use hedgerow_io::{ColumnKind, Encoding, Source};
use hedgerow_methods::{MetricChoice, MetricSource, Trainer};

/// The word for weights that rank best.
const RANKED: &str = "ranked";

/// Weights of columns, given or learned.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Metric")]
pub(crate) struct MetricArgs {
    /// Weights of the columns: none, learned (from the training rows; kept only if rows that were
    /// kept aside are answered better), ranked (for rank-rc and two classes: as they rank best, with
    /// a Gaussian kernel; kept only if cross-validation ranks better), or a file with the columns
    /// name and weight
    #[arg(long, value_name = "none|learned|ranked|FILE")]
    pub(crate) metric: Vec<String>,
    /// Learn the metric for at most about so many seconds; the result then depends on the machine
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub(crate) metric_seconds: Option<f64>,
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(value) if value > 0.0 && f64::is_finite(value) => Ok(value),
        _ => Err("expected a number above 0".to_owned()),
    }
}

/// Whether a word is what results are compared by, as `tune` has always called it.
fn is_measure(text: &str) -> bool {
    Metric::by_name(text).is_ok()
}

/// Whether a word says where weights come from.
fn is_source(text: &str) -> bool {
    text == "learned" || text == RANKED || text == "-" || std::path::Path::new(text).exists()
}

impl MetricArgs {
    /// What `tune` compares by, if it was said here.
    pub(crate) fn measure(&self) -> Option<&str> {
        let mut words = self.metric.iter().map(String::as_str);
        words.find(|text| is_measure(text))
    }

    /// The weights asked for, but for names of what `tune` compares by.
    fn wanted(&self) -> Result<Option<&str>, Failure> {
        let words: Vec<&str> = self
            .metric
            .iter()
            .map(String::as_str)
            .filter(|text| !is_measure(text))
            .collect();
        match words[..] {
            [] | ["none"] => Ok(None),
            [one] => match Metric::by_name(one) {
                Err(error) if !is_source(one) => Err(Failure::usage(format!(
                    "--metric {one}: expected none, learned, ranked or a file of weights, and there is no such file; {error}"
                ))),
                _ => Ok(Some(one)),
            },
            _ => Err(Failure::usage("--metric: name one source of weights")),
        }
    }

    /// The metric asked for, for data that have been read.
    pub(crate) fn choice(
        &self,
        session: &Session,
        input: &Input,
    ) -> Result<Option<MetricChoice>, Failure> {
        let wanted = self.wanted()?;
        if self.metric_seconds.is_some() && wanted != Some("learned") {
            return Err(Failure::usage("--metric-seconds needs --metric learned"));
        }
        let Some(text) = wanted else {
            return Ok(None);
        };
        if text == RANKED {
            let mut params = RankWeightsParams::default();
            params.seed = session.seed;
            return Ok(Some(MetricChoice {
                source: MetricSource::Ranked(params),
                groups: None,
                search: None,
                text: RANKED.to_owned(),
            }));
        }
        let data = &input.loaded.dataset;
        if text == "learned" {
            let mut choice = MetricChoice::learned(session.seed, self.metric_seconds);
            choice.groups = input.loaded.encoding.as_ref().and_then(groups);
            return Ok(Some(choice));
        }
        session.claim_input(text)?;
        Ok(Some(MetricChoice {
            source: MetricSource::Given(read_columns(text, data)?),
            groups: None,
            search: None,
            text: text.to_owned(),
        }))
    }

    /// Gives a ranker the kernel that learned weights are made for.
    pub(crate) fn prepare(&self, trainer: &mut dyn Trainer) -> Result<(), Failure> {
        if !self.metric.iter().any(|text| text == RANKED) {
            return Ok(());
        }
        if trainer.card().name != "rank-rc" {
            return Err(Failure::usage(format!(
                "--metric ranked: {} does not rank by rare rows; rank-rc does, and --metric learned works with others",
                trainer.card().name
            )));
        }
        let usual = RankRcParams::default();
        if ["kernel", "gamma"]
            .iter()
            .any(|name| trainer.get(name) != usual.get(name))
        {
            return Err(Failure::usage(
                "--metric ranked: the kernel and its width come with the weights; leave them out",
            ));
        }
        trainer.set("kernel", &Value::from("rbf(gamma=1)".to_owned()))?;
        Ok(())
    }

    /// Refuses what only `tune` compares by.
    pub(crate) fn refuse_measure(&self) -> Result<(), Failure> {
        match self.measure() {
            None => Ok(()),
            Some(name) => Err(Failure::usage(format!(
                "--metric {name}: expected none, learned, ranked or a file of weights (a file of this name: ./{name})"
            ))),
        }
    }
}

/// The columns of one nominal column share a group. `None` without nominal columns: indicators that
/// the file itself has are then looked for.
fn groups(encoding: &Encoding) -> Option<Vec<u32>> {
    let mut groups = Vec::with_capacity(encoding.n_features());
    let mut has_nominal = false;
    for (number, column) in encoding.columns.iter().enumerate() {
        has_nominal |= matches!(column.kind, ColumnKind::Nominal { .. });
        let width = column.kind.n_features();
        groups.extend(std::iter::repeat_n(number as u32, width));
    }
    has_nominal.then_some(groups)
}

/// One weight a column of the data, from a table with the columns `name` and `weight`.
fn read_columns(file: &str, data: &Dataset) -> Result<Vec<f64>, Failure> {
    let source = Source::from_argument(file);
    let bytes = source.read()?;
    let text = String::from_utf8_lossy(&bytes);
    let wrong = |line: usize, problem: String| Failure::Weights {
        name: source.name(),
        line: line + 1,
        problem,
    };
    let mut lines = text.lines().enumerate();
    let (_, head) = lines
        .next()
        .ok_or_else(|| wrong(0, "the file is empty".to_owned()))?;
    let head = cells(head);
    let place = |name: &str| head.iter().position(|cell| cell == name);
    let (Some(name_at), Some(weight_at)) = (place("name"), place("weight")) else {
        return Err(wrong(
            0,
            "expected a header with name and weight".to_owned(),
        ));
    };
    let mut weights: Vec<Option<f64>> = vec![None; data.n_features()];
    for (line, row) in lines.filter(|(_, row)| !row.trim().is_empty()) {
        let row = cells(row);
        let (Some(name), Some(weight)) = (row.get(name_at), row.get(weight_at)) else {
            return Err(wrong(line, "too few cells".to_owned()));
        };
        let weight: f64 = match weight.parse() {
            Ok(weight) if weight >= 0.0 && f64::is_finite(weight) => weight,
            _ => {
                return Err(wrong(
                    line,
                    format!("{weight:?} is no weight of at least 0"),
                ));
            }
        };
        let columns = columns_called(name, data);
        if columns.is_empty() {
            return Err(wrong(line, format!("the data have no column {name:?}")));
        }
        for f in columns {
            if weights[f].replace(weight).is_some() {
                return Err(wrong(line, format!("column {name:?} has a weight already")));
            }
        }
    }
    Ok(weights.into_iter().map(|w| w.unwrap_or(0.0)).collect())
}

/// The features of a name: its own, or all values of a nominal column; numbers from 1 without names.
fn columns_called(name: &str, data: &Dataset) -> Vec<usize> {
    let Some(names) = data.feature_names() else {
        let place = name.parse().ok().and_then(|n: usize| n.checked_sub(1));
        return place
            .filter(|&f| f < data.n_features())
            .into_iter()
            .collect();
    };
    if let Some(f) = names.iter().position(|known| known == name) {
        return vec![f];
    }
    let prefix = format!("{name}=");
    let all = names.iter().enumerate();
    all.filter(|(_, known)| known.starts_with(&prefix))
        .map(|(f, _)| f)
        .collect()
}

/// The cells of a line, which may stand in quotes.
fn cells(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = line.trim_end_matches('\r').chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                if let Some(cell) = cells.last_mut() {
                    cell.push('"');
                }
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            c => {
                if let Some(cell) = cells.last_mut() {
                    cell.push(c);
                }
            }
        }
    }
    for cell in &mut cells {
        *cell = cell.trim().to_owned();
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn quoted_cells_keep_their_commas() {
        assert_eq!(cells("1,\"a, \"\"b\"\"\", 0.5"), ["1", "a, \"b\"", "0.5"]);
    }
}
