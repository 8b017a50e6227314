//! What local machines say about the labels of the rows that they were trained on.
//!
//! Two ways. The machine of a row's own neighbourhood has not seen the row and can be asked like any
//! other ([`KnnSvmParams::judge`]). One machine for many rows has seen them ([`FalkSvm::judge`]):
//! its answer is taken as it is, but how sure it is of a row is told without the row's own term,
//! $$m_i = y_i f(x_i) - \alpha_i K(x_i, x_i),$$
//! which, for machines without a threshold, bounds from below what the machine trained without the
//! row would say.

use super::falk::FalkSvm;
use super::falk_predict::Voice;
use super::knn_svm::KnnSvmParams;
use super::lazy::SearchableRows;
use super::learner::{Learner, Workspace};
use super::machine::{LocalMachines, LocalModel};
use super::ready::{DecisionScratch, Ready};
use super::store::Answers;
use crate::data::{Dataset, weighty_rows};
use crate::machines::pairs;
use crate::parallel::{Grain, try_map};
use crate::spares::Spares;
use crate::{Error, Result, Status};

/// What is thought of the label of a row.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Judgement {
    /// The class code that the machine gives.
    pub class: u32,
    /// From 0 to 1: the probability of the row's own label where machines are calibrated, else its
    /// margin by the logistic function (0.5 on the boundary).
    pub trust: f64,
}

/// Rows that one task judges.
const TASK_ROWS: usize = 8;

/// The smallest margin of a class over the others that occur, given decision values of one-vs-one
/// and what the row's own coefficient adds to each. `None` if the class does not occur.
fn own_margin(
    machines: &LocalMachines,
    decisions: &[f64],
    own: u32,
    own_term: impl Fn(usize) -> f64,
) -> Option<f64> {
    let mut least: Option<f64> = None;
    let all = pairs(machines.classes.len()).zip(decisions).enumerate();
    for (number, ((first, second), &value)) in all {
        let value = value - own_term(number);
        let margin = if machines.classes[first] == own {
            value
        } else if machines.classes[second] == own {
            -value
        } else {
            continue;
        };
        least = Some(least.map_or(margin, |least| least.min(margin)));
    }
    least
}

/// A margin from 0 to 1. On the margin of the machine, at 1, it is the 0.88 of logistic loss.
fn trust_of(margin: Option<f64>) -> f64 {
    margin.map_or(0.0, |margin| 1.0 / (1.0 + (-2.0 * margin).exp()))
}

impl KnnSvmParams {
    /// Judges every row by the machine that is trained on its nearest other rows. Where those
    /// agree, the trust is 1 or 0; where its own label does not occur among them, 0. Rows without
    /// weight are not judged.
    pub fn judge(&self, data: &Dataset) -> Result<(Vec<Judgement>, Status)> {
        self.check()?;
        let solver = &self.local.solver;
        let k = self.neighbours;
        let numbers = weighty_rows(data);
        let rows = SearchableRows::new(data, &solver.kernel, solver.seed, &self.index, k)?;
        let Answers::Classes(labels) = &rows.store.answers else {
            data.classes()?;
            return Err(Error::NoRows);
        };
        let codes = labels.codes();
        let sure = |&class: &u32| Judgement { class, trust: 1.0 };
        let mut all: Vec<Judgement> = data.classes()?.codes().iter().map(sure).collect();
        let learner = Learner::new(&rows.store, &self.local)?.for_neighbourhoods(codes.len());
        let workspaces = Spares::<Workspace>::new();
        let view = rows.store.view();
        let n_classes = labels.n_classes();
        // As kNN-SVM does: only a width from percentiles depends on the order of the rows.
        let ordered = solver.kernel.has_percentiles();
        let mut status = Status::Converged;
        rows.for_each_other_block(k, |first, lists| {
            let parts = lists.len().div_ceil(TASK_ROWS);
            let judged = try_map(parts, Grain::ONE, &|part| {
                let mut scratch = DecisionScratch::default();
                let task = part * TASK_ROWS..lists.len().min((part + 1) * TASK_ROWS);
                let mut judged = Vec::with_capacity(task.len());
                for at in task {
                    let row = (first + at) as u32;
                    let own = codes[row as usize];
                    let mut near: Vec<u32> = lists[at].iter().map(|found| found.row).collect();
                    if !ordered {
                        near.sort_unstable();
                    }
                    if near.is_empty() {
                        judged.push((sure(&own), Status::Converged));
                        continue;
                    }
                    let (model, effort) =
                        workspaces.lend(|workspace| learner.learn(&near, 0, workspace))?;
                    let mut judgement = Judgement::default();
                    match &model {
                        LocalModel::Constant(code) => {
                            let class = *code as u32;
                            let trust = f64::from(u8::from(class == own));
                            judgement = Judgement { class, trust };
                        }
                        LocalModel::Machines(machines) => Ready::new(machines, view)?.decide(
                            machines,
                            view,
                            view,
                            &[row],
                            &mut scratch,
                            &mut |_, decisions| {
                                judgement.class = machines.class(decisions);
                                judgement.trust = if self.local.probability {
                                    let mut shares = vec![0.0; n_classes];
                                    machines.probabilities(decisions, &mut shares)?;
                                    shares[own as usize]
                                } else {
                                    trust_of(own_margin(machines, decisions, own, |_| 0.0))
                                };
                                Ok(())
                            },
                        )?,
                    }
                    judged.push((judgement, effort.status));
                }
                Ok(judged)
            })?;
            for (at, (judgement, own_status)) in judged.into_iter().flatten().enumerate() {
                all[numbers[first + at]] = judgement;
                status = status.and(own_status);
            }
            Ok(())
        })?;
        Ok((all, status))
    }
}

impl FalkSvm {
    /// Judges the rows that the model was trained on, in the order of the data, each by the machine
    /// of its own centre; `codes` are the labels of the data. Rows without weight are not judged.
    pub fn judge(&self, codes: &[u32]) -> Result<Vec<Judgement>> {
        let Answers::Classes(labels) = &self.parts.store.answers else {
            return Err(Error::Target {
                needed: "class labels",
                found: "real targets",
            });
        };
        let stored = labels.codes();
        let view = self.samples();
        let judge = |row: u32, voice: &Voice<'_>| {
            let own = stored[row as usize];
            let class = voice.class();
            let trust = match voice {
                Voice::Constant(_) => f64::from(u8::from(class == own)),
                Voice::Decisions(machines, decisions) => {
                    let place = machines.support.binary_search(&row).ok();
                    let x = view.row(row as usize);
                    let own_value = match place {
                        Some(_) => machines.kernel.self_value(x, view.n_features())?,
                        None => 0.0,
                    };
                    let own_term = |number: usize| {
                        let beta = place.map_or(0.0, |place| {
                            machines.machines[number].coefficient_at(place as u32)
                        });
                        beta * own_value
                    };
                    trust_of(own_margin(machines, decisions, own, own_term))
                }
            };
            Ok(Judgement { class, trust })
        };
        let judged = self.consult_given(view, &self.parts.owner, 1, judge)?;
        let mut all: Vec<Judgement> = codes
            .iter()
            .map(|&class| Judgement { class, trust: 1.0 })
            .collect();
        for (row, judgement) in (0u32..).zip(judged) {
            let number = self.number_of(row) as usize;
            let slots = all.len();
            *all.get_mut(number).ok_or(Error::Shape {
                what: "labels of the rows to judge (at least)",
                expected: number + 1,
                found: slots,
            })? = judgement;
        }
        Ok(all)
    }
}
