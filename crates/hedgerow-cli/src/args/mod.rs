//! The command line as typed.
//!
//! Steps: [`falkm`] takes out the words of programs with letters of their own, [`letters`] rewrites
//! the one spelling of LIBSVM that no parser knows, clap reads
//! the words into the structs of this module, and the methods turn their own options into checked
//! parameters of the library. Commands see only the last.

mod auto;
mod columns;
mod decisions;
mod editing;
mod falkm;
mod letters;
mod metric;
mod options;
mod scaling;
mod selection;
mod training;
mod verbs;

pub(crate) use auto::{AutoArgs, TaskWord};
pub(crate) use columns::ColumnArgs;
pub(crate) use decisions::DecisionArgs;
pub(crate) use editing::{CleanArgs, EditArgs, ResampleArgs};
pub(crate) use falkm::FalkmArgs;
pub(crate) use letters::rewrite;
pub(crate) use options::{augment, editor_of_text, trainer};
pub(crate) use selection::SelectArgs;
pub(crate) use training::TrainingArgs;
pub(crate) use verbs::{
    CvArgs, DataArgs, DemoArgs, GenerateArgs, InspectArgs, LocalSearchArgs, PredictArgs, ScaleArgs,
    TrainArgs, TuneArgs, UpdateArgs,
};

use crate::failure::Failure;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use hedgerow::clean::Purpose;
use hedgerow_methods::{Method, RowEditor, Trainer};
use std::ffi::OsString;

/// Options of every command.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Common {
    /// Number from which all randomness is drawn
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Threads to use; 0 for all. The answer does not depend on it
    #[arg(long, global = true, value_name = "N", default_value_t = 0)]
    pub(crate) threads: usize,
    /// Print one machine-readable result object on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// No progress, warnings and summary
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

/// A command with the method it works with.
pub(crate) struct WithMethod<A> {
    /// The method.
    pub(crate) method: &'static Method,
    /// Its parameters, checked.
    pub(crate) trainer: Box<dyn Trainer>,
    /// The parameters that stand on the command line.
    pub(crate) told: Vec<String>,
    /// The options of the command.
    pub(crate) args: A,
}

/// A command with the editor of rows it works with.
pub(crate) struct WithEditor<A> {
    /// Its parameters, checked.
    pub(crate) editor: Box<dyn RowEditor>,
    /// The options of the command.
    pub(crate) args: A,
}

/// What is to be done.
pub(crate) enum Action {
    Demo(DemoArgs),
    Auto(Box<AutoArgs>),
    Train(WithMethod<TrainArgs>),
    Predict(PredictArgs),
    Cv(WithMethod<CvArgs>),
    Tune(WithMethod<TuneArgs>),
    Select(Box<SelectArgs>),
    Clean(WithEditor<CleanArgs>),
    Resample(WithEditor<ResampleArgs>),
    Scale(ScaleArgs),
    Generate(GenerateArgs),
    Inspect(InspectArgs),
    Update(UpdateArgs),
    Falkm(FalkmArgs),
}

/// One call of the program.
pub(crate) struct Invocation {
    pub(crate) common: Common,
    pub(crate) action: Action,
}

/// Reads the command line.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Invocation, Failure> {
    let falkm::Divided { outer, inner } = falkm::divide(words);
    let matches = command()
        .try_get_matches_from(letters::rewrite(outer))
        .map_err(name_the_known)?;
    let Some((verb, matches)) = matches.subcommand() else {
        return Err(command()
            .error(
                clap::error::ErrorKind::MissingSubcommand,
                "a command is needed",
            )
            .into());
    };
    // Global options are propagated to the innermost command only.
    let leaf = matches.subcommand().map_or(matches, |(_, inner)| inner);
    let common = Common::from_arg_matches(leaf)?;
    let action = match verb {
        "demo" => Action::Demo(DemoArgs::from_arg_matches(matches)?),
        "train" => match matches.subcommand() {
            Some(("auto", inner)) => Action::Auto(Box::new(AutoArgs::from_arg_matches(inner)?)),
            _ => Action::Train(with_method(matches, &common)?),
        },
        "predict" => Action::Predict(PredictArgs::from_arg_matches(matches)?),
        "cv" => Action::Cv(with_method(matches, &common)?),
        "tune" => Action::Tune(with_method(matches, &common)?),
        "update" => Action::Update(UpdateArgs::from_arg_matches(matches)?),
        "select" => Action::Select(Box::new(SelectArgs::from_arg_matches(matches)?)),
        "clean" => Action::Clean(with_editor(matches, &common)?),
        "resample" => Action::Resample(with_editor(matches, &common)?),
        "scale" => Action::Scale(ScaleArgs::from_arg_matches(matches)?),
        "generate" => Action::Generate(GenerateArgs::from_arg_matches(matches)?),
        "falkm" => {
            let mut args = FalkmArgs::from_arg_matches(matches)?;
            args.words = inner;
            Action::Falkm(args)
        }
        _ => Action::Inspect(InspectArgs::from_arg_matches(matches)?),
    };
    Ok(Invocation { common, action })
}

/// For a command or method that does not exist, a message that lists those that do.
fn name_the_known(error: clap::Error) -> Failure {
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error.into();
    };
    let grammar = command();
    let verbs: Vec<&str> = grammar.get_subcommands().map(Command::get_name).collect();
    let names: Vec<&str> = hedgerow_methods::all()
        .iter()
        .map(|method| method.card.name)
        .collect();
    // The usage line of the error tells whether a command was recognised before the word.
    let usage = error.to_string();
    if ["train", "cv", "tune"]
        .iter()
        .any(|verb| usage.contains(&format!("hedgerow {verb}")))
    {
        return Failure::usage(format!(
            "there is no method {word:?}: the methods are {}",
            names.join(", ")
        ));
    }
    for (verb, purpose) in [("clean", Purpose::Clean), ("resample", Purpose::Resample)] {
        if usage.contains(&format!("hedgerow {verb}")) {
            let known: Vec<&str> = hedgerow_methods::editors()
                .iter()
                .filter(|method| method.card.purpose == purpose)
                .map(|method| method.card.name)
                .collect();
            return Failure::usage(format!(
                "there is no method {word:?}: the methods are {}",
                known.join(", ")
            ));
        }
    }
    Failure::usage(format!(
        "there is no command {word:?}: the commands are {}",
        verbs.join(", ")
    ))
}

