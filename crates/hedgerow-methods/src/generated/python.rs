//! The estimators and editors of rows of the Python package.

use super::wrapped;
use crate::editors::{EditorMethod, editors as all_editors};
use crate::registry::{Method, all};
use crate::trainer::Settings;
use hedgerow::method::{PythonParameter, Task};
use hedgerow::params::{Kind, Parameter, Value};
use std::fmt::Write as _;

const HEAD: &str = "\"\"\"The estimators: one class a method.

Made from the tables of parameters by ``cargo run -p hedgerow-methods --example generate``; a test
fails when this file lags. What estimators do stands in ``_base.py`` and its neighbours.
\"\"\"

from __future__ import annotations

from typing import Any

";

const EDITORS_HEAD: &str = "\"\"\"Editors of rows: one class a method.

Made from the tables of parameters by ``cargo run -p hedgerow-methods --example generate``; a test
fails when this file lags. What editors do stands in ``_clean.py``.
\"\"\"

from __future__ import annotations

from typing import Any

from ._base import Parameter
from ._clean import Editor

";

/// What editors learn.
const EDITED: &[(&str, &str)] = &[
    (
        "sample_indices_ : ndarray of int",
        "Rows that stay, ascending.",
    ),
    (
        "trust_ : ndarray of float or None",
        "How well the neighbourhood of each row supports its label, from 0 to 1; ``None`` if the \
         method does not judge single rows.",
    ),
    (
        "suggested_ : ndarray or None",
        "The label that the neighbourhood of each row argues for.",
    ),
    (
        "facts_ : dict",
        "Named numbers that the method found on the way.",
    ),
];

/// Widest line of a docstring.
const WIDTH: usize = 96;

/// An argument of a constructor.
struct Argument {
    name: String,
    /// Name of the parameter in the registry; empty for arguments that only Python has.
    native: String,
    form: String,
    annotation: String,
    default: String,
    /// Whether the default is another one than the method's, so that it must be handed over.
    differs: bool,
    about: String,
}

/// The module.
pub fn estimators() -> String {
    let mut methods: Vec<&Method> = all().iter().collect();
    methods.sort_by_key(|method| method.card.python.name);
    let mut bases: Vec<&str> = methods.iter().map(|method| base(method)).collect();
    bases.sort_unstable();
    bases.dedup();
    let mut text = HEAD.to_owned();
    text.push_str("from ._base import Parameter\nfrom ._kinds import (\n");
    for base in bases {
        let _ = writeln!(text, "    {base},");
    }
    text.push_str(")\n\n__all__ = [\n");
    for method in &methods {
        let _ = writeln!(text, "    \"{}\",", method.card.python.name);
    }
    text.push_str("]\n");
    for method in &methods {
        let card = method.card;
        let mut attributes: Vec<(&str, &str)> = Vec::new();
        if card.task == Task::Classes {
            attributes.push(("classes_ : ndarray", "The classes, sorted."));
        }
        attributes.extend(card.python.attributes);
        class(
            &mut text,
            &Class {
                name: card.python.name,
                base: base(method),
                about: card.python.about,
                method: card.name,
                arguments: arguments(&*method.defaults(), card.python.extra),
                attributes,
            },
        );
    }
    text
}

/// The module of the editors of rows.
pub fn editors() -> String {
    let mut methods: Vec<&EditorMethod> = all_editors().iter().collect();
    methods.sort_by_key(|method| method.card.python);
    let mut text = EDITORS_HEAD.to_owned();
    text.push_str("__all__ = [\n");
    for method in &methods {
        let _ = writeln!(text, "    \"{}\",", method.card.python);
    }
    text.push_str("]\n");
    for method in &methods {
        let about = format!("{}.", method.card.about);
        class(
            &mut text,
            &Class {
                name: method.card.python,
                base: "Editor",
                about: &about,
                method: method.card.name,
                arguments: arguments(&*method.defaults(), &[]),
                attributes: EDITED.to_vec(),
            },
        );
    }
    text
}

/// A class of the package.
struct Class<'a> {
    name: &'a str,
    base: &'a str,
    /// Paragraphs, divided by empty lines.
    about: &'a str,
    /// Name in the registry.
    method: &'a str,
    arguments: Vec<Argument>,
    attributes: Vec<(&'a str, &'a str)>,
}

