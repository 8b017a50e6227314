//! Coding by targets, scaling, selection, editing of rows and training as one step, so that folds
//! code, scale, select and edit by their own training part: what they are tested on is never edited.

use crate::preparation::Preparation;
use crate::{MetricChoice, MetricOutcome, RowEditor, StoredModel, Trained, Trainer};
use hedgerow::clean::{Priors, corrected_priors};
use hedgerow::data::{
    ClassName, Coding, Columns, Dataset, Preprocessing, Samples, SamplesView, Scaling, Target,
    stratified_folds,
};
use hedgerow::machines::Calibration;
use hedgerow::params::Value;
use hedgerow::select::Selector;
use hedgerow::{Error, LevelValues, Prediction, Predictor, Report, Result, ScoreMatrix};

/// Features to be chosen before training.
#[derive(Debug, Clone)]
pub struct Choice {
    /// How they are ranked.
    pub selector: Selector,
    /// How many are kept; `None`: those that the method keeps.
    pub top: Option<usize>,
    /// How the user called the method, with its options.
    pub text: String,
}

impl Choice {
    /// The features that are kept, multiplied where the method has weights for them.
    pub(crate) fn columns(&self, data: &Dataset) -> Result<Columns> {
        let selection = self.selector.rank(data, self.top)?;
        let best = selection.ranking.top(self.top.unwrap_or(usize::MAX));
        let Some(all) = &selection.factors else {
            return Ok(Columns::kept(best.iter().map(|&f| f as u32).collect()));
        };
        let mut factors = vec![0.0; all.len()];
        for &f in best {
            factors[f] = all[f];
        }
        Columns::weighted(&factors)
    }
}

/// Rows to be edited before training.
#[derive(Debug, Clone)]
pub struct Editing {
    /// Which rows stay, and which are new.
    pub editor: Box<dyn RowEditor>,
    /// How the user called the method, with its options.
    pub text: String,
}

/// Probabilities by an isotonic map that is fitted to the scores of models that did not learn from
/// the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Calibrating {
    /// Parts of the rows, each judged by a model of the others.
    pub folds: usize,
    /// Seed of the parts.
    pub seed: u64,
}

/// What is done to training data.
#[derive(Debug)]
pub struct Pipeline {
    /// Which features are categories to be coded by targets; none for `None`.
    pub coding: Option<Coding>,
    /// How features are scaled.
    pub scaling: Scaling,
    /// Which features are kept after that; all for `None`.
    pub choice: Option<Choice>,
    /// What the kept features are multiplied by after that; nothing for `None`.
    pub metric: Option<MetricChoice>,
    /// Which rows are trained on after that; all for `None`.
    pub cleaning: Option<Editing>,
    /// How the sizes of the classes are changed after that. Probabilities are brought back to the
    /// sizes as they were.
    pub resampling: Option<Editing>,
    /// Parameters of the method.
    pub trainer: Box<dyn Trainer>,
    /// How scores become probabilities, if not as the method itself does it.
    pub calibrating: Option<Calibrating>,
}

/// A model that prepares its input.
#[derive(Debug)]
pub struct Prepared {
    /// What is done to the input.
    pub preprocessing: Preprocessing,
    /// The model of prepared features.
    pub model: Box<dyn StoredModel>,
    /// How often classes occur, if training saw them in other shares.
    pub priors: Option<Priors>,
    /// How many rows of each class the data had that probabilities speak of.
    pub class_sizes: Option<Vec<f64>>,
    /// What makes probabilities of the scores in place of the model's own.
    pub calibration: Option<Calibration>,
    /// What became of the metric, if one was asked for.
    pub metric: Option<MetricOutcome>,
}

impl Pipeline {
    /// Fits the codes, then the scaling, then the selection and the metric, edits the rows, then fits
    /// the model.
    pub fn fit(&self, data: &Dataset) -> Result<(Prepared, Report)> {
        self.fit_prepared(self.prepare(data, &|_| Ok(()))?, data)
    }

    /// Edits the rows, fits the model and the map to probabilities, after [`Pipeline::prepare`] with the
    /// same data.
    pub fn fit_prepared(
        &self,
        preparation: Preparation,
        data: &Dataset,
    ) -> Result<(Prepared, Report)> {
        let judged = self.judge(data)?;
        let (mut prepared, report) = self.fit_model(preparation, data)?;
        if let Some(judged) = judged {
            let classes = prepared.classes().unwrap_or_default();
            prepared.calibration = Some(judged.calibration(classes)?);
            // Rows that cleaning removes are judged too.
            prepared.class_sizes = class_sizes(&*prepared.model, data);
        }
        Ok((prepared, report))
    }

