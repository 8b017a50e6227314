//! `FaLK-SVM-predict`, also called `FaLK-SVM-test`.

use super::answer::{self, Form, Test};
use super::measure::Measure;
use super::options::Words;
use crate::failure::Failure;
use crate::methods::{FalkClassifier, FalkRegressor, Method, Model};
use crate::session::Session;
use hedgerow::Predictor;
use hedgerow::data::Scaler;
use hedgerow::local::{Assign, FalkSvm};
use hedgerow_io::{Bundle, RawModel, Source, read_container};

type Stored = Bundle<Option<Scaler>, FalkSvm>;

pub(super) fn run(session: &Session, words: &Words) -> Result<(), Failure> {
    let mode = words.choice("-T", &[0, 1, 2])?.unwrap_or(0);
    let voters = words.whole("-K")?.unwrap_or(3);
    let Some(voters) = u32::try_from(voters).ok().filter(|&voters| voters > 0) else {
        return Err(words
            .program
            .refuse(format_args!("-K {voters}: at least one centre must vote")));
    };
    let assign = match mode {
        0 => Assign::Nearest,
        1 => Assign::Centre,
        _ => Assign::Vote(voters),
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
    let mut stored = read_model(model_file)?;
    if stored.preprocessing.is_some() {
        return Err(Failure::Model {
            name: model_file.to_owned(),
            problem:
                "the model scales its features, which this program does not: use hedgerow predict"
                    .to_owned(),
        });
    }
    stored.model.set_assign(assign);
    let real = stored.model.classes().is_none();
    let test = answer::read(session, test, real, stored.encoding.as_ref())?;
    let test = Test {
        session,
        words,
        input: &test,
        out,
        form,
        first,
    };
    test.run(&stored.model as &dyn Model)
}

/// A model of FaLK-SVM, whichever command wrote it.
fn read_model(file: &str) -> Result<Stored, Failure> {
    let source = Source::from_argument(file);
    let raw: RawModel = read_container(&source)?;
    let tag = raw.header().tag.clone();
    if ![FalkClassifier::NAME, FalkRegressor::NAME].contains(&tag.as_str()) {
        return Err(Failure::Model {
            name: source.name(),
            problem: format!(
                "a model of {tag}, not of {}: use hedgerow predict",
                FalkClassifier::NAME
            ),
        });
    }
    let stored: Stored = raw.decode_as(&tag)?;
    let width = stored.model.n_features();
    let encoded = stored
        .encoding
        .as_ref()
        .map(hedgerow_io::Encoding::n_features);
    match encoded {
        Some(found) if found != width => Err(Failure::Model {
            name: source.name(),
            problem: format!(
                "the model is damaged: {width} features in the model, {found} around it"
            ),
        }),
        _ => Ok(stored),
    }
}
