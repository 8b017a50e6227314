//! `FaLK-SVM-train`.

use super::answer;
use super::lazy::local_params;
use super::options::Words;
use super::selection::{Candidates, select_locally};
use crate::failure::Failure;
use crate::session::Session;
use hedgerow::Predictor;
use hedgerow::data::{Dataset, Preprocessing};
use hedgerow::local::{Assign, FalkParams};
use hedgerow::params::Parameters;
use hedgerow_methods::{StoredModel, frame_of};
use serde_json::json;
use std::path::Path;

/// The method that its models are of.
const METHOD: &str = "falk-svm";

/// What the letters ask for.
struct Training {
    params: FalkParams,
    /// With `-L 1`.
    candidates: Option<Candidates>,
}

impl Training {
    fn read(session: &Session, words: &Words) -> Result<Self, Failure> {
        let params = FalkParams {
            neighbours: words.whole("-K")?.unwrap_or(1000),
            core: words.number("-P")?.unwrap_or(0.5),
            local: local_params(session, words)?,
            assign: Assign::Nearest,
            tree: words.relaxation()?,
            ..FalkParams::default()
        };
        params
            .check()
            .map_err(|error| words.program.refuse(error))?;
        let candidates = Candidates::read(words, &params)?;
        let candidates = words.switch("-L")?.then_some(candidates);
        if candidates.is_none() {
            Candidates::warn_unused(session, words);
        }
        Ok(Self { params, candidates })
    }

    /// The largest neighbourhood that may be asked for.
    fn largest_k(&self) -> usize {
        let of = |candidates: &Candidates| candidates.k.last().copied();
        let selected = self.candidates.as_ref().and_then(of);
        selected.unwrap_or(self.params.neighbours)
    }

    fn choose(&self, data: &Dataset) -> hedgerow::Result<FalkParams> {
        match &self.candidates {
            Some(candidates) => select_locally(&self.params, candidates, data),
            None => Ok(self.params.clone()),
        }
    }
}

pub(super) fn run(session: &Session, words: &Words) -> Result<(), Failure> {
    let training = Training::read(session, words)?;
    let silent = words.switch("-S")?;
    if let Some(folds) = words.folds()? {
        let [train] = words.files(["input_file"])?;
        let input = answer::read(session, train, false, None, None)?;
        let n_rows = input.loaded.dataset.n_rows();
        let k = training.largest_k();
        answer::check_size(session, k, n_rows - n_rows.div_ceil(folds));
        return answer::cross_validation(session, words, &input, folds, |data| {
            let fitted = training.choose(data)?.fit(data)?;
            Ok(Box::new(fitted.model) as Box<dyn Predictor>)
        });
    }
    let [train, model_file] = words.files(["input_file", "model_file"])?;
    session.claim_output("model_file", model_file)?;
    let input = answer::read(session, train, false, None, None)?;
    let data = &input.loaded.dataset;
    answer::check_size(session, training.largest_k(), data.n_rows());
    let failed = Failure::data(&input.name);
    let params = training.choose(data).map_err(&failed)?;
    let fitted = params.fit(data).map_err(&failed)?;
    let mut frame = frame_of(Preprocessing::None, described(&params)?, &fitted.report);
    frame.encoding.clone_from(&input.loaded.encoding);
    frame.feature_names = data.feature_names().map(<[String]>::to_vec);
    let model = &fitted.model;
    model.write(Path::new(model_file), METHOD, &frame)?;
    let (k, core) = params.sizes(data.n_rows());
    if !silent {
        if let Some(candidates) = &training.candidates {
            session.say(format_args!(
                "Selected on {} local models: k = {k}, C = {}, kernel {}",
                candidates.models, params.local.cost, params.local.solver.kernel
            ))?;
        }
        session.say(format_args!(
            "{} rows, k = {k}, k' = {core}: {} local models, {} of them trained",
            data.n_rows(),
            model.centres().len(),
            model.n_trained()
        ))?;
    }
    session.result(&json!({
        "program": words.program.name,
        "data": input.name,
        "model": model_file,
        "rows": data.n_rows(),
        "k": k,
        "core": core,
        "cost": params.local.cost,
        "kernel": params.local.solver.kernel.to_string(),
        "local_models": model.centres().len(),
        "trained_models": model.n_trained(),
        "seconds": fitted.report.seconds,
    }))
}

/// Names and values of the parameters, as models of the method tell them.
fn described(params: &FalkParams) -> Result<Vec<(String, String)>, Failure> {
    let method = hedgerow_methods::by_name(METHOD);
    let mut trainer = method
        .ok_or_else(|| Failure::usage("the method is not registered"))?
        .defaults();
    for row in trainer.table() {
        // What is inside the kernel, the kernel's text tells.
        if let Some(value) = params.get(row.name).filter(|_| !row.unsaid) {
            trainer.set(row.name, &value)?;
        }
    }
    Ok(trainer.describe())
}
