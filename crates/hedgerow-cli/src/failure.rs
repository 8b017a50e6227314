//! What can end a command, and what the user can do about it.

use hedgerow_io::{CellProblem, HeaderProblem, IoError, LineProblem, ModelProblem};

/// Why a command did not do its work.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The command line could not be read, or asks for help or the version.
    #[error(transparent)]
    CommandLine(#[from] clap::Error),
    /// An option has a value that no data could make right.
    #[error("{0}")]
    Usage(String),
    /// The library refused a value of an option.
    #[error("{0}")]
    Option(hedgerow::Error),
    /// A file could not be read or written.
    #[error(transparent)]
    Io(#[from] IoError),
    /// The library refused the data.
    #[error("{name}: {source}")]
    Data {
        /// The file.
        name: String,
        /// Why.
        source: hedgerow::Error,
    },
    /// The library refused the task.
    #[error(transparent)]
    Task(#[from] hedgerow::Error),
    /// A model cannot be used as asked.
    #[error("{name}: {problem}")]
    Model {
        /// The file.
        name: String,
        /// Why.
        problem: String,
    },
    /// The model cannot be expressed in LIBSVM's format.
    #[error("the model cannot be written as LIBSVM model text: {problem}")]
    LibSvmExport {
        /// Why.
        problem: String,
    },
    /// A file of weights is wrong.
    #[error("{name}, line {line}: {problem}")]
    Weights {
        /// The file.
        name: String,
        /// 1-based line.
        line: usize,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// Standard output could not be written.
    #[error("cannot write standard output: {0}")]
    Stdout(std::io::Error),
    /// The threads could not be started.
    #[error("cannot start {threads} threads: {reason}")]
    Threads {
        /// Number asked for.
        threads: usize,
        /// Why not.
        reason: String,
    },
}

impl From<hedgerow_methods::Error> for Failure {
    fn from(error: hedgerow_methods::Error) -> Self {
        match error {
            hedgerow_methods::Error::Io(error) => Self::Io(error),
            hedgerow_methods::Error::Model { name, problem } => Self::Model { name, problem },
            hedgerow_methods::Error::LibSvmExport { problem } => Self::LibSvmExport { problem },
            other => Self::Model {
                name: "model".to_owned(),
                problem: other.to_string(),
            },
        }
    }
}

impl Failure {
    /// A usage failure.
    pub(crate) fn usage(problem: impl Into<String>) -> Self {
        Self::Usage(problem.into())
    }

    /// The library's refusal of the data in the file `name`.
    pub(crate) fn data(name: &str) -> impl Fn(hedgerow::Error) -> Self + '_ {
        move |source| match source {
            // A parameter that is wrong for any data is the command line's fault.
            hedgerow::Error::Parameter { .. }
            | hedgerow::Error::ParameterValue { .. }
            | hedgerow::Error::KernelSyntax { .. } => Self::Option(source),
            source => Self::Data {
                name: name.to_owned(),
                source,
            },
        }
    }

    /// 2 if the command line is to blame, otherwise 1.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::CommandLine(_) | Self::Usage(_) | Self::Option(_) => 2,
            _ => 1,
        }
    }

    /// True if the reader of our output has gone, as `head` does.
    pub(crate) fn is_broken_pipe(&self) -> bool {
        let error = match self {
            Self::Stdout(error) => error,
            Self::Io(IoError::Write { source, .. }) => source,
            _ => return false,
        };
        error.kind() == std::io::ErrorKind::BrokenPipe
    }

    /// The option that helps, where the message speaks of the library only.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Io(error) => io_hint(error),
            Self::Data { source, .. } | Self::Task(source) => data_hint(source),
            _ => None,
        }
    }
}

fn io_hint(error: &IoError) -> Option<&'static str> {
    match error {
        IoError::Cell {
            problem: CellProblem::Missing,
            ..
        } => Some("--missing mean-mode fills gaps"),
        IoError::Cell {
            problem: CellProblem::TargetNotNumber { .. },
            ..
        }
        | IoError::Line {
            problem: LineProblem::TargetNotNumber { .. },
            ..
        } => Some("a regression needs numbers as targets; --label names another column"),
        IoError::Line {
            problem: LineProblem::LabelMissing,
            ..
        } => Some("if the rows have no labels, predict them with --label none"),
        IoError::Header {
            problem: HeaderProblem::NoLabelColumn { .. } | HeaderProblem::NoLabelPosition { .. },
            ..
        } => Some("--label takes the name of a column, its position from 1, or none"),
        IoError::Model {
            problem: ModelProblem::Foreign,
            ..
        } => Some("a model is written by `hedgerow train`, or is LIBSVM model text"),
        _ => None,
    }
}

fn data_hint(error: &hedgerow::Error) -> Option<&'static str> {
    match error {
        hedgerow::Error::NoProbabilities => Some("train with --probability (or -b 1)"),
        hedgerow::Error::InfeasibleNu { .. } => Some("choose a smaller --nu"),
        _ => None,
    }
}
