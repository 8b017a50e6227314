//! `FaLK-SVM-predict`, also called `FaLK-SVM-test`.

use super::answer::{self, Form, Test};
use super::measure::Measure;
use super::options::Words;
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::data::Preprocessing;
use hedgerow_io::Source;
use hedgerow_methods::Stored;

/// Methods whose models the program answers with.
const METHODS: [&str; 2] = ["falk-svm", "falk-svr"];

pub(super) fn run(session: &Session, words: &Words) -> Result<(), Failure> {
    let mode = words.choice("-T", &[0, 1, 2])?.unwrap_or(0);
    let voters = words.whole("-K")?.unwrap_or(3);
    let Some(voters) = u32::try_from(voters).ok().filter(|&voters| voters > 0) else {
        return Err(words
            .program
            .refuse(format_args!("-K {voters}: at least one centre must vote")));
    };
    let assign = match mode {
        0 => "nearest",
        1 => "centre",
        _ => "vote",
    };
    let first = Measure::by_number(words.choice("-M", &[0, 1, 2, 3, 4])?.unwrap_or(0));
    let form = if words.switch("-b")? {
        Form::Probability
    } else {
        Form::Label
    };
    words.switch("-S")?;
    let [test, model_file, out] = words.files(["test_file", "model_file", "output_label_file"])?;
    if test == "-" && model_file == "-" {
        return Err(words
            .program
            .refuse("test_file and model_file cannot both be standard input: name a file"));
    }
    session.claim_output("output_label_file", out)?;
    session.claim_input(model_file)?;
    let mut stored = read_model(model_file)?;
    if stored.frame.preprocessing != Preprocessing::None {
        return Err(Failure::Model {
            name: model_file.to_owned(),
            problem:
                "the model scales its features, which this program does not: use hedgerow predict"
                    .to_owned(),
        });
    }
    if let Some(model) = stored.model.as_adjust() {
        model.adjust("assign", &assign.into())?;
        if assign == "vote" {
            model.adjust("voters", &voters.into())?;
        }
    }
    let real = stored.model.classes().is_none();
    let test = answer::read(
        session,
        test,
        real,
        stored.frame.encoding.as_ref(),
        Some(stored.width()),
    )?;
    let test = Test {
        session,
        words,
        input: &test,
        out,
        form,
        first,
    };
    test.run(&*stored.model)
}

/// A model of FaLK-SVM, whichever command wrote it.
fn read_model(file: &str) -> Result<Stored, Failure> {
    let source = Source::from_argument(file);
    let stored = Stored::read(&source)?.build(0)?;
    let method = stored.method();
    if METHODS.contains(&method) {
        return Ok(stored);
    }
    Err(Failure::Model {
        name: source.name(),
        problem: format!(
            "a model of {method}, not of {}: use hedgerow predict",
            METHODS[0]
        ),
    })
}