    /// The isotonic map alone, for a model of these classes that was trained elsewhere.
    pub fn calibration(
        &self,
        data: &Dataset,
        classes: &[ClassName],
    ) -> Result<Option<Calibration>> {
        let judged = self.judge(data)?;
        judged.map(|judged| judged.calibration(classes)).transpose()
    }

    fn fit_model(&self, preparation: Preparation, data: &Dataset) -> Result<(Prepared, Report)> {
        let learned = self.train(preparation.data(data))?;
        Ok((
            Prepared {
                preprocessing: preparation.preprocessing,
                model: learned.trained.model,
                priors: learned.priors,
                class_sizes: learned.class_sizes,
                calibration: None,
                metric: preparation.metric,
            },
            learned.trained.report,
        ))
    }

    /// Rows judged by models that did not learn from them.
    fn judge(&self, data: &Dataset) -> Result<Option<Judged>> {
        let Some(how) = self.calibrating else {
            return Ok(None);
        };
        let labels = data.classes()?;
        let counts = labels.counts();
        let present: Vec<usize> = (0..counts.len()).filter(|&c| counts[c] > 0).collect();
        let &[a, b] = &present[..] else {
            return Err(Error::Target {
                needed: "two classes for an isotonic map (the sigmoid takes more)",
                found: "another number of classes",
            });
        };
        let names = labels.names();
        let (class, rival) = if names[a].order(&names[b]).is_gt() {
            (a, b)
        } else {
            (b, a)
        };
        let rows = data.n_rows().min(how.folds);
        let splits = stratified_folds(labels, rows, how.seed)?;
        let (mut scores, mut is_class, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for split in &splits {
            let train = data.select(&split.train);
            // Fewer rows of a class than parts: what lacks it cannot judge.
            if train.classes()?.counts().iter().filter(|&&n| n > 0).count() < 2 {
                continue;
            }
            let prepared = self.prepare(&train, &|_| Ok(()))?;
            let (judge, _) = self.fit_model(prepared, &train)?;
            let test = data.select(&split.test);
            let told = judge.scores(test.samples().view())?;
            let told = told.rising_with(&names[class], &names[rival]);
            scores.extend(told.ok_or(Error::NoProbabilities)?);
            let codes = split.test.iter().map(|&i| labels.codes()[i] as usize);
            is_class.extend(codes.map(|code| code == class));
            weights.extend(test.weights().into_iter().flatten());
        }
        if scores.is_empty() {
            let smallest = if counts[a] < counts[b] { a } else { b };
            return Err(Error::TooFewRows {
                class: names[smallest].to_string(),
                needed: 2,
                found: counts[smallest],
            });
        }
        Ok(Some(Judged {
            class: names[class].clone(),
            scores,
            is_class,
            weights: data.weights().map(|_| weights),
        }))
    }

    /// Trains on the rows that editing leaves; with the priors if it changed them on purpose.
    fn train(&self, data: &Dataset) -> Result<Learned> {
        let cleaned = match &self.cleaning {
            Some(cleaning) => Some(cleaning.editor.edit(data)?.apply(data)?),
            None => None,
        };
        let data = cleaned.as_ref().unwrap_or(data);
        let Some(resampling) = &self.resampling else {
            let trained = self.trainer.fit(data)?;
            return Ok(Learned {
                class_sizes: class_sizes(&*trained.model, data),
                trained,
                priors: None,
            });
        };
        let edit = resampling.editor.edit(data)?;
        let trained = self.trainer.fit(&edit.apply(data)?)?;
        let labels = data.classes()?;
        let sizes = Priors::of_edit(&edit, labels);
        // In the order in which the model knows the classes.
        let codes: Vec<usize> = trained
            .model
            .classes()
            .unwrap_or_default()
            .iter()
            .filter_map(|name| labels.code_of(name))
            .map(|code| code as usize)
            .collect();
        let of = |all: &[f64]| codes.iter().map(|&code| all[code]).collect();
        let priors = Priors {
            original: of(&sizes.original),
            resampled: of(&sizes.resampled),
        };
        Ok(Learned {
            class_sizes: class_sizes(&*trained.model, data),
            trained,
            priors: Some(priors),
        })
    }

    /// Names and values of all parameters, for people.
    pub fn describe(&self) -> Vec<(String, String)> {
        let mut all = self.trainer.describe();
        if let Some(coding) = &self.coding {
            let smoothing = coding.smoothing.to_string();
            all.push(("target_smoothing".to_owned(), smoothing));
        }
        if self.calibrating.is_some() {
            all.push(("calibration".to_owned(), "isotonic".to_owned()));
        }
        if let Some(choice) = &self.choice {
            all.push(("select".to_owned(), choice.text.clone()));
            if let Some(top) = choice.top {
                all.push(("top".to_owned(), top.to_string()));
            }
        }
        if let Some(metric) = &self.metric {
            all.push(("metric".to_owned(), metric.text.clone()));
        }
        if let Some(cleaning) = &self.cleaning {
            all.push(("clean".to_owned(), cleaning.text.clone()));
        }
        if let Some(resampling) = &self.resampling {
            all.push(("resample".to_owned(), resampling.text.clone()));
        }
        all
    }

    /// Does to columns what another one does that was completed for the data.
    pub fn take_preparation(&mut self, other: &Self) {
        self.scaling = other.scaling;
        self.coding.clone_from(&other.coding);
        self.metric.clone_from(&other.metric);
    }

    /// A copy with other values for some parameters.
    pub fn with(&self, values: &[(String, Value)]) -> Result<Self> {
        Ok(Self {
            coding: self.coding.clone(),
            calibrating: self.calibrating,
            scaling: self.scaling,
            choice: self.choice.clone(),
            metric: self.metric.clone(),
            cleaning: self.cleaning.clone(),
            resampling: self.resampling.clone(),
            trainer: self.trainer.with(values)?,
        })
    }
}

/// A model with what is known of the rows that it learned from.
struct Learned {
    trained: Trained,
    priors: Option<Priors>,
    class_sizes: Option<Vec<f64>>,
}

/// Scores of rows by models that did not learn from them.
struct Judged {
    /// The class that scores rise with.
    class: ClassName,
    scores: Vec<f64>,
    is_class: Vec<bool>,
    weights: Option<Vec<f64>>,
}

impl Judged {
    /// The map for a model of these classes.
    fn calibration(&self, classes: &[ClassName]) -> Result<Calibration> {
        let code = classes.iter().position(|name| *name == self.class);
        let code = code.unwrap_or(0) as u32;
        Calibration::fit(code, &self.scores, &self.is_class, self.weights.as_deref())
    }
}

/// Rows of each class of a model; `None` if it has none that the data tell.
pub fn class_sizes(model: &dyn StoredModel, data: &Dataset) -> Option<Vec<f64>> {
    let Target::Classes(labels) = data.target() else {
        return None;
    };
    let counts = labels.counts();
    let size = |name: &ClassName| Some(counts[labels.code_of(name)? as usize] as f64);
    let sizes: Vec<f64> = model.classes()?.iter().map(size).collect::<Option<_>>()?;
    // A model of one class against the rest of several names one of these.
    let all: f64 = sizes.iter().sum();
    (all == data.n_rows() as f64).then_some(sizes)
}

impl Prepared {
    /// Probabilities for data in which the class with this code has another share than in the
    /// training; an error unless there are two classes whose sizes are known.
    pub fn probabilities_with_prior(
        &self,
        samples: SamplesView<'_>,
        code: usize,
        share: f64,
    ) -> Result<ScoreMatrix> {
        let mut probabilities = self.probabilities(samples)?;
        if let Some(trained @ [_, _]) = self.class_sizes.as_deref() {
            let mut wanted = [1.0 - share; 2];
            wanted[code] = share;
            corrected_priors(&mut probabilities.values, &wanted, trained)?;
        }
        Ok(probabilities)
    }

