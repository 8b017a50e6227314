//! `FkNN` and `FkNNSVM`: training and test in one call, or a cross-validation.

use super::answer::{self, Form, Test};
use super::measure::Measure;
use super::options::Words;
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::data::Dataset;
use hedgerow::kernel::Kernel;
use hedgerow::local::{KnnParams, KnnSvmParams, LocalSvmParams, Vote};
use hedgerow::svm::SolverParams;
use hedgerow::{Predictor, Result as Outcome};

/// A method that keeps its rows.
enum Method {
    Knn(KnnParams),
    KnnSvm(KnnSvmParams),
}

impl Method {
    fn check(&self) -> Outcome<()> {
        match self {
            Self::Knn(params) => params.check(),
            Self::KnnSvm(params) => params.check(),
        }
    }

    fn k(&self) -> usize {
        match self {
            Self::Knn(params) => params.neighbours,
            Self::KnnSvm(params) => params.neighbours,
        }
    }

    fn predictor(&self, data: &Dataset) -> Outcome<Box<dyn Predictor>> {
        Ok(match self {
            Self::Knn(params) => Box::new(params.fit(data)?.model),
            Self::KnnSvm(params) => Box::new(params.fit(data)?.model),
        })
    }
}

pub(super) fn fknn(session: &Session, words: &Words) -> Result<(), Failure> {
    // No levels here: the letter can only be wrong.
    words.relaxation()?;
    let real = words.choice("-T", &[0, 1])? == Some(1);
    let counting = words.choice("-s", &[0, 1])? == Some(1);
    if real && counting {
        return Err(words
            .program
            .refuse("-s 1 counts positive neighbours, which -T 1 does not have"));
    }
    // A Gaussian has the neighbours of the linear kernel, whatever its gamma.
    let kernel = match words.choice("-t", &[0, 1, 2, 3])? {
        None | Some(0 | 2) => Kernel::Linear.into(),
        Some(_) => words.kernel(None, 0, 1.0)?,
    };
    let params = KnnParams {
        neighbours: words.whole("-K")?.unwrap_or(1),
        kernel,
        vote: if words.switch("-C")? {
            Vote::Conservative
        } else {
            Vote::Majority
        },
        seed: session.seed,
        ..KnnParams::default()
    };
    let form = if counting {
        Form::PositiveVotes
    } else {
        Form::Label
    };
    run(session, words, &Method::Knn(params), real, form)
}

pub(super) fn fknnsvm(session: &Session, words: &Words) -> Result<(), Failure> {
    // No levels here: the letter can only be wrong.
    words.relaxation()?;
    let real = words.choice("-Z", &[0, 3])? == Some(3);
    let Some(k) = words.whole("-K")? else {
        return Err(words
            .program
            .refuse("-K, the size of neighbourhoods, must be given, for example -K 200"));
    };
    let probability = words.switch("-b")?;
    if probability && real {
        return Err(words
            .program
            .refuse("-b 1: epsilon-SVR (-Z 3) has no probabilities"));
    }
    let local = local_params(session, words)?;
    let params = KnnSvmParams {
        neighbours: k,
        local,
        ..KnnSvmParams::default()
    };
    let form = if probability {
        Form::Probability
    } else {
        Form::Label
    };
    run(session, words, &Method::KnnSvm(params), real, form)
}

/// The machine of a neighbourhood.
pub(super) fn local_params(session: &Session, words: &Words) -> Result<LocalSvmParams, Failure> {
    let cache_mb = words.number("-m")?.unwrap_or(100.0);
    if !(cache_mb > 0.0 && cache_mb <= 1e9) {
        return Err(words.program.refuse(format_args!(
            "-m {cache_mb}: the cache must be a number of megabytes above 0"
        )));
    }
    Ok(LocalSvmParams {
        cost: words.number("-c")?.unwrap_or(1.0),
        class_weights: words.class_weights()?,
        epsilon: words.number("-p")?.unwrap_or(0.1),
        probability: words.switch("-b")?,
        solver: SolverParams {
            kernel: words.kernel(None, 2, 0.0)?,
            cache_mb,
            seed: session.seed,
            ..SolverParams::default()
        },
    })
}

fn run(
    session: &Session,
    words: &Words,
    method: &Method,
    real: bool,
    form: Form,
) -> Result<(), Failure> {
    method
        .check()
        .map_err(|error| words.program.refuse(error))?;
    words.switch("-S")?;
    if let Some(folds) = words.folds()? {
        let [train] = words.files(["training_file"])?;
        let input = answer::read(session, train, real, None, None)?;
        let n_rows = input.loaded.dataset.n_rows();
        answer::check_size(session, method.k(), n_rows - n_rows.div_ceil(folds));
        return answer::cross_validation(session, words, &input, folds, |data| {
            method.predictor(data)
        });
    }
    let [train, test, out] = words.files(["training_file", "test_file", "output_label_file"])?;
    session.claim_output("output_label_file", out)?;
    let input = answer::read(session, train, real, None, None)?;
    answer::check_size(session, method.k(), input.loaded.dataset.n_rows());
    let model = method
        .predictor(&input.loaded.dataset)
        .map_err(Failure::data(&input.name))?;
    let encoding = input.loaded.encoding.as_ref();
    let width = Some(model.n_features());
    let test = answer::read(session, test, real, encoding, width)?;
    let test = Test {
        session,
        words,
        input: &test,
        out,
        form,
        first: Measure::Accuracy,
    };
    test.run(model.as_ref())
}
