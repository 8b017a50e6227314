//! What a person should know of the data before the work starts.

use crate::args::ColumnArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::session::Session;
use hedgerow::data::{ClassLabels, Dataset, SamplesView, Target};
use hedgerow::method::Task;
use hedgerow_io::{ColumnKind, ColumnRule, ColumnRules, Encoding};

/// Rows below which nothing is suspicious.
const FEWEST: usize = 20;
/// Texts in a column that may all be different without being suspicious.
const FEW_TEXTS: usize = 50;
/// Names that a message lists.
const LISTED: usize = 5;
/// A class with fewer rows can hardly be learned or tested.
const TINY_CLASS: usize = 5;
/// Share of the rarer of two classes below which accuracy says little.
const RARE: f64 = 0.05;
/// Values up to which rows are compared with each other.
const MOST_COMPARED: usize = 100_000_000;

/// Looks at columns of texts that can only mislead. Returns the rules that leave them out, if there
/// are any.
pub(crate) fn columns(
    session: &Session,
    input: &Input,
    args: &ColumnArgs,
) -> Result<Option<ColumnRules>, Failure> {
    let Some(encoding) = &input.loaded.encoding else {
        return Ok(None);
    };
    let n_rows = input.loaded.dataset.n_rows();
    let mut rules = args.rules();
    let asked = !rules.is_empty();
    let mut better = false;
    for column in &encoding.columns {
        let ColumnKind::Nominal { categories, .. } = &column.kind else {
            continue;
        };
        if asked && args.names_as_nominal(&column.name) {
            continue;
        }
        let share = |is: fn(&str) -> bool| {
            categories.iter().filter(|text| is(text)).count() as f64
                / categories.len().max(1) as f64
        };
        let example = categories.first().map_or("", String::as_str);
        if categories.len() >= 3 && share(has_decimal_comma) >= 0.9 {
            return Err(Failure::Model {
                name: input.name.clone(),
                problem: format!(
                    "column {:?} has {} different texts such as {example:?}, which look like numbers with a decimal comma: add --decimal , (or --nominal {0} if they are categories)",
                    column.name,
                    categories.len()
                ),
            });
        }
        if n_rows < FEWEST || categories.len() <= FEW_TEXTS || 2 * categories.len() <= n_rows {
            continue;
        }
        let what = if share(is_date) >= 0.9 {
            "dates or times (numbers made of them, such as year, month and weekday, could be learned from)"
        } else {
            "names or free text"
        };
        session.warn(format_args!(
            "{}: column {:?} is left out: {} different texts in {n_rows} rows, such as {example:?}, look like {what}; --nominal {1} reads them as categories",
            input.name,
            column.name,
            categories.len()
        ));
        rules = rules.with(ColumnRule::Dropped, &quoted(&column.name));
        better = true;
    }
    Ok(better.then_some(rules))
}

/// A name in a list of columns.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Looks at classes, columns and rows that promise trouble.
pub(crate) fn rows(session: &Session, input: &Input, task: Task) -> Result<(), Failure> {
    if input.loaded.precomputed {
        return Ok(());
    }
    let data = &input.loaded.dataset;
    let labels = match data.target() {
        Target::Classes(labels) if task == Task::Classes => Some(labels),
        _ => None,
    };
    if let Some(labels) = labels {
        classes(session, &input.name, labels)?;
    }
    let names = Names {
        data,
        encoding: input.loaded.encoding.as_ref(),
    };
    constant_columns(session, &input.name, &names);
    if data.n_rows() < FEWEST {
        return Ok(());
    }
    row_numbers(session, &input.name, &names);
    if let Some(labels) = labels {
        copies_of_the_label(session, &input.name, &names, labels);
        contradictions(session, &input.name, data);
    }
    Ok(())
}

