//! The options of a method, made from the table of its parameters.

use crate::failure::Failure;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use hedgerow::clean::Purpose;
use hedgerow::params::{Kind, Parameter, Value};
use hedgerow_methods::{EditorMethod, Method, RowEditor, Settings, Trainer};

/// LIBSVM's letters of kernels: the number of the kernel's type, and of the problem's.
const KERNEL_TYPE: &str = "kernel_type";
const LIBSVM_TYPE: &str = "libsvm_type";
/// Parameters inside a kernel that LIBSVM passes over where the kernel has none.
const PASSED_OVER: [&str; 3] = ["degree", "gamma", "coef0"];

/// Adds the options of a method to a command.
pub(crate) fn augment(command: Command, method: &Method) -> Command {
    let mut command = augment_settings(command, &*method.defaults(), method.card.kernels);
    if method.card.libsvm_type.is_some() {
        command = command.arg(libsvm_type());
    }
    command
}

/// Adds the options of an editor of rows to a command.
pub(crate) fn augment_editor(command: Command, method: &EditorMethod) -> Command {
    augment_settings(command, &*method.defaults(), &[])
}

/// Adds an option for each parameter; `kernels` are those that LIBSVM numbers.
fn augment_settings(
    mut command: Command,
    settings: &dyn Settings,
    kernels: &'static [&'static str],
) -> Command {
    for row in settings.table() {
        let Some(name) = row.option else { continue };
        let default = settings.get(row.name).unwrap_or(Value::Nothing);
        if row.kind == Kind::Flag
            && default == Value::Flag(false)
            && let Some(letter) = row.switch
        {
            command = command.arg(letter_of(&row, name, letter));
        }
        command = command.arg(option(&row, name, &default));
        // The number of a kernel stands beside its text.
        if row.name == "kernel" && !kernels.is_empty() {
            command = command.arg(kernel_type(kernels, &default));
        }
    }
    command
}

/// Names with dashes live as long as the program: clap keeps them.
fn dashed(name: &str) -> &'static str {
    Box::leak(name.replace('_', "-").into_boxed_str())
}

fn option(row: &Parameter, name: &'static str, default: &Value) -> Arg {
    let mut arg = Arg::new(row.name)
        .long(dashed(name))
        .help(help(row, default))
        .help_heading(row.heading)
        .action(ArgAction::Set);
    for alias in row.aliases {
        arg = arg.alias(dashed(alias));
    }
    if let Some(letter) = row.short {
        arg = arg.short(letter);
    }
    match row.kind {
        Kind::Flag if *default == Value::Flag(true) => {
            arg = match row.switch {
                Some(letter) => arg.short(letter),
                None => arg,
            };
            arg.value_name("0|1").value_parser(["0", "1"])
        }
        Kind::Flag => arg.action(ArgAction::SetTrue),
        Kind::Number => arg.value_name("X").allow_negative_numbers(true),
        Kind::Width => arg.value_name("X|WORD").allow_negative_numbers(true),
        Kind::Whole => arg.value_name("N").allow_negative_numbers(true),
        Kind::Kernel => arg.value_name("TEXT"),
        Kind::Words(words) => {
            let values = words.iter().map(|word| {
                let about = word.about.trim_end_matches('.');
                PossibleValue::new(word.name)
                    .help(about)
                    .aliases(word.others.iter().copied())
            });
            arg.value_name("WORD")
                .value_parser(PossibleValuesParser::new(values))
        }
        Kind::Class => arg.value_name("CLASS").allow_hyphen_values(true),
        Kind::ClassWeights => arg
            .value_name("CLASS=X")
            .allow_hyphen_values(true)
            .value_parser(class_weight)
            .action(ArgAction::Append),
        _ => arg.value_name("VALUE"),
    }
}

/// Accepts a class with its weight: the words of a weight that was forgotten are told at once.
fn class_weight(text: &str) -> Result<String, String> {
    let weight = text
        .rsplit_once('=')
        .and_then(|(_, weight)| weight.parse().ok());
    match weight {
        Some(weight) if f64::is_finite(weight) && weight > 0.0 => Ok(text.to_owned()),
        _ => Err("expected class=weight with a weight above 0".to_owned()),
    }
}

