//! Answers of FaLK-SVM.

use super::assign::Assign;
use super::falk::FalkSvm;
use super::machine::LocalModel;
use super::ready::DecisionScratch;
use crate::data::{ClassName, SamplesView};
use crate::machines::{largest, pairs};
use crate::neighbours::Neighbour;
use crate::parallel::try_concat;
use crate::spares::Spares;
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use rayon::prelude::*;

/// Queries that one task answers.
const TASK_QUERIES: usize = 64;

/// A model that is to speak about a row; ordered as they are best done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Job {
    /// The place of the model's centre among the others.
    place: u32,
    model: u32,
    /// Where its answer stands among all.
    slot: usize,
}

/// What one local model says about one row.
pub(super) enum Voice<'a> {
    /// All rows of the neighbourhood agree.
    Constant(f64),
    /// Decision values of the machines.
    Decisions(&'a super::machine::LocalMachines, &'a [f64]),
}

impl Voice<'_> {
    /// The class code.
    pub(super) fn class(&self) -> u32 {
        match self {
            Self::Constant(code) => *code as u32,
            Self::Decisions(machines, decisions) => machines.class(decisions),
        }
    }

    /// The estimated target.
    pub(super) fn value(&self) -> f64 {
        match self {
            Self::Constant(value) => *value,
            Self::Decisions(_, decisions) => decisions[0],
        }
    }

    /// Of two classes: the decision value, positive for the first.
    fn decision(&self) -> f64 {
        match self {
            Self::Constant(code) => 1.0 - 2.0 * code,
            Self::Decisions(_, decisions) => decisions[0],
        }
    }

    /// Adds the votes of one-vs-one to those of each class. Of every pair of classes of the
    /// neighbourhood, `share(decision value)` is what the first gets of one vote.
    fn add_votes(&self, share: impl Fn(f64) -> f64, out: &mut [f64]) {
        match self {
            Self::Constant(code) => out[*code as usize] += out.len() as f64 - 1.0,
            Self::Decisions(machines, decisions) => {
                let pairs = pairs(machines.classes.len()).zip(decisions.iter());
                for ((a, b), &value) in pairs {
                    let share = share(value);
                    out[machines.classes[a] as usize] += share;
                    out[machines.classes[b] as usize] += 1.0 - share;
                }
            }
        }
    }
}

/// What the first of two classes gets of one vote: all or nothing.
fn whole_vote(decision: f64) -> f64 {
    f64::from(u8::from(decision > 0.0))
}

/// What the first of two classes gets of one vote, by how clear the decision is: on the margin all.
fn divided_vote(decision: f64) -> f64 {
    0.5 + 0.5 * decision.clamp(-1.0, 1.0)
}

impl FalkSvm {
    fn check_queries(&self, samples: SamplesView<'_>) -> Result<()> {
        samples.ensure_finite()?;
        let is_dense = matches!(samples, SamplesView::Dense { .. });
        if is_dense && samples.n_features() > self.samples().n_features() {
            return Err(Error::Shape {
                what: "features of the rows to predict",
                expected: self.samples().n_features(),
                found: samples.n_features(),
            });
        }
        Ok(())
    }

    /// How many machines answer for each row.
    pub fn n_voters(&self) -> usize {
        let voters = self.parts.params.assign.voters() as usize;
        voters.clamp(1, self.centres().len())
    }

    /// The numbers of the centres whose machines answer, row after row: of each row
    /// [`FalkSvm::n_voters`] of them, the nearest first.
    pub fn responsible(&self, samples: SamplesView<'_>) -> Result<Vec<u32>> {
        self.check_queries(samples)?;
        let number_of = |found: &Neighbour| self.centre_number(found.row);
        match self.parts.params.assign {
            Assign::Nearest => {
                let searcher = self.nearest_index()?.searcher(self.samples())?;
                let nearest = searcher.nearest(samples)?;
                let owner = |found: &Neighbour| self.parts.owner[found.row as usize];
                Ok(nearest.iter().map(owner).collect())
            }
            Assign::Centre => {
                let searcher = self.centre_index.searcher(self.samples())?;
                let nearest = searcher.nearest(samples)?;
                Ok(nearest.iter().map(number_of).collect())
            }
            Assign::Vote(_) | Assign::Blend(_) => {
                let searcher = self.centre_index.searcher(self.samples())?;
                let found = searcher.k_nearest(samples, self.n_voters())?;
                Ok(found.iter().flatten().map(number_of).collect())
            }
        }
    }

