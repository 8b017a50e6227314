//! What `clean` tells about the rows that it removes, and how methods overlap.

use super::edit::Edited;
use crate::failure::Failure;
use crate::table;
use hedgerow::clean::{Evidence, evidence};
use hedgerow::neighbours::Neighbour;
use hedgerow_methods::RowEditor;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// Characters of a line that a page shows.
const SHOWN_CHARACTERS: usize = 200;
/// Removed rows that a page shows, the most suspicious first.
const SHOWN_ROWS: usize = 500;

/// The removed rows, the most suspicious first, with their nearest rows.
pub(super) struct Report<'a> {
    edited: &'a Edited<'a>,
    rows: Vec<u32>,
    evidence: Vec<Evidence>,
}

impl<'a> Report<'a> {
    pub(super) fn new(edited: &'a Edited<'a>, count: usize) -> Result<Self, Failure> {
        let mut rows: Vec<u32> = edited.edit.removed().iter().map(|&i| i as u32).collect();
        if let Some(opinions) = &edited.edit.opinions {
            rows.sort_by(|&a, &b| {
                let trust = |row: u32| opinions[row as usize].trust;
                trust(a).total_cmp(&trust(b)).then(a.cmp(&b))
            });
        }
        let seen = edited.seen();
        let codes = seen.classes()?.codes();
        let evidence = if rows.is_empty() || count == 0 {
            Vec::new()
        } else {
            evidence(seen.samples().view(), codes, &rows, count)?
        };
        Ok(Self {
            edited,
            rows,
            evidence,
        })
    }

    fn label(&self, code: u32) -> String {
        let labels = self.edited.data().classes();
        labels.map_or_else(
            |_| code.to_string(),
            |labels| labels.names()[code as usize].to_string(),
        )
    }

    fn own(&self, row: u32) -> String {
        let labels = self.edited.data().classes();
        labels.map_or_else(
            |_| String::new(),
            |labels| self.label(labels.codes()[row as usize]),
        )
    }

    fn opinion(&self, row: u32) -> (String, String) {
        match &self.edited.edit.opinions {
            Some(opinions) => {
                let opinion = opinions[row as usize];
                (format!("{:.6}", opinion.trust), self.label(opinion.label))
            }
            None => (String::new(), String::new()),
        }
    }

    fn near(&self, list: &[Neighbour], with_label: bool) -> String {
        let one = |found: &Neighbour| {
            let distance = table::number(found.distance);
            if with_label {
                let label = self.own(found.row);
                format!("{}:{label}:{distance}", found.row + 1)
            } else {
                format!("{}:{distance}", found.row + 1)
            }
        };
        list.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    /// Every row with what is thought of it.
    pub(super) fn scores(&self) -> String {
        let mut text = String::from("row,label,trust,suggested,kept\n");
        for (row, &kept) in (0u32..).zip(&self.edited.edit.keep) {
            let (trust, suggested) = self.opinion(row);
            let own = cell(&self.own(row));
            let suggested = cell(&suggested);
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "{},{own},{trust},{suggested},{}",
                row + 1,
                u8::from(kept)
            );
        }
        text
    }

    /// The removed rows as a table.
    pub(super) fn csv(&self) -> String {
        let mut text = String::from("row,label,trust,suggested,nearest_same,nearest_other\n");
        for (at, &row) in self.rows.iter().enumerate() {
            let (trust, suggested) = self.opinion(row);
            let (same, other) = self
                .evidence
                .get(at)
                .map_or_else(Default::default, |found| {
                    (self.near(&found.same, false), self.near(&found.other, true))
                });
            let _ = writeln!(
                text,
                "{},{},{trust},{},{},{}",
                row + 1,
                cell(&self.own(row)),
                cell(&suggested),
                cell(&same),
                cell(&other)
            );
        }
        text
    }

    /// The line of a row, cut to what a page can show.
    fn line(&self, row: u32) -> String {
        let Some(lines) = self.edited.lines() else {
            return String::new();
        };
        let text = String::from_utf8_lossy(lines.row(row as usize)).into_owned();
        let text = text.trim_end();
        let mut cut: String = text.chars().take(SHOWN_CHARACTERS).collect();
        if cut.len() < text.len() {
            cut.push('…');
        }
        escaped(&cut)
    }

