//! The reference page: all parameters of all methods.

use crate::registry::{Method, all};
use hedgerow::method::Task;
use hedgerow::params::{Kind, Parameter, Value};
use std::fmt::Write as _;

const HEAD: &str = "# Parameters of all methods

Every method has one table of parameters. The program's options, the names that `tune --grid`
takes, the arguments in Python, the fields of the Rust structs and the entries that `inspect` prints
all come from it. An option is the name with dashes: `cache_mb` is `--cache-mb`. Letters are
LIBSVM's and LIBLINEAR's where those have one.

This page is made from the same tables.
";

/// The page.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    for method in all() {
        section(&mut page, method);
    }
    page
}

fn section(page: &mut String, method: &Method) {
    let card = method.card;
    let learns = match card.task {
        Task::Classes => "classes",
        Task::Real => "real targets",
        Task::Unlabelled => "rows without labels",
    };
    let trainer = method.defaults();
    let table = trainer.table();
    // Writing to a text cannot fail.
    let _ = write!(
        page,
        "\n## {}\n\n{}. Learns from {learns}; Python: `{}`; explained in [the guide]({}.md).",
        card.name, card.about, card.python.name, card.page
    );
    if !card.grid.is_empty() {
        let axes: Vec<String> = card.grid.iter().map(|axis| format!("`{axis}`")).collect();
        let _ = write!(
            page,
            " `tune` tries {} unless told otherwise.",
            axes.join(" × ")
        );
    }
    page.push_str("\n\n| name | letter | Python | default | values | tuned | meaning |\n");
    page.push_str("|---|---|---|---|---|---|---|\n");
    for row in &table {
        let value = trainer.get(row.name).unwrap_or(Value::Nothing);
        let letter = row.short.or(row.switch);
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} | {} | {} | {} |",
            row.name,
            letter.map_or(String::new(), |letter| format!("`-{letter}`")),
            row.python
                .map_or(String::new(), |python| format!("`{}`", python.name)),
            default(row, &value),
            values(row),
            if row.tunable { "yes" } else { "" },
            row.about.replace('|', "\\|"),
        );
    }
    for row in &table {
        if let Kind::Words(words) = row.kind {
            let words = words
                .iter()
                .map(|word| format!("`{}`: {}", word.name, word.about));
            let words: Vec<String> = words.collect();
            let _ = write!(page, "\n`{}` — {}\n", row.name, words.join(" "));
        }
    }
}

fn default(row: &Parameter, value: &Value) -> String {
    match (value, row.unless) {
        (Value::Table(_), _) => String::new(),
        (Value::Nothing, Some(unless)) => unless.to_owned(),
        (Value::Nothing, None) => "none".to_owned(),
        (value, _) => format!("`{value}`"),
    }
}

fn values(row: &Parameter) -> String {
    match (row.requirement, row.kind) {
        (Some(requirement), _) => requirement.to_owned(),
        (None, Kind::Words(words)) => {
            let words: Vec<String> = words
                .iter()
                .map(|word| format!("`{}`", word.name))
                .collect();
            words.join(", ")
        }
        (None, Kind::Flag) => "yes or no".to_owned(),
        (None, kind) => kind.requirement(),
    }
}
