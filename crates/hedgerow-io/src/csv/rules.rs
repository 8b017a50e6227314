//! What is asked for about single columns of a table.

use crate::HeaderProblem;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::HashMap;

/// How a column becomes features, where that is not left to its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ColumnRule {
    /// Its cells are categories, numbers too: one indicator feature for each.
    Nominal,
    /// Its cells are categories that are numbered in their order: one feature.
    Coded,
    /// Its cells are categories that training codes by the targets of their rows.
    TargetCoded,
    /// It is not read.
    Dropped,
}

impl ColumnRule {
    /// The word for messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Nominal => "nominal",
            Self::Coded => "coded",
            Self::TargetCoded => "target-coded",
            Self::Dropped => "dropped",
        }
    }
}

/// Rules for columns, by name or place.
///
/// Columns are listed with commas between them: names, positions from 1 and ranges `A..B` of either.
/// A name that could be read otherwise stands in quotes.
///
/// ```
/// use hedgerow_io::{ColumnRule, ColumnRules, ReadOptions, Source, read_dataset};
///
/// let text = "zip,size,code,y\n01,5,7,a\n02,6,7,b\n01,7,8,a\n";
/// let source = Source::Bytes { name: "t.csv".into(), bytes: text.into() };
/// let rules = ColumnRules::default().with(ColumnRule::Nominal, "zip").with(ColumnRule::Dropped, "3");
/// let loaded = read_dataset(&source, &ReadOptions::default().with_columns(rules))?;
/// let names = loaded.dataset.feature_names().unwrap_or_default();
/// assert_eq!(names, ["zip=01", "zip=02", "size"]);
/// # Ok::<(), hedgerow_io::IoError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ColumnRules {
    lists: Vec<(ColumnRule, String)>,
}

impl ColumnRules {
    /// Adds a rule for a list of columns.
    pub fn with(mut self, rule: ColumnRule, columns: &str) -> Self {
        self.lists.push((rule, columns.to_owned()));
        self
    }

    /// True if nothing is asked for.
    pub fn is_empty(&self) -> bool {
        self.lists.is_empty()
    }