fn help(row: &Parameter, default: &Value) -> String {
    let about = row.about.trim_end_matches('.');
    match (default, row.unless, row.kind) {
        (_, _, Kind::ClassWeights) => format!("{about}; LIBSVM: -w1 5; may be repeated"),
        (Value::Flag(false), ..) | (Value::Nothing, None, _) => about.to_owned(),
        (Value::Flag(true), ..) => format!("{about} [default: 1]"),
        (Value::Nothing, Some(unless), _) => format!("{about} [default: {unless}]"),
        (value, ..) => format!("{about} [default: {value}]"),
    }
}

/// The letter of a flag that takes 0 or 1, as LIBSVM's do.
fn letter_of(row: &Parameter, name: &str, letter: char) -> Arg {
    Arg::new(letter_id(row))
        .short(letter)
        .value_name("0|1")
        .value_parser(["0", "1"])
        .help(format!("LIBSVM's letter of --{}", dashed(name)))
        .help_heading(row.heading)
}

fn letter_id(row: &Parameter) -> &'static str {
    dashed(&format!("letter of {}", row.name))
}

fn kernel_type(kernels: &'static [&'static str], default: &Value) -> Arg {
    let names = kernels.iter().enumerate().map(|(number, text)| {
        let name = text.split('(').next().unwrap_or(text);
        format!("{number} {name}")
    });
    let names: Vec<String> = names.collect();
    let default = default.text().unwrap_or_default();
    let usual = kernels.iter().position(|text| *text == default);
    let usual = usual.map_or_else(String::new, |number| format!(" [default: {number}]"));
    Arg::new(KERNEL_TYPE)
        .short('t')
        .value_name("N")
        .value_parser(clap::value_parser!(u32).range(0..kernels.len() as i64))
        .conflicts_with("kernel")
        .help(format!(
            "Kernel by LIBSVM's number: {}{usual}",
            names.join(", ")
        ))
        .help_heading("Kernel")
}

fn libsvm_type() -> Arg {
    Arg::new(LIBSVM_TYPE)
        .short('s')
        .value_name("0..4")
        .value_parser(clap::value_parser!(u32).range(0..=4))
        .help("LIBSVM's type of problem: must be that of the method, which replaces it")
}

/// Checked parameters from options.
pub(crate) fn trainer(
    method: &Method,
    matches: &ArgMatches,
    seed: u64,
) -> Result<Box<dyn Trainer>, Failure> {
    check_libsvm_type(method, matches)?;
    let defaults = method.defaults();
    let mut settings = given(&*defaults, matches);
    by_number(method, matches, &mut settings);
    method
        .trainer(&settings, seed)
        .map_err(|error| refused(error, &*defaults))
}

/// The parameters that stand on the command line.
pub(crate) fn told(method: &Method, matches: &ArgMatches) -> Vec<String> {
    let mut settings = given(&*method.defaults(), matches);
    by_number(method, matches, &mut settings);
    settings.into_iter().map(|(name, _)| name).collect()
}

/// Checked parameters of an editor from options.
pub(crate) fn editor(
    method: &EditorMethod,
    matches: &ArgMatches,
    seed: u64,
) -> Result<Box<dyn RowEditor>, Failure> {
    let defaults = method.defaults();
    method
        .editor(&given(&*defaults, matches), seed)
        .map_err(|error| refused(error, &*defaults))
}