    /// Lets every responsible machine speak about its rows: `answer(row, voice)` gives what is to
    /// be kept. Results stand as [`FalkSvm::responsible`] has the machines.
    pub(super) fn consult<T: Send + Clone + Default>(
        &self,
        samples: SamplesView<'_>,
        answer: impl Fn(u32, &Voice<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let responsible = self.responsible(samples)?;
        self.consult_given(samples, &responsible, self.n_voters(), answer)
    }

    /// As [`FalkSvm::consult`], with `n_voters` machines a row that are given.
    pub(super) fn consult_given<T: Send + Clone + Default>(
        &self,
        samples: SamplesView<'_>,
        responsible: &[u32],
        n_voters: usize,
        answer: impl Fn(u32, &Voice<'_>) -> Result<T> + Sync,
    ) -> Result<Vec<T>> {
        let row_of = |job: &Job| (job.slot / n_voters) as u32;
        // By model, so that its support vectors are in the cache for all of its rows.
        let mut jobs: Vec<Job> = responsible
            .iter()
            .enumerate()
            .map(|(slot, &model)| Job {
                place: self.centre_places[model as usize],
                model,
                slot,
            })
            .collect();
        jobs.par_sort_unstable();
        let spares = Spares::<DecisionScratch>::new();
        let answers: Vec<T> = try_concat(jobs.len(), TASK_QUERIES, &|task| {
            let task = &jobs[task];
            spares.lend(|scratch| {
                let mut answers = Vec::with_capacity(task.len());
                for group in task.chunk_by(|a, b| a.model == b.model) {
                    let number = group[0].model as usize;
                    match &self.parts.models[number] {
                        LocalModel::Constant(value) => {
                            for job in group {
                                answers.push(answer(row_of(job), &Voice::Constant(*value))?);
                            }
                        }
                        LocalModel::Machines(machines) => {
                            let rows: Vec<u32> = group.iter().map(row_of).collect();
                            let own = self.samples();
                            self.ready.get(number, machines, own)?.decide(
                                machines,
                                own,
                                samples,
                                &rows,
                                scratch,
                                &mut |at, values| {
                                    let voice = Voice::Decisions(machines, values);
                                    answers.push(answer(rows[at], &voice)?);
                                    Ok(())
                                },
                            )?;
                        }
                    }
                }
                Ok(answers)
            })
        })?;
        let mut out = vec![T::default(); jobs.len()];
        for (job, value) in jobs.iter().zip(answers) {
            out[job.slot] = value;
        }
        Ok(out)
    }

    /// The number of the centre at a row.
    pub(super) fn centre_number(&self, row: u32) -> u32 {
        self.centre_numbers[row as usize]
    }

    fn mean_rows(&self, samples: SamplesView<'_>) -> Result<Vec<f64>> {
        let voices = self.consult(samples, |_, voice| Ok(voice.value()))?;
        Ok(self.means(&voices))
    }

    /// The mean of what the machines of each row say.
    fn means(&self, voices: &[f64]) -> Vec<f64> {
        let mean = |list: &[f64]| list.iter().sum::<f64>() / list.len() as f64;
        voices.chunks_exact(self.n_voters()).map(mean).collect()
    }
}

impl Predictor for FalkSvm {
    fn n_features(&self) -> usize {
        self.samples().n_features()
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.class_names()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        let Some(names) = self.class_names() else {
            return Ok(Prediction::Real(self.mean_rows(samples)?));
        };
        if matches!(self.parts.params.assign, Assign::Blend(_)) {
            return Ok(Prediction::Classes(elected(&self.scores(samples)?)));
        }
        let voices = self.consult(samples, |_, voice| Ok(voice.class()))?;
        Ok(self.elect(names.len(), &voices, |&class| class))
    }

    /// Two classes: one column, positive for the first. More: the votes of one-vs-one for every
    /// class, in [`Assign::Blend`] divided by how clear each decision is. Regression: the estimate.
    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        let Some(names) = self.class_names() else {
            return Ok(estimates(self.mean_rows(samples)?));
        };
        if let [first, second] = names {
            let values = self.consult(samples, |_, voice| Ok(voice.decision()))?;
            return Ok(pair_scores(first, second, self.means(&values)));
        }
        let share = self.vote_share();
        self.per_class(samples, |voice, out| {
            voice.add_votes(share, out);
            Ok(())
        })
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        let Some(names) = self.class_names() else {
            let values = self.mean_rows(samples)?;
            return Ok((Prediction::Real(values.clone()), estimates(values)));
        };
        if matches!(self.parts.params.assign, Assign::Blend(_)) {
            let scores = self.scores(samples)?;
            return Ok((Prediction::Classes(elected(&scores)), scores));
        }
        if let [first, second] = names {
            let voices = self.consult(samples, |_, voice| Ok((voice.class(), voice.decision())))?;
            let values: Vec<f64> = voices.iter().map(|voice| voice.1).collect();
            let scores = pair_scores(first, second, self.means(&values));
            return Ok((self.elect(2, &voices, |voice| voice.0), scores));
        }
        let (width, share) = (names.len(), self.vote_share());
        let voices = self.consult(samples, |_, voice| {
            let mut votes = vec![0.0; width];
            voice.add_votes(share, &mut votes);
            Ok((voice.class(), votes))
        })?;
        let scores = self.class_means(&voices, |voice| &voice.1);
        Ok((self.elect(width, &voices, |voice| voice.0), scores))
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        if !self.parts.params.local.probability || self.class_names().is_none() {
            return Err(Error::NoProbabilities);
        }
        self.per_class(samples, |voice, out| match voice {
            Voice::Constant(code) => {
                // All rows of the neighbourhood agree.
                out[*code as usize] = 1.0;
                Ok(())
            }
            Voice::Decisions(machines, decisions) => machines.probabilities(decisions, out),
        })
    }
}

fn estimates(values: Vec<f64>) -> ScoreMatrix {
    ScoreMatrix {
        columns: vec!["value".to_owned()],
        values,
    }
}

fn pair_scores(first: &ClassName, second: &ClassName, values: Vec<f64>) -> ScoreMatrix {
    ScoreMatrix {
        columns: vec![format!("{first}/{second}")],
        values,
    }
}

/// The class codes that scores speak for: of two classes by the sign, of more the highest, the first
/// of those that are equal.
fn elected(scores: &ScoreMatrix) -> Vec<u32> {
    match scores.columns.len() {
        1 => {
            let second = |&value: &f64| u32::from(value <= 0.0);
            scores.values.iter().map(second).collect()
        }
        classes => {
            let rows = scores.values.chunks_exact(classes.max(1));
            rows.map(largest).collect()
        }
    }
}

impl FalkSvm {
    /// The mean over the responsible machines of one number a class.
    fn per_class(
        &self,
        samples: SamplesView<'_>,
        numbers: impl Fn(&Voice<'_>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<ScoreMatrix> {
        let names = self.class_names().unwrap_or(&[]);
        let width = names.len();
        let voices = self.consult(samples, |_, voice| {
            let mut out = vec![0.0; width];
            numbers(voice, &mut out)?;
            Ok(out)
        })?;
        Ok(self.class_means(&voices, |out| out))
    }

    /// The mean of the numbers of each class that the machines of each row give.
    fn class_means<T>(&self, voices: &[T], numbers: impl Fn(&T) -> &Vec<f64>) -> ScoreMatrix {
        let names = self.class_names().unwrap_or(&[]);
        let mut values = Vec::with_capacity(voices.len() / self.n_voters() * names.len());
        for list in voices.chunks_exact(self.n_voters()) {
            for class in 0..names.len() {
                let sum: f64 = list.iter().map(|voice| numbers(voice)[class]).sum();
                values.push(sum / list.len() as f64);
            }
        }
        ScoreMatrix {
            columns: names.iter().map(ToString::to_string).collect(),
            values,
        }
    }

    /// The class that most machines of each row speak for; of several with as many votes, the one
    /// that the nearest centre speaks for.
    fn elect<T>(&self, n_classes: usize, voices: &[T], class: impl Fn(&T) -> u32) -> Prediction {
        let elect = |list: &[T]| {
            if let [only] = list {
                return class(only);
            }
            let mut votes = vec![0u32; n_classes];
            for voice in list {
                votes[class(voice) as usize] += 1;
            }
            let most = votes.iter().copied().max().unwrap_or(0);
            let first = list
                .iter()
                .find(|voice| votes[class(voice) as usize] == most);
            first.map_or(0, &class)
        };
        let lists = voices.chunks_exact(self.n_voters());
        Prediction::Classes(lists.map(elect).collect())
    }

    /// What the first of two classes gets of one vote.
    fn vote_share(&self) -> fn(f64) -> f64 {
        match self.parts.params.assign {
            Assign::Blend(_) => divided_vote,
            Assign::Nearest | Assign::Centre | Assign::Vote(_) => whole_vote,
        }
    }
}