fn classes(session: &Session, name: &str, labels: &ClassLabels) -> Result<(), Failure> {
    let counts = labels.counts();
    let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
    if let &[only] = &present[..] {
        return Err(Failure::Model {
            name: name.to_owned(),
            problem: format!(
                "all {} rows are of class {}: to tell classes apart rows of at least two are needed (one-class learns from rows of one)",
                counts[only],
                labels.names()[only]
            ),
        });
    }
    let total: usize = counts.iter().sum();
    let tiny: Vec<String> = present
        .iter()
        .filter(|&&c| counts[c] < TINY_CLASS && total >= FEWEST)
        .map(|&c| format!("{} ({})", labels.names()[c], counts[c]))
        .collect();
    if !tiny.is_empty() {
        session.warn(format_args!(
            "{name}: classes with hardly any rows can neither be learned nor tested: {}",
            listed(&tiny)
        ));
    }
    if let &[a, b] = &present[..] {
        let rare = if counts[a] < counts[b] { a } else { b };
        if (counts[rare] as f64) < RARE * total as f64 {
            session.warn(format_args!(
                "{name}: class {} has {} of {total} rows: accuracy says little, look at recall and AUC; rank-rc and --class-weight are made for it",
                labels.names()[rare], counts[rare]
            ));
        }
    }
    Ok(())
}

/// Features as the file calls them.
struct Names<'a> {
    data: &'a Dataset,
    encoding: Option<&'a Encoding>,
}

impl Names<'_> {
    fn of(&self, f: usize) -> String {
        match self.data.feature_names() {
            Some(names) => names[f].clone(),
            None => (f + 1).to_string(),
        }
    }

    /// True if the feature is a column of numbers.
    fn is_number(&self, f: usize) -> bool {
        let Some(encoding) = self.encoding else {
            return true;
        };
        let mut first = 0;
        for column in &encoding.columns {
            let width = column.kind.n_features();
            if f < first + width {
                return matches!(column.kind, ColumnKind::Numeric { .. });
            }
            first += width;
        }
        true
    }
}

fn constant_columns(session: &Session, name: &str, names: &Names<'_>) {
    let view = names.data.samples().view();
    // Unused indices of LIBSVM text are no columns that anyone wrote.
    if names.encoding.is_none() || view.n_rows() < 2 {
        return;
    }
    let ranges = ranges(view);
    let constant: Vec<String> = (0..ranges.len())
        .filter(|&f| ranges[f].0 == ranges[f].1)
        .map(|f| names.of(f))
        .collect();
    if !constant.is_empty() {
        session.warn(format_args!(
            "{name}: columns with one value only say nothing: {}",
            listed(&constant)
        ));
    }
}

/// Smallest and largest value of every feature.
fn ranges(view: SamplesView<'_>) -> Vec<(f64, f64)> {
    let mut seen = vec![(0usize, f64::INFINITY, f64::NEG_INFINITY); view.n_features()];
    for i in 0..view.n_rows() {
        view.row(i).for_each(|f, value| {
            let (count, min, max) = &mut seen[f];
            *count += 1;
            *min = min.min(value);
            *max = max.max(value);
        });
    }
    let whole = |(count, min, max): (usize, f64, f64)| match count {
        full if full == view.n_rows() => (min, max),
        _ => (min.min(0.0), max.max(0.0)),
    };
    seen.into_iter().map(whole).collect()
}

/// Numbers of rows: all different, whole, without gaps.
fn row_numbers(session: &Session, name: &str, names: &Names<'_>) {
    let SamplesView::Dense {
        n_rows,
        n_features,
        values,
    } = names.data.samples().view()
    else {
        return;
    };
    let ranges = ranges(names.data.samples().view());
    for (f, &(min, max)) in ranges.iter().enumerate() {
        if max - min != (n_rows - 1) as f64 || min.fract() != 0.0 || !names.is_number(f) {
            continue;
        }
        let mut seen = vec![false; n_rows];
        let all_differ = values.iter().skip(f).step_by(n_features).all(|&value| {
            let at = (value - min) as usize;
            value.fract() == 0.0 && !std::mem::replace(&mut seen[at], true)
        });
        if all_differ {
            session.warn(format_args!(
                "{name}: column {:?} numbers the rows from {min} to {max}: if it is no measurement, add --ignore {0}",
                names.of(f)
            ));
        }
    }
}