/// An editor for a purpose, from `name:option=value,switch`.
pub(crate) fn editor_of_text(
    text: &str,
    purpose: Purpose,
    seed: u64,
) -> Result<Box<dyn RowEditor>, Failure> {
    let (flag, what) = match purpose {
        Purpose::Clean => ("--clean", "cleaning"),
        Purpose::Resample => ("--resample", "resampling"),
    };
    let (name, options) = text.split_once(':').unwrap_or((text, ""));
    let serves = |method: &&EditorMethod| method.card.purpose == purpose;
    let method = hedgerow_methods::editor_by_name(name.trim()).filter(serves);
    let method = method.ok_or_else(|| {
        let known: Vec<&str> = hedgerow_methods::editors()
            .iter()
            .filter(serves)
            .map(|method| method.card.name)
            .collect();
        Failure::usage(format!(
            "there is no method {name:?} of {what}: the methods are {}",
            known.join(", ")
        ))
    })?;
    let options = options.split(',').map(str::trim);
    let words = std::iter::once(flag.to_owned()).chain(
        options
            .filter(|option| !option.is_empty())
            .map(|option| format!("--{option}")),
    );
    let command = augment_editor(Command::new(flag), method).disable_help_flag(true);
    let matches = command.try_get_matches_from(words).map_err(|error| {
        let message = error.to_string();
        let line = message.lines().next().unwrap_or_default();
        Failure::usage(format!(
            "{flag} {text}: {}",
            line.trim_start_matches("error: ")
        ))
    })?;
    editor(method, &matches, seed)
}

/// The failure for a value that the library refuses, in the words of the command line.
fn refused(error: hedgerow::Error, settings: &dyn Settings) -> Failure {
    let hedgerow::Error::ParameterValue {
        name,
        value,
        requirement,
    } = error
    else {
        return Failure::Option(error);
    };
    let table = settings.table();
    let row = table.iter().find(|row| row.name == name);
    let option = row.and_then(|row| row.option).unwrap_or(name);
    Failure::usage(format!(
        "--{} {value}: must be {requirement}",
        option.replace('_', "-")
    ))
}

/// The values that stand on the command line.
fn given(defaults: &dyn Settings, matches: &ArgMatches) -> Vec<(String, Value)> {
    let mut settings = Vec::new();
    let is_given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    for row in defaults.table() {
        if row.option.is_none() {
            continue;
        }
        let mut set = |value| settings.push((row.name.to_owned(), value));
        let letter = letter_id(&row);
        if let Ok(Some(text)) = matches.try_get_one::<String>(letter) {
            set(Kind::Flag.value(text));
        }
        if !is_given(row.name) {
            continue;
        }
        if let Ok(Some(&flag)) = matches.try_get_one::<bool>(row.name) {
            set(Value::Flag(flag));
        } else if let Ok(Some(texts)) = matches.try_get_many::<String>(row.name) {
            let values: Vec<Value> = texts.map(|text| row.kind.value(text)).collect();
            match (row.kind, &values[..]) {
                (Kind::ClassWeights, _) => set(Value::List(values)),
                (_, [one]) => set(one.clone()),
                _ => {}
            }
        }
    }
    settings
}

/// The kernel of LIBSVM's number. Without a text of the kernel, letters that it has no use for are
/// passed over, as LIBSVM does.
fn by_number(method: &Method, matches: &ArgMatches, settings: &mut Vec<(String, Value)>) {
    if settings.iter().any(|(name, _)| name == "kernel") || method.card.kernels.is_empty() {
        return;
    }
    let number = matches.try_get_one::<u32>(KERNEL_TYPE).ok().flatten();
    let mut trainer = method.defaults();
    if let Some(text) = number.and_then(|&number| method.card.kernels.get(number as usize)) {
        let kernel = Value::from(*text);
        // The texts of a card are kernels.
        let _ = trainer.set("kernel", &kernel);
        settings.push(("kernel".to_owned(), kernel));
    }
    settings.retain(|(name, _)| {
        !PASSED_OVER.contains(&name.as_str()) || trainer.get(name) != Some(Value::Nothing)
    });
}

fn check_libsvm_type(method: &Method, matches: &ArgMatches) -> Result<(), Failure> {
    let Some(&number) = matches.try_get_one::<u32>(LIBSVM_TYPE).ok().flatten() else {
        return Ok(());
    };
    let card = method.card;
    if card.libsvm_type == Some(number) {
        return Ok(());
    }
    let all = hedgerow_methods::all().iter();
    let meant = all
        .map(|method| method.card)
        .find(|card| card.libsvm_type == Some(number))
        .map_or("another one", |card| card.name);
    Err(Failure::usage(format!(
        "-s {number} is the method {meant}, but the method is {}: leave -s out or name {meant}",
        card.name
    )))
}
