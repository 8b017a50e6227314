//! `falkm`: the programs of FaLKM-lib, with their letters, defaults and files.

mod answer;
mod lazy;
mod measure;
mod noise;
mod options;
mod predict;
mod programs;
mod selection;
mod train;

use crate::args::FalkmArgs;
use crate::failure::Failure;
use crate::session::Session;
use options::{Program, Words};

type Run = fn(&Session, &Words) -> Result<(), Failure>;

/// The programs and what they do.
static PROGRAMS: &[(&Program, Run)] = &[
    (&programs::FKNN, lazy::fknn),
    (&programs::FKNNSVM, lazy::fknnsvm),
    (&programs::FALK_SVM_TRAIN, train::run),
    (&programs::FALK_SVM_PREDICT, predict::run),
    (&programs::FALK_SVM_TEST, predict::run),
    (&programs::FKNNSVM_NR, noise::fknnsvm_nr),
    (&programs::FALKNR, noise::falknr),
];

pub(crate) fn run(session: &Session, args: &FalkmArgs) -> Result<(), Failure> {
    let found = PROGRAMS
        .iter()
        .find(|(program, _)| program.name == args.program);
    let Some((program, run)) = found else {
        let names: Vec<&str> = PROGRAMS.iter().map(|(program, _)| program.name).collect();
        return Err(Failure::usage(format!(
            "there is no program {:?}: the programs are {}",
            args.program,
            names.join(", ")
        )));
    };
    if args.words.iter().any(|word| word == "--help") {
        return session.answer(program.usage());
    }
    run(session, &Words::read(program, &args.words)?)
}