fn base(method: &Method) -> &'static str {
    match (method.card.python.base, method.card.task) {
        ("", Task::Classes) => "Classifier",
        ("", Task::Real) => "Regressor",
        ("", Task::Unlabelled) => "OutlierDetector",
        (base, _) => base,
    }
}

fn class(text: &mut String, class: &Class<'_>) {
    let Class {
        arguments,
        attributes,
        ..
    } = class;
    let _ = write!(
        text,
        "\n\nclass {}({}):\n    \"\"\"",
        class.name, class.base
    );
    for (at, paragraph) in class.about.split("\n\n").enumerate() {
        let lines = wrapped(paragraph, WIDTH - 3);
        let _ = writeln!(
            text,
            "{}{}",
            if at == 0 { "" } else { "\n    " },
            lines.join("\n    ")
        );
    }
    text.push_str("\n    Parameters\n    ----------\n");
    for argument in arguments {
        let _ = writeln!(text, "    {} : {}", argument.name, argument.form);
        for line in wrapped(&argument.about, WIDTH - 8) {
            let _ = writeln!(text, "        {line}");
        }
    }
    if !attributes.is_empty() {
        text.push_str("\n    Attributes\n    ----------\n");
        for (name, about) in attributes {
            let _ = writeln!(text, "    {name}");
            for line in wrapped(about, WIDTH - 8) {
                let _ = writeln!(text, "        {line}");
            }
        }
    }
    let _ = write!(
        text,
        "    \"\"\"\n\n    _method = \"{}\"\n    _parameters = (\n",
        class.method
    );
    for argument in arguments.iter().filter(|one| !one.native.is_empty()) {
        let Argument {
            name,
            native,
            default,
            differs,
            ..
        } = argument;
        let differs = if *differs { "True" } else { "False" };
        let _ = writeln!(
            text,
            "        Parameter(\"{name}\", \"{native}\", {default}, {differs}),"
        );
    }
    text.push_str("    )\n\n    def __init__(\n        self,\n        *,\n");
    for Argument {
        name,
        annotation,
        default,
        ..
    } in arguments
    {
        let _ = writeln!(text, "        {name}: {annotation} = {default},");
    }
    text.push_str("    ) -> None:\n");
    for Argument { name, .. } in arguments {
        let _ = writeln!(text, "        self.{name} = {name}");
    }
}

fn arguments(settings: &dyn Settings, only_python: &[PythonParameter]) -> Vec<Argument> {
    let table = settings.table();
    let mut all: Vec<Argument> = table
        .iter()
        .filter_map(|row| of_row(settings, row))
        .collect();
    // The seed stands after the parameters that only Python has, as in scikit-learn.
    let seed = all
        .iter()
        .position(|one| one.native == "seed")
        .map(|at| all.remove(at));
    let weighs = |row: &Parameter| row.kind == Kind::ClassWeights && row.python.is_some();
    if table.iter().any(weighs) {
        let form = "dict or \"balanced\", optional";
        all.push(extra(
            "class_weight",
            form,
            "Any",
            "None",
            "Factors of the weights of classes.",
        ));
    }
    for one in only_python {
        all.push(extra(
            one.name,
            one.form,
            one.annotation,
            one.default,
            one.about,
        ));
    }
    all.extend(seed);
    all.push(extra(
        "n_jobs",
        "int, optional",
        "int | None",
        "None",
        "Threads; -1 is one a core. ``None`` is 1 inside a joblib worker, otherwise the environment \
         variable ``RAYON_NUM_THREADS`` or one a core. Results do not depend on it.",
    ));
    all
}

/// An argument that only Python has; a form that does not say that it may be left out gets its
/// default.
fn extra(name: &str, form: &str, annotation: &str, default: &str, about: &str) -> Argument {
    let form = if form.contains("optional") {
        form.to_owned()
    } else {
        format!("{form}, default={default}")
    };
    Argument {
        name: name.to_owned(),
        native: String::new(),
        form,
        annotation: annotation.to_owned(),
        default: default.to_owned(),
        differs: false,
        about: about.to_owned(),
    }
}