    /// The rule of each column of a header; an error for a column that is not there, is the label, or
    /// has two rules.
    pub(super) fn of_columns(
        &self,
        names: &[String],
        positions: &HashMap<String, usize>,
        label: Option<usize>,
        summary: &str,
    ) -> Result<Vec<Option<ColumnRule>>, HeaderProblem> {
        let mut rules = vec![None; names.len()];
        for (rule, list) in &self.lists {
            for item in items(list) {
                let columns = match &item {
                    Item::Quoted(name) => positions.get(name).map(|&at| at..=at),
                    Item::Plain(text) => find_range(text, names.len(), positions),
                };
                let columns = columns.ok_or_else(|| HeaderProblem::NoColumn {
                    column: item.text().to_owned(),
                    rule: rule.name(),
                    header: summary.to_owned(),
                })?;
                for column in columns {
                    if label == Some(column) {
                        return Err(HeaderProblem::RuleForLabel {
                            column: names[column].clone(),
                            rule: rule.name(),
                        });
                    }
                    match rules[column].replace(*rule) {
                        Some(other) if other != *rule => {
                            return Err(HeaderProblem::TwoRules {
                                column: names[column].clone(),
                                first: other.name(),
                                second: rule.name(),
                            });
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(rules)
    }
}

/// One entry of a list.
enum Item {
    Plain(String),
    Quoted(String),
}

impl Item {
    fn text(&self) -> &str {
        match self {
            Self::Plain(text) | Self::Quoted(text) => text,
        }
    }
}

/// The entries of a list; a quote within quotes is written twice.
fn items(list: &str) -> Vec<Item> {
    let mut all = Vec::new();
    let (mut text, mut quoted, mut was_quoted) = (String::new(), false, false);
    let mut letters = list.chars().peekable();
    let mut end = |text: &mut String, was_quoted: &mut bool| {
        let whole = std::mem::take(text);
        match std::mem::take(was_quoted) {
            true => all.push(Item::Quoted(whole)),
            false if whole.trim().is_empty() => {}
            false => all.push(Item::Plain(whole.trim().to_owned())),
        }
    };
    while let Some(letter) = letters.next() {
        match letter {
            '"' if quoted && letters.peek() == Some(&'"') => {
                letters.next();
                text.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if text.trim().is_empty() => {
                text.clear();
                (quoted, was_quoted) = (true, true);
            }
            ',' if !quoted => end(&mut text, &mut was_quoted),
            ' ' if was_quoted && !quoted => {}
            other => text.push(other),
        }
    }
    end(&mut text, &mut was_quoted);
    all
}

/// The columns that a text names: a name, a position from 1, or a range of either.
fn find_range(
    text: &str,
    n_columns: usize,
    positions: &HashMap<String, usize>,
) -> Option<std::ops::RangeInclusive<usize>> {
    let find = |text: &str| {
        let by_name = positions.get(text).copied();
        by_name.or_else(|| {
            let position: usize = text.parse().ok()?;
            (1..=n_columns).contains(&position).then(|| position - 1)
        })
    };
    if let Some(at) = find(text) {
        return Some(at..=at);
    }
    let (first, last) = text.split_once("..")?;
    let (first, last) = (find(first.trim())?, find(last.trim())?);
    (first <= last).then_some(first..=last)
}

/// Puts categories that are numbered in their order: if all are numbers by value, otherwise as people
/// sort, runs of digits by the number that they are (`a2` before `a10`).
pub(super) fn sort_naturally(categories: &mut [String]) {
    let numbers: Option<Vec<f64>> = categories.iter().map(|text| number(text)).collect();
    if numbers.is_some() {
        let value = |text: &String| number(text).unwrap_or(0.0);
        categories.sort_by(|a, b| value(a).total_cmp(&value(b)).then_with(|| a.cmp(b)));
    } else {
        categories.sort_by(|a, b| natural_order(a, b));
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|value| value.is_finite())
}

fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let (m, n) = (digits(x), digits(y));
            let order = by_value(&x[..m], &y[..n]);
            (x, y) = (&x[m..], &y[n..]);
            order
        } else {
            (x, y) = (&x[1..], &y[1..]);
            p.cmp(&q)
        };
        if order.is_ne() {
            return order;
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
}

fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Compares whole numbers of any length.
fn by_value(a: &[u8], b: &[u8]) -> Ordering {
    let strip = |text: &[u8]| text.iter().take_while(|&&b| b == b'0').count();
    let (a, b) = (&a[strip(a)..], &b[strip(b)..]);
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn categories_are_sorted_as_people_do() {
        let sorted = |all: Vec<&str>| {
            let mut all: Vec<String> = all.into_iter().map(str::to_owned).collect();
            sort_naturally(&mut all);
            all
        };
        assert_eq!(
            sorted(vec!["10", "9", "-1", "2.5"]),
            ["-1", "2.5", "9", "10"]
        );
        assert_eq!(
            sorted(vec!["f 100-199", "f 50-99", "f 0", "f 1-49"]),
            ["f 0", "f 1-49", "f 50-99", "f 100-199"]
        );
        assert_eq!(
            sorted(vec!["11 - 23%", "0%", "1 - 10%", "100%"]),
            ["0%", "1 - 10%", "11 - 23%", "100%"]
        );
        assert_eq!(sorted(vec!["b", "a", "a10", "a2"]), ["a", "a2", "a10", "b"]);
    }

    fn texts() -> impl Strategy<Value = String> {
        "[a0-9 .-]{0,4}"
    }

    proptest! {
        #[test]
        fn the_order_contradicts_itself_nowhere(mut all in prop::collection::vec(texts(), 1..12)) {
            all.sort_by(|a, b| natural_order(a, b));
            for i in 0..all.len() {
                for j in i..all.len() {
                    let order = natural_order(&all[i], &all[j]);
                    prop_assert!(order.is_le(), "{:?} {:?}", all[i], all[j]);
                    prop_assert_eq!(order.reverse(), natural_order(&all[j], &all[i]));
                }
            }
        }
    }

    #[test]
    fn lists_have_names_positions_and_ranges() {
        let names = ["a", "b,c", "3", "d", "e"].map(str::to_owned);
        let positions: HashMap<String, usize> = names
            .iter()
            .cloned()
            .enumerate()
            .map(|(i, n)| (n, i))
            .collect();
        let find = |list: &str| {
            let rules = ColumnRules::default().with(ColumnRule::Dropped, list);
            let found = rules.of_columns(&names, &positions, Some(4), "a, …");
            found.map(|all| {
                let places = (1..=5).filter(|&at| all[at - 1].is_some());
                places.map(|at: usize| at.to_string()).collect::<String>()
            })
        };
        assert_eq!(find("a,4").as_deref(), Ok("14"));
        assert_eq!(find("\"b,c\" , d").as_deref(), Ok("24"));
        // A name goes before a position.
        assert_eq!(find("3").as_deref(), Ok("3"));
        assert_eq!(find("2..d, ").as_deref(), Ok("234"));
        assert_eq!(find("").as_deref(), Ok(""));
        for wrong in ["6", "0", "x", "d..a", "..", "\"4\"", "1..9"] {
            assert!(
                matches!(find(wrong), Err(HeaderProblem::NoColumn { .. })),
                "{wrong}"
            );
        }
        assert!(matches!(
            find("d..e"),
            Err(HeaderProblem::RuleForLabel { .. })
        ));
        let rules = ColumnRules::default()
            .with(ColumnRule::Coded, "a")
            .with(ColumnRule::Nominal, "1");
        let found = rules.of_columns(&names, &positions, None, "");
        assert!(matches!(found, Err(HeaderProblem::TwoRules { .. })));
    }
}