fn with_method<A: FromArgMatches>(
    matches: &ArgMatches,
    common: &Common,
) -> Result<WithMethod<A>, Failure> {
    let (name, matches) = matches
        .subcommand()
        .ok_or_else(|| Failure::usage("a method is needed"))?;
    let method = hedgerow_methods::by_name(name)
        .ok_or_else(|| Failure::usage(format!("there is no method {name:?}")))?;
    Ok(WithMethod {
        method,
        trainer: options::trainer(method, matches, common.seed)?,
        told: options::told(method, matches),
        args: A::from_arg_matches(matches)?,
    })
}

fn with_editor<A: FromArgMatches>(
    matches: &ArgMatches,
    common: &Common,
) -> Result<WithEditor<A>, Failure> {
    let (name, matches) = matches
        .subcommand()
        .ok_or_else(|| Failure::usage("a method is needed"))?;
    let method = hedgerow_methods::editor_by_name(name)
        .ok_or_else(|| Failure::usage(format!("there is no method {name:?}")))?;
    Ok(WithEditor {
        editor: options::editor(method, matches, common.seed)?,
        args: A::from_arg_matches(matches)?,
    })
}

/// The grammar of the command line.
fn command() -> Command {
    Common::augment_args(Command::new("hedgerow"))
        .version(env!("CARGO_PKG_VERSION"))
        .about("Train, test and tune SVMs. Start with: hedgerow demo")
        .long_about(None)
        .subcommand_required(true)
        .arg_required_else_help(true)
        // LIBSVM's -h is shrinking, so help has no letter.
        .disable_help_flag(true)
        .disable_help_subcommand(true)
        .arg(
            Arg::new("help")
                .long("help")
                .global(true)
                .action(ArgAction::Help)
                .help("Print help"),
        )
        .subcommand(verb::<DemoArgs>(
            "demo",
            "Show the toolkit on built-in data; no files needed",
        ))
        .subcommand(
            per_method::<TrainArgs>("train", "Fit a model and write it").subcommand(
                verb::<AutoArgs>(
                    "auto",
                    "The methods race under a time budget; the winner becomes the model",
                )
                .display_order(0),
            ),
        )
        .subcommand(verb::<PredictArgs>(
            "predict",
            "Predict the rows of a file; prints metrics if it has labels",
        ))
        .subcommand(per_method::<CvArgs>(
            "cv",
            "Estimate by cross-validation how well a method does",
        ))
        .subcommand(per_method::<TuneArgs>(
            "tune",
            "Search a grid of parameters, then train with the best",
        ))
        .subcommand(verb::<UpdateArgs>(
            "update",
            "Add rows to a local model and remove others, without training it all anew",
        ))
        .subcommand(verb::<SelectArgs>(
            "select",
            "Rank the features of a file, keep the best, draw the error against their number",
        ))
        .subcommand(per_editor::<CleanArgs>(
            "clean",
            "Find rows with wrong labels, or rows that are not needed, and leave them out",
            Purpose::Clean,
        ))
        .subcommand(per_editor::<ResampleArgs>(
            "resample",
            "Make the classes of a file more alike in size",
            Purpose::Resample,
        ))
        .subcommand(verb::<ScaleArgs>("scale", "Scale the features of a file"))
        .subcommand(verb::<GenerateArgs>("generate", "Write artificial data"))
        .subcommand(verb::<InspectArgs>(
            "inspect",
            "Describe a model file or a data file",
        ))
        .subcommand(
            verb::<FalkmArgs>(
                "falkm",
                "Local machines with the options of the FaLKM-lib programs",
            )
            .override_usage("hedgerow falkm <PROGRAM> [letters] <files>"),
        )
}

/// A command with the given options. Their own documentation is not what the command is about.
fn verb<A: Args>(name: &'static str, about: &'static str) -> Command {
    let command = A::augment_args(Command::new(name));
    command.about(about).long_about(None)
}

/// A command with one subcommand a method.
fn per_method<A: Args>(name: &'static str, about: &'static str) -> Command {
    let methods = hedgerow_methods::all().iter().map(|method| {
        let card = method.card;
        let inner = A::augment_args(options::augment(Command::new(card.name), method));
        inner.about(card.about).long_about(None)
    });
    with_methods(name, about, methods)
}

/// A command with one subcommand an editor of rows of this purpose.
fn per_editor<A: Args>(name: &'static str, about: &'static str, purpose: Purpose) -> Command {
    let methods = hedgerow_methods::editors().iter();
    let methods = methods.filter(|method| method.card.purpose == purpose);
    let methods = methods.map(|method| {
        let card = method.card;
        let inner = A::augment_args(options::augment_editor(Command::new(card.name), method));
        inner.about(card.about).long_about(None)
    });
    with_methods(name, about, methods)
}

fn with_methods(
    name: &'static str,
    about: &'static str,
    methods: impl Iterator<Item = Command>,
) -> Command {
    Command::new(name)
        .about(about)
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommand_value_name("METHOD")
        .subcommand_help_heading("Methods")
        .subcommands(methods)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_grammar_is_consistent() {
        super::command().debug_assert();
    }
}