fn of_row(settings: &dyn Settings, row: &Parameter) -> Option<Argument> {
    // Weights of classes become weights of rows, which is scikit-learn's way: see `arguments`.
    let python = row.python.filter(|_| row.kind != Kind::ClassWeights)?;
    let value = settings.get(row.name).unwrap_or(Value::Nothing);
    if row.name == "seed" {
        return Some(Argument {
            name: python.name.to_owned(),
            native: row.name.to_owned(),
            form: "int or RandomState, optional".to_owned(),
            annotation: "Any".to_owned(),
            default: "None".to_owned(),
            differs: false,
            about: row.about.to_owned(),
        });
    }
    let own = literal(row, &value);
    let default = python.default.map_or(own.clone(), ToOwned::to_owned);
    let may_be_none = value == Value::Nothing && default == python.none.unwrap_or("None");
    let is_calibration = row.name == "probability" && row.kind == Kind::Flag;
    let (word, annotation) = if is_calibration {
        let word = "bool, \"sigmoid\" or \"isotonic\"";
        (word.to_owned(), "bool | str")
    } else {
        (type_of(row.kind), annotation_of(row.kind))
    };
    let (form, annotation) = if may_be_none && python.none.is_none() {
        (format!("{word}, optional"), format!("{annotation} | None"))
    } else {
        (format!("{word}, default={default}"), annotation.to_owned())
    };
    let mut about = row.about.to_owned();
    if is_calibration {
        about = format!(
            "{about} ``True`` is ``\"sigmoid\"``; ``\"isotonic\"`` fits any map that never falls, \
             for two classes."
        );
    }
    if let (true, Some(unless)) = (may_be_none, row.unless) {
        let none = python.none.unwrap_or("None");
        about = format!("{about} ``{none}``, the default: {unless}.");
    }
    Some(Argument {
        name: python.name.to_owned(),
        native: row.name.to_owned(),
        form,
        annotation,
        differs: default != own,
        default,
        about,
    })
}

fn type_of(kind: Kind) -> String {
    match kind {
        Kind::Number => "float".to_owned(),
        Kind::Whole => "int".to_owned(),
        Kind::Flag => "bool".to_owned(),
        Kind::Kernel => "str".to_owned(),
        Kind::Width => "float or str".to_owned(),
        Kind::Words(words) => {
            let names: Vec<String> = words.iter().map(|word| quoted(word.name)).collect();
            match names.split_last() {
                Some((last, [])) => last.clone(),
                Some((last, others)) => format!("{} or {last}", others.join(", ")),
                None => String::new(),
            }
        }
        _ => "object".to_owned(),
    }
}

fn annotation_of(kind: Kind) -> &'static str {
    match kind {
        Kind::Number => "float",
        Kind::Whole => "int",
        Kind::Flag => "bool",
        Kind::Kernel | Kind::Words(_) => "str",
        Kind::Width => "float | str",
        _ => "Any",
    }
}

/// Words have underscores in Python, as scikit-learn's do.
fn quoted(word: &str) -> String {
    format!("\"{}\"", word.replace('-', "_"))
}

/// A default as Python text.
fn literal(row: &Parameter, value: &Value) -> String {
    match (row.kind, value) {
        // scikit-learn's names of kernels take their parameters from the arguments beside them.
        (Kind::Kernel, Value::Text(text)) => quoted(text.split('(').next().unwrap_or(text)),
        (Kind::Width, Value::Text(word)) if word == "auto" => "\"scale\"".to_owned(),
        (Kind::Width, Value::Nothing) => "\"scale\"".to_owned(),
        (_, Value::Nothing) if row.name == "degree" => "3".to_owned(),
        (_, Value::Nothing) if row.name == "coef0" => "0.0".to_owned(),
        (_, Value::Nothing) => {
            let none = row.python.and_then(|python| python.none);
            none.unwrap_or("None").to_owned()
        }
        (_, Value::Flag(true)) => "True".to_owned(),
        (_, Value::Flag(false)) => "False".to_owned(),
        (_, Value::Number(number)) if number.fract() == 0.0 && number.abs() < 1e15 => {
            format!("{number:.1}")
        }
        (_, Value::Text(text)) => quoted(text),
        (_, value) => value.to_string(),
    }
}
