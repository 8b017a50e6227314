//! Parameters that were not told are chosen from the data, on a sample, without asking a clock: the
//! same data, options and seed give the same choice.

use crate::args::TrainingArgs;
use crate::failure::Failure;
use crate::input::Input;
use crate::session::Session;
use hedgerow::Result;
use hedgerow::data::{Dataset, Scaling};
use hedgerow::evaluate::Metric;
use hedgerow::method::Task;
use hedgerow_io::DataFormat;
use hedgerow_methods::Pipeline;
use hedgerow_methods::race::{Candidate, Start, can_choose, choose, usual_metric};

/// What is to be chosen for a method.
pub(super) struct Choosing {
    /// Parameters that were told.
    told: Vec<String>,
    scaling: bool,
    metric: Metric,
    task: Task,
    seed: u64,
    threads: usize,
}

impl Choosing {
    /// `None` where all was told, or where the method has nothing that is chosen this way.
    pub(super) fn of(
        session: &Session,
        pipeline: &Pipeline,
        mut told: Vec<String>,
        args: &TrainingArgs,
        input: &Input,
    ) -> Option<Self> {
        let trainer = &*pipeline.trainer;
        // Weights of columns and chosen columns change what a width means.
        let simple = pipeline.choice.is_none() && pipeline.metric.is_none();
        if !can_choose(trainer) || !simple || trainer.is_precomputed() {
            return None;
        }
        if told.iter().any(|name| name == "kernel") {
            told.push("gamma".to_owned());
        }
        let task = trainer.card().task;
        // Who weighs classes does not mean accuracy.
        let weighs = told.iter().any(|name| name == "class_weight");
        let metric = match usual_metric(&input.loaded.dataset).0 {
            Metric::Accuracy if weighs => Metric::BalancedAccuracy,
            metric => metric,
        };
        let scaling = args.scaling.asked().is_none()
            && pipeline.scaling != Scaling::None
            && input.loaded.format != DataFormat::LibSvm;
        Some(Self {
            told,
            scaling,
            metric,
            task,
            seed: session.seed,
            threads: session.threads,
        })
    }

    /// Chooses for some training rows.
    pub(super) fn choose(
        &self,
        session: &Session,
        pipeline: &Pipeline,
        data: &Dataset,
    ) -> Result<Option<Candidate>> {
        let mut base = pipeline.with(&[])?;
        base.calibrating = None;
        let start = Start {
            base: &base,
            only: Some(&*pipeline.trainer),
            fixed: &self.told,
            choose_scaling: self.scaling,
            task: self.task,
        };
        let chosen = choose(
            data,
            &start,
            self.metric,
            self.seed,
            self.threads,
            &|state| {
                session.progress(format_args!(
                    "choosing parameters: {} of {} on {} rows",
                    state.done, state.of, state.rows
                ));
                Ok(())
            },
        );
        session.progress_done();
        let Some(standing) = chosen? else {
            return Ok(None);
        };
        let candidate = standing.candidate;
        let nothing = candidate.chosen.is_empty() && !candidate.chose_scaling;
        Ok((!nothing).then_some(candidate))
    }
}

/// The pipeline with what was chosen.
pub(super) fn complete(pipeline: &Pipeline, chosen: &Candidate) -> Result<Pipeline> {
    let mut complete = pipeline.with(&chosen.chosen)?;
    complete.scaling = chosen.pipeline.scaling;
    Ok(complete)
}

/// Chooses and says what was chosen.
pub(super) fn said(
    session: &Session,
    pipeline: &mut Pipeline,
    told: Vec<String>,
    args: &TrainingArgs,
    input: &Input,
) -> std::result::Result<Option<String>, Failure> {
    let Some(choosing) = Choosing::of(session, pipeline, told, args, input) else {
        return Ok(None);
    };
    let data = &input.loaded.dataset;
    let chosen = choosing.choose(session, pipeline, data);
    // What cannot be cross-validated (a handful of rows) is trained with the usual values.
    let Ok(Some(chosen)) = chosen else {
        return Ok(None);
    };
    *pipeline = complete(pipeline, &chosen).map_err(Failure::Option)?;
    let options = chosen.options();
    session.say(format_args!(
        "{}: chosen from the data: {options} (--defaults takes the usual values)",
        input.name
    ))?;
    Ok(Some(options))
}