/// Columns of numbers of which a few thresholds tell the class of every row.
fn copies_of_the_label(session: &Session, name: &str, names: &Names<'_>, labels: &ClassLabels) {
    let view = names.data.samples().view();
    let SamplesView::Dense { n_features, .. } = view else {
        return;
    };
    let counts = labels.counts();
    let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
    if present.iter().any(|&c| counts[c] < TINY_CLASS) {
        return;
    }
    let none = (f64::INFINITY, f64::NEG_INFINITY);
    let mut ranges = vec![none; n_features * counts.len()];
    for (i, &code) in labels.codes().iter().enumerate() {
        view.row(i).for_each(|f, value| {
            let range = &mut ranges[f * counts.len() + code as usize];
            *range = (range.0.min(value), range.1.max(value));
        });
    }
    let copies: Vec<String> = (0..n_features)
        .filter(|&f| {
            let of = &ranges[f * counts.len()..(f + 1) * counts.len()];
            let mut of: Vec<(f64, f64)> = present.iter().map(|&c| of[c]).collect();
            of.sort_by(|a, b| a.0.total_cmp(&b.0));
            of.windows(2).all(|pair| pair[0].1 < pair[1].0)
        })
        .map(|f| names.of(f))
        .collect();
    if !copies.is_empty() {
        session.warn(format_args!(
            "{name}: the class of every row can be told from one column alone: {}; if it copies the label, or is known only afterwards, add --ignore",
            listed(&copies)
        ));
    }
}

fn contradictions(session: &Session, name: &str, data: &Dataset) {
    if data.n_rows().saturating_mul(data.n_features()) > MOST_COMPARED {
        return;
    }
    let repeats = data.repeats();
    if repeats.contradictions > 0 {
        session.warn(format_args!(
            "{name}: {} rows have the features of others but another class, in {} groups: no method can be right on all of them",
            repeats.contradicting_rows, repeats.contradictions
        ));
    }
}

/// The first of some names, and how many there are.
fn listed(names: &[String]) -> String {
    let mut text = names[..names.len().min(LISTED)].join(", ");
    if names.len() > LISTED {
        text = format!("{text} and {} more", names.len() - LISTED);
    }
    text
}

fn has_decimal_comma(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some((whole, decimals)) = digits.split_once(',') else {
        return false;
    };
    let are_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    are_digits(whole) && are_digits(decimals)
}

/// `2024-03-01`, `01.03.2024`, `3/1/24`, `2024-03-01T10:00:00Z`, `10:00`.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text
        .split(['-', '.', '/', ':', ' ', 'T', 'Z', '+'])
        .filter(|part| !part.is_empty())
        .collect();
    let are_digits =
        |part: &&str| part.bytes().all(|byte| byte.is_ascii_digit()) && part.len() <= 9;
    (2..=8).contains(&parts.len()) && parts.iter().all(are_digits) && text.len() >= 5
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_and_commas_are_known() {
        for date in [
            "2024-03-01",
            "01.03.2024",
            "3/1/24",
            "2024-03-01T10:00:00Z",
            "10:15",
        ] {
            assert!(is_date(date), "{date}");
        }
        for other in ["abc", "2024", "a-1", "1.5", "12-b"] {
            assert!(!is_date(other), "{other}");
        }
        assert!(has_decimal_comma("3,14") && has_decimal_comma("-0,5"));
        assert!(
            !has_decimal_comma("3.14") && !has_decimal_comma("1,2,3") && !has_decimal_comma(",")
        );
    }
}
