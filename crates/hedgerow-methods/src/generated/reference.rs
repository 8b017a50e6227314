//! The reference page: all parameters of all methods.

use crate::editors::editors;
use crate::registry::{Method, all};
use crate::trainer::Settings;
use hedgerow::clean::Purpose;
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

const EDITORS: &str = "
# Editors of rows

`hedgerow clean` and `hedgerow resample` take their options from tables of the same kind. `train`,
`cv` and `tune` take an editor with its options as one text: `--clean falknr:neighbours=500`.
";

/// The page.
pub fn reference() -> String {
    let mut page = HEAD.to_owned();
    page.push_str("\n## Methods\n\n| method | what it is | page |\n|---|---|---|\n");
    for method in all() {
        let card = method.card;
        // Writing to a text cannot fail.
        let _ = writeln!(
            page,
            "| `{0}` | {1} | [{2}]({2}.md) |",
            card.name, card.about, card.page
        );
    }
    for method in all() {
        section(&mut page, method);
    }
    page.push_str(EDITORS);
    for method in editors() {
        let card = method.card;
        let (verb, page_of) = match card.purpose {
            Purpose::Clean => ("clean", "cleaning"),
            Purpose::Resample => ("resample", "resampling"),
        };
        // Writing to a text cannot fail.
        let _ = write!(
            page,
            "\n## {verb} {}\n\n{}. Python: `{}`; explained in [the guide]({page_of}.md).",
            card.name, card.about, card.python
        );
        parameters(&mut page, &*method.defaults());
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
    parameters(page, &*method.defaults());
}

/// The table of parameters, then the words that some take.
fn parameters(page: &mut String, settings: &dyn Settings) {
    let table = settings.table();
    page.push_str("\n\n| name | letter | Python | default | values | tuned | meaning |\n");
    page.push_str("|---|---|---|---|---|---|---|\n");
    for row in &table {
        let value = settings.get(row.name).unwrap_or(Value::Nothing);
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