    /// The removed rows as a page.
    pub(super) fn page(&self) -> String {
        let data = self.edited.data();
        let name = escaped(&self.edited.input.name);
        let method = self.edited.editor.card().name;
        let mut body = format!(
            "<h1>{name}: {} of {} rows removed by {method}</h1>\n",
            self.rows.len(),
            data.n_rows()
        );
        body.push_str("<p>The most suspicious rows first. Trust is how well the neighbourhood supports the label, from 0 to 1. Below each row stand the nearest rows of the same label and of other labels, with their distances.</p>\n");
        if self.rows.len() > SHOWN_ROWS {
            let _ = writeln!(body, "<p>The first {SHOWN_ROWS} are shown.</p>");
        }
        for (at, &row) in self.rows.iter().take(SHOWN_ROWS).enumerate() {
            let (trust, suggested) = self.opinion(row);
            let argued = if suggested.is_empty() {
                String::new()
            } else {
                format!(
                    ", trust {trust}, argued for: <b>{}</b>",
                    escaped(&suggested)
                )
            };
            let own = escaped(&self.own(row));
            let _ = writeln!(
                body,
                "<h2>row {}: label <b>{own}</b>{argued}</h2>\n<table>\n<tr class=\"own\"><td>{}</td><td></td><td>{own}</td><td><code>{}</code></td></tr>",
                row + 1,
                row + 1,
                self.line(row)
            );
            let Some(found) = self.evidence.get(at) else {
                body.push_str("</table>\n");
                continue;
            };
            for (class, list) in [("same", &found.same), ("other", &found.other)] {
                for near in list {
                    let _ = writeln!(
                        body,
                        "<tr class=\"{class}\"><td>{}</td><td>{}</td><td>{}</td><td><code>{}</code></td></tr>",
                        near.row + 1,
                        table::number(near.distance),
                        escaped(&self.own(near.row)),
                        self.line(near.row)
                    );
                }
            }
            body.push_str("</table>\n");
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{name}: removed rows</title>\n<style>body{{font:15px/1.4 sans-serif;max-width:70em;margin:2em auto;padding:0 1em}}h2{{font-size:1em;font-weight:normal;margin:1.5em 0 .3em}}table{{border-collapse:collapse;width:100%}}td{{padding:.15em .6em;border-bottom:1px solid #ddd;vertical-align:top}}td:first-child,td:nth-child(2){{text-align:right;white-space:nowrap;color:#666}}code{{word-break:break-all}}.own{{background:#fff3cd}}.same{{background:#e7f1fb}}.other{{background:#fbe9e7}}</style></head>\n<body>\n{body}</body></html>\n"
        )
    }
}

/// A cell of a CSV file.
fn cell(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// How far methods remove the same rows.
pub(super) struct Overlap {
    names: Vec<String>,
    /// Whether each method removes each row.
    removed: Vec<Vec<bool>>,
}

impl Overlap {
    pub(super) fn new(
        edited: &Edited<'_>,
        others: &[(String, Box<dyn RowEditor>)],
    ) -> Result<Self, Failure> {
        let flags = |keep: &[bool]| keep.iter().map(|&kept| !kept).collect();
        let mut names = vec![edited.editor.card().name.to_owned()];
        let mut removed: Vec<Vec<bool>> = vec![flags(&edited.edit.keep)];
        for (text, editor) in others {
            let edit = editor
                .edit(edited.seen())
                .map_err(Failure::data(&edited.input.name))?;
            names.push(text.clone());
            removed.push(flags(&edit.keep));
        }
        Ok(Self { names, removed })
    }

    /// Removed rows of a method, those that all methods remove, those that no other does.
    fn counts(&self, method: usize) -> (usize, usize, usize) {
        let mine = &self.removed[method];
        let n = mine.len();
        let others = |row: usize| {
            let of = |m: &usize| self.removed[*m][row];
            (0..self.removed.len())
                .filter(|&m| m != method)
                .filter(of)
                .count()
        };
        let total = (0..n).filter(|&row| mine[row]).count();
        let all = self.removed.len() - 1;
        let shared = (0..n)
            .filter(|&row| mine[row] && others(row) == all)
            .count();
        let only = (0..n).filter(|&row| mine[row] && others(row) == 0).count();
        (total, shared, only)
    }

    /// Reduction, and the shares that all and no others remove too.
    pub(super) fn table(&self) -> String {
        let head = ["method", "removed", "%", "by all", "by no other"].map(str::to_owned);
        let n = self.removed[0].len().max(1) as f64;
        let rows: Vec<Vec<String>> = (0..self.names.len())
            .map(|method| {
                let (total, shared, only) = self.counts(method);
                let share = |count: usize| format!("{:.3}", count as f64 / total.max(1) as f64);
                vec![
                    self.names[method].clone(),
                    total.to_string(),
                    format!("{:.1}", 100.0 * total as f64 / n),
                    share(shared),
                    share(only),
                ]
            })
            .collect();
        table::render(&head, &rows)
    }

    pub(super) fn value(&self) -> Value {
        let one = |method: usize| {
            let (removed, shared, only) = self.counts(method);
            json!({"method": self.names[method], "removed": removed, "by_all": shared, "by_no_other": only})
        };
        (0..self.names.len()).map(one).collect()
    }
}
