//! `train`: fit a model and write it.

use super::{report_fields, status_name};
use crate::args::{CvArgs, TrainArgs, WithMethod};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::json::of_text;
use crate::session::Session;
use crate::table;
use hedgerow::data::{Scaler, Scaling, Spread};
use hedgerow::{Predictor, Report};
use hedgerow_methods::{Method, Pipeline, Prepared, frame_of, to_libsvm};
use serde_json::{Value, json};
use std::path::Path;

pub(crate) fn run(session: &Session, call: WithMethod<TrainArgs>) -> Result<(), Failure> {
    let WithMethod {
        method,
        trainer,
        told,
        args,
    } = call;
    let Some(model_path) = args.model.as_deref().filter(|_| args.folds.is_none()) else {
        // svm-train -v writes no model either.
        let args = CvArgs {
            training: args.training,
            defaults: args.defaults,
            folds: args.folds.unwrap_or(5),
            train: args.train,
        };
        return super::cv::run(
            session,
            WithMethod {
                method,
                trainer,
                told,
                args,
            },
        );
    };
    session.claim_output("MODEL", model_path)?;
    args.training.metric.refuse_measure()?;
    let mut pipeline = args.training.pipeline(trainer, session.seed)?;
    let input = input::read_training(session, &args.train, &args.training, method.card.task)?;
    args.training
        .settle(session, &input, &mut pipeline, args.libsvm_model)?;
    let chosen = if args.defaults {
        None
    } else {
        super::choose::said(session, &mut pipeline, told, &args.training, &input)?
    };
    let data = &input.loaded.dataset;
    let prepared = super::metric::prepare(session, &pipeline, &input)?;
    session.progress(format_args!("training {}", method.card.name));
    let (model, report) = pipeline
        .fit_prepared(prepared, data)
        .map_err(Failure::data(&input.name))?;
    session.progress_done();
    let job = Job {
        method,
        pipeline: &pipeline,
        input: &input,
    };
    job.write(model_path, args.libsvm_model, &model, &report)?;
    job.tell(session, &report, &model)?;
    let mut fields = report_fields(&report);
    fields.extend(job.fields(model_path, &model));
    fields.insert("chosen".to_owned(), json!(chosen));
    session.result(&Value::Object(fields))
}

/// How the summary says what was done to the columns.
fn scaled(scaling: Scaling) -> &'static str {
    match scaling {
        Scaling::None => "",
        Scaling::MinMax { .. } => " scaled to a range (--scale minmax)",
        Scaling::Standardize => " scaled to mean 0 and deviation 1 (--scale standard)",
        Scaling::Quantile(Spread::Uniform) => " mapped to ranks (--scale quantile)",
        Scaling::Quantile(Spread::Normal) => " mapped to ranks (--scale quantile-normal)",
    }
}

/// A training that has been done.
pub(super) struct Job<'a> {
    pub(super) method: &'static Method,
    pub(super) pipeline: &'a Pipeline,
    pub(super) input: &'a Input,
}

impl Job<'_> {
    /// Writes the model file.
    pub(super) fn write(
        &self,
        path: &str,
        libsvm: bool,
        model: &Prepared,
        report: &Report,
    ) -> Result<(), Failure> {
        let path = Path::new(path);
        if libsvm {
            return self.write_libsvm(path, model);
        }
        let parameters = self.pipeline.describe();
        let mut frame = frame_of(model.preprocessing.clone(), parameters, report);
        frame.priors.clone_from(&model.priors);
        frame.class_sizes.clone_from(&model.class_sizes);
        frame.calibration.clone_from(&model.calibration);
        let data = &self.input.loaded;
        frame.encoding.clone_from(&data.encoding);
        let names = data.dataset.feature_names();
        frame.feature_names = names.map(<[String]>::to_vec);
        Ok(model.model.write(path, self.method.card.name, &frame)?)
    }

    fn write_libsvm(&self, path: &Path, model: &Prepared) -> Result<(), Failure> {
        let refused = |problem: &str| Failure::LibSvmExport {
            problem: problem.to_owned(),
        };
        if model.preprocessing.chosen().is_some() {
            return Err(refused(
                "it has no place for a choice of features or weights of columns; reduce the files first (hedgerow select --reduced)",
            ));
        }
        if model.preprocessing.scaler().is_some() {
            return Err(refused(
                "it has no place for scaling; scale the files first (hedgerow scale)",
            ));
        }
        let encoding = self.input.loaded.encoding.as_ref();
        if encoding.is_some_and(|encoding| !encoding.is_plain()) {
            return Err(refused(
                "it has no place for the encoding of columns that are not numbers",
            ));
        }
        if model.calibration.is_some() {
            return Err(refused(
                "it has no place for an isotonic map; use --calibration sigmoid",
            ));
        }
        let exported = to_libsvm(&*model.model, self.method.card.libsvm_type)?;
        Ok(exported.write(path)?)
    }

    /// What the result object says beside the report.
    pub(super) fn fields(&self, path: &str, model: &Prepared) -> serde_json::Map<String, Value> {
        let data = &self.input.loaded.dataset;
        let parameters: serde_json::Map<String, Value> = self
            .pipeline
            .describe()
            .into_iter()
            .map(|(name, value)| (name, of_text(&value)))
            .collect();
        let classes: Option<Vec<String>> = model
            .classes()
            .map(|classes| classes.iter().map(ToString::to_string).collect());
        let value = json!({
            "method": self.method.card.name,
            "data": self.input.name,
            "model": path,
            "rows": data.n_rows(),
            "features": data.n_features(),
            "repeats": self.input.repeats_json(),
            "read_seconds": self.input.read_seconds,
            "parameters": parameters,
            "classes": classes,
            "scaling": model.preprocessing.scaler().map_or("none", Scaler::name),
            "chosen_features": model.preprocessing.chosen().map(<[u32]>::len),
        });
        let metric = model.metric.as_ref();
        let metric = metric.map(|outcome| super::metric::fields(outcome, data));
        match value {
            Value::Object(mut fields) => {
                fields.extend(metric.map(|value| ("learned_metric".to_owned(), value)));
                fields
            }
            _ => serde_json::Map::new(),
        }
    }

    /// The summary for people.
    pub(super) fn tell(
        &self,
        session: &Session,
        report: &Report,
        model: &Prepared,
    ) -> Result<(), Failure> {
        let data = &self.input.loaded.dataset;
        session.say(format_args!(
            "{}: {} rows, {} features{}, read in {}",
            self.input.name,
            data.n_rows(),
            data.n_features(),
            scaled(self.pipeline.scaling),
            table::seconds(self.input.read_seconds)
        ))?;
        // Not every method has support vectors, or an objective that it lowers step by step.
        let mut facts = Vec::new();
        if report.support_vectors > 0 {
            facts.push(format!(
                "{} support vectors ({} at their bound)",
                report.support_vectors, report.bounded
            ));
        }
        if report.iterations > 0 {
            facts.push(format!("objective {}", table::number(report.objective)));
            facts.push(format!("{} iterations", report.iterations));
        }
        facts.push(table::seconds(report.seconds));
        session.say(format_args!(
            "{}: {}",
            self.method.card.name,
            facts.join(", ")
        ))?;
        if report.status.is_premature() {
            session.warn(format_args!(
                "training stopped early ({}): the model is not the optimum; raise the limit or the tolerance",
                status_name(report.status)
            ));
        }
        for caution in model.model.cautions() {
            session.warn(caution);
        }
        Ok(())
    }
}