    /// Runs `work` on the prepared rows.
    pub fn on_prepared<T>(
        &self,
        samples: SamplesView<'_>,
        work: impl FnOnce(&dyn StoredModel, SamplesView<'_>) -> Result<T>,
    ) -> Result<T> {
        let prepared = self.preprocessing.apply(samples)?;
        let view = prepared.as_ref().map_or(samples, Samples::view);
        work(&*self.model, view)
    }
}

impl Predictor for Prepared {
    fn n_features(&self) -> usize {
        let inputs = self.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.model.n_features())
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.model.classes()
    }

    fn positive(&self) -> Option<&ClassName> {
        self.model.positive()
    }

    fn ranks_levels(&self) -> bool {
        self.model.ranks_levels()
    }

    fn level_values(&self, samples: SamplesView<'_>) -> Result<Option<LevelValues>> {
        self.on_prepared(samples, Predictor::level_values)
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        self.on_prepared(samples, Predictor::predict)
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        self.on_prepared(samples, Predictor::scores)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        self.on_prepared(samples, Predictor::predict_with_scores)
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        if let Some(calibration) = &self.calibration {
            // Fitted to rows that were not resampled.
            let scores = self.scores(samples)?;
            return calibration.probabilities(&scores, self.classes().unwrap_or_default());
        }
        let mut probabilities = self.on_prepared(samples, Predictor::probabilities)?;
        if let Some(priors) = &self.priors {
            priors.correct(&mut probabilities.values)?;
        }
        Ok(probabilities)
    }
}
