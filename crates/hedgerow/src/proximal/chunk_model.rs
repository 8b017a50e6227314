//! A model on a chunk of rows, and what it remembers so that it can learn from new ones.

use super::cregec::{CregecParams, led};
use super::model::ProximalModel;
use super::pair::{PairRows, Selected};
use super::selection::Offer;
use crate::capability::KeptRows;
use crate::data::{ClassLabels, ClassName, Dataset, Generator, Samples, SamplesView, Target};
use crate::error::ensure_shape;
use crate::kernel::{Kernel, check_samples};
use crate::machines::{ClassRows, Multiclass, pairs};
use crate::{Error, Prediction, Predictor, Result, ScoreMatrix};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::time::Instant;

/// The chunk of a pair of classes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PairChunk {
    /// Numbers of its rows, in the order in which they came: as trained on or added, from 0.
    pub rows: Vec<u32>,
    /// Class of each, in the order of the model.
    pub classes: Vec<u32>,
    /// Score on all rows when it was last changed, and the largest possible one.
    pub score: (u64, u64),
    /// Rows that were offered.
    pub tried: u64,
    /// Those that were taken in, after the first of each class.
    pub accepted: Vec<Offer>,
}

impl PairChunk {
    pub(super) fn new(selected: &Selected, class_of_row: &[u32]) -> Self {
        let accepted = selected.trace.iter().filter(|offer| offer.accepted);
        Self {
            rows: selected.places.clone(),
            classes: selected.classes(class_of_row),
            score: selected.score,
            tried: selected.tried,
            accepted: accepted.copied().collect(),
        }
    }
}

/// Rows that were seen and kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Memory {
    /// The rows.
    pub samples: Samples,
    /// Class of each, in the order of the model.
    pub class_of_row: Vec<u32>,
    /// Number of each, ascending.
    pub numbers: Vec<u32>,
    /// Rows that were ever seen.
    pub seen: u32,
}

impl Memory {
    pub(super) fn new(
        params: &CregecParams,
        data: &Dataset,
        rows: &ClassRows,
        chunks: &[PairChunk],
    ) -> Self {
        let n = data.n_rows() as u32;
        let mut memory = Self {
            samples: data.samples().clone(),
            class_of_row: rows.class_of_row.clone(),
            numbers: (0..n).collect(),
            seen: n,
        };
        memory.shrink(params, chunks, 0);
        memory
    }

    /// Forgets rows beyond the reservoir, a random choice among all seen; never rows of a chunk.
    /// The rows from `new` on have just come.
    fn shrink(&mut self, params: &CregecParams, chunks: &[PairChunk], new: usize) {
        let Some(limit) = params.reservoir else {
            return;
        };
        let is_kept = |number: u32| chunks.iter().any(|chunk| chunk.rows.contains(&number));
        let mut slots: Vec<usize> = (0..new.min(self.numbers.len())).collect();
        let mut forced = Vec::new();
        for row in new..self.numbers.len() {
            let number = self.numbers[row];
            if is_kept(number) {
                forced.push(row);
            } else if slots.len() < limit {
                slots.push(row);
            } else {
                // Each row stays with the probability limit / (rows so far).
                let mut generator = Generator::for_task(params.seed, u64::from(number));
                let slot = generator.below(number as usize + 1);
                if slot < slots.len() && !is_kept(self.numbers[slots[slot]]) {
                    slots[slot] = row;
                }
            }
        }
        slots.extend(forced);
        slots.sort_unstable();
        if slots.len() < self.numbers.len() {
            self.samples = self.samples.select(&slots);
            self.class_of_row = slots.iter().map(|&row| self.class_of_row[row]).collect();
            self.numbers = slots.iter().map(|&row| self.numbers[row]).collect();
        }
    }

    fn validate(&self, n_classes: usize) -> Result<()> {
        check_samples(&self.samples)?;
        let n = self.samples.n_rows();
        ensure_shape("classes of remembered rows", n, self.class_of_row.len())?;
        ensure_shape("numbers of remembered rows", n, self.numbers.len())?;
        let ascend = self.numbers.windows(2).all(|pair| pair[0] < pair[1]);
        let seen = self.numbers.last().is_none_or(|&last| last < self.seen);
        let known = self.class_of_row.iter().all(|&c| (c as usize) < n_classes);
        if ascend && seen && known {
            return Ok(());
        }
        Err(Error::Shape {
            what: "numbers and classes of remembered rows",
            expected: n_classes,
            found: n,
        })
    }

    /// Where rows with these numbers stand; `None` for one that is not there.
    fn places(&self, numbers: &[u32]) -> Option<Vec<u32>> {
        let place = |number: &u32| self.numbers.binary_search(number).ok().map(|at| at as u32);
        numbers.iter().map(place).collect()
    }

    fn members(&self, n_classes: usize) -> Vec<Vec<u32>> {
        let mut members = vec![Vec::new(); n_classes];
        for (row, &class) in self.class_of_row.iter().enumerate() {
            members[class as usize].push(row as u32);
        }
        members
    }
}

/// The numbers that a chunk model is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChunkParts {
    /// What answers.
    pub proximal: ProximalModel,
    /// How it was trained.
    pub params: CregecParams,
    /// The kernel, its width taken from the first rows.
    pub kernel: Kernel,
    /// A chunk a pair of classes.
    pub chunks: Vec<PairChunk>,
    /// The rows; `None` for a model that cannot learn further.
    pub memory: Option<Memory>,
}

/// A classifier by surfaces on a few rows, which can learn from new ones.
#[derive(Debug, Clone, PartialEq)]
pub struct ChunkModel {
    parts: ChunkParts,
}

/// What an update did.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ChunkUpdate {
    /// Rows that came.
    pub added: usize,
    /// Rows that went.
    pub removed: usize,
    /// Rows that were taken into chunks.
    pub accepted: usize,
    /// Rows of all chunks.
    pub chunk_rows: usize,
    /// Rows that are remembered.
    pub remembered: usize,
    /// Share of the score that the chunks have of what is possible, on the rows at hand.
    pub score: f64,
    /// Wall-clock seconds.
    pub seconds: f64,
}

impl ChunkModel {
    /// A model from its parts, or an error that says what does not fit together.
    pub fn from_parts(parts: ChunkParts) -> Result<Self> {
        parts.params.check()?;
        parts.kernel.check()?;
        let k = parts.proximal.classes().map_or(0, <[_]>::len);
        let expected = Multiclass::OneVsOne.n_machines(k);
        ensure_shape("chunks", expected, parts.chunks.len())?;
        for chunk in &parts.chunks {
            ensure_shape("classes of a chunk", chunk.rows.len(), chunk.classes.len())?;
            if let Some(&class) = chunk.classes.iter().find(|&&class| class as usize >= k) {
                return Err(Error::UnknownClass {
                    name: class.to_string(),
                });
            }
        }
        let kept = kept(&parts.chunks).len();
        ensure_shape("rows of all chunks", parts.proximal.n_centres(), kept)?;
        if let Some(memory) = &parts.memory {
            memory.validate(k)?;
            let n = parts.proximal.n_features();
            ensure_shape(
                "features of remembered rows",
                n,
                memory.samples.n_features(),
            )?;
            for chunk in &parts.chunks {
                if memory.places(&chunk.rows).is_none() || chunk.rows.len() < 2 {
                    return Err(Error::Shape {
                        what: "rows of a chunk that are remembered",
                        expected: chunk.rows.len().max(2),
                        found: memory.numbers.len(),
                    });
                }
            }
        }
        Ok(Self { parts })
    }

    /// The parts.
    pub fn parts(&self) -> &ChunkParts {
        &self.parts
    }

    /// The surfaces.
    pub fn proximal(&self) -> &ProximalModel {
        &self.parts.proximal
    }

    /// The rows of all chunks, each once, with its class.
    pub(super) fn kept(&self) -> KeptRows {
        let kept = kept(&self.parts.chunks);
        KeptRows {
            numbers: kept.iter().map(|row| row.0).collect(),
            classes: kept.iter().map(|row| row.1).collect(),
            samples: self.parts.proximal.expansion().support_vectors.clone(),
        }
    }

    /// Adds rows and removes others by their number. Chunk rows stay unless they are removed; new
    /// rows are offered as at the first selection. Nothing is changed if there is an error.
    pub fn update(&mut self, added: Option<&Dataset>, removed: &[u32]) -> Result<ChunkUpdate> {
        let start = Instant::now();
        let Some(before) = &self.parts.memory else {
            return Err(Error::ParameterValue {
                name: "updatable",
                value: "false".to_owned(),
                requirement: "true at the training of a model that is updated".to_owned(),
            });
        };
        let nothing = added.is_none_or(|data| data.n_rows() == 0) && removed.is_empty();
        let mut memory = before.clone();
        let mut chunks = self.parts.chunks.clone();
        forget(&mut memory, &mut chunks, removed)?;
        let old = memory.numbers.len();
        let n_added = self.take_in(&mut memory, added)?;
        let (mut accepted, mut proximal) = (0, self.parts.proximal.clone());
        if !nothing {
            let selected = self.reselect(&memory, &chunks, old, start)?;
            for (chunk, selected) in chunks.iter_mut().zip(&selected) {
                accepted += continue_chunk(chunk, selected, &memory);
            }
            proximal = self.rebuilt(&memory, &selected)?;
            memory.shrink(&self.parts.params, &chunks, old);
        }
        let score = |take: fn(&(u64, u64)) -> u64| -> f64 {
            chunks.iter().map(|chunk| take(&chunk.score) as f64).sum()
        };
        let report = ChunkUpdate {
            added: n_added,
            removed: removed.len(),
            accepted,
            chunk_rows: chunks.iter().map(|chunk| chunk.rows.len()).sum(),
            remembered: memory.numbers.len(),
            score: score(|s| s.0) / score(|s| s.1).max(1.0),
            seconds: start.elapsed().as_secs_f64(),
        };
        self.parts.chunks = chunks;
        self.parts.memory = Some(memory);
        self.parts.proximal = proximal;
        Ok(report)
    }

    fn names(&self) -> &[ClassName] {
        self.parts.proximal.classes().unwrap_or(&[])
    }

    /// Appends new rows to the memory.
    fn take_in(&self, memory: &mut Memory, added: Option<&Dataset>) -> Result<usize> {
        let Some(data) = added else {
            return Ok(0);
        };
        data.samples().view().ensure_finite()?;
        crate::data::ensure_equal_weights(data)?;
        let labels = data.classes()?;
        let class = |name: &ClassName| {
            let place = self.names().iter().position(|known| known == name);
            place.ok_or_else(|| Error::UnknownClass {
                name: name.to_string(),
            })
        };
        let counts = labels.counts();
        let mut class_of_code = vec![0u32; labels.n_classes()];
        for (code, name) in labels.names().iter().enumerate() {
            if counts[code] > 0 {
                class_of_code[code] = class(name)? as u32;
            }
        }
        memory.samples.append(data.samples().view())?;
        let codes = labels.codes().iter();
        memory
            .class_of_row
            .extend(codes.map(|&code| class_of_code[code as usize]));
        let n = data.n_rows() as u32;
        let end = memory.seen.checked_add(n).ok_or(Error::Shape {
            what: "rows that a model can number",
            expected: u32::MAX as usize,
            found: data.n_rows(),
        })?;
        memory.numbers.extend(memory.seen..end);
        memory.seen = end;
        Ok(data.n_rows())
    }

    /// The class that leads, as at the training.
    fn lead(&self) -> usize {
        self.parts.proximal.parts().tie as usize
    }

    /// Continues the selection of every pair with the rows from `old` on.
    fn reselect(
        &self,
        memory: &Memory,
        chunks: &[PairChunk],
        old: usize,
        start: Instant,
    ) -> Result<Vec<Selected>> {
        let params = &self.parts.params;
        let k = self.names().len();
        let members = memory.members(k);
        let lead = self.lead();
        let mut out = Vec::new();
        for ((a, b), chunk) in pairs(k).zip(chunks) {
            let (first, second) = led((a, b), lead);
            let view = memory.samples.view();
            let pair = PairRows::new(view, &members[first], &members[second])?;
            let places = memory.places(&chunk.rows).ok_or(Error::NoRows)?;
            let held = pair.positions(&places);
            let is_new = |&at: &usize| pair.places[at] as usize >= old;
            let (new, known): (Vec<usize>, Vec<usize>) = (0..pair.places.len()).partition(is_new);
            let refused: Vec<usize> = known.into_iter().filter(|at| !held.contains(at)).collect();
            let has = |first: bool| held.iter().any(|&at| pair.is_first(at) == first);
            let whole = has(true) && has(false);
            out.push(
                pair.select(&self.parts.kernel, params.rules(start), |selection| {
                    if held.is_empty() {
                        return selection.run();
                    }
                    if !whole {
                        return selection.complete(&held);
                    }
                    selection.resume(&held)?;
                    selection.offer_new(&new)?;
                    if params.revisit {
                        selection.offer_again(&refused)?;
                    }
                    Ok(())
                })?,
            );
        }
        Ok(out)
    }

    /// The surfaces of continued selections, calibrated anew if they were.
    fn rebuilt(&self, memory: &Memory, selected: &[Selected]) -> Result<ProximalModel> {
        let params = &self.parts.params;
        let labels = ClassLabels::new(self.names().to_vec(), memory.class_of_row.clone())?;
        let rows = ClassRows {
            codes: (0..self.names().len() as u32).collect(),
            names: self.names().to_vec(),
            class_of_row: memory.class_of_row.clone(),
            members: memory.members(self.names().len()),
        };
        let view = memory.samples.view();
        let kernel = &self.parts.kernel;
        let (model, _) = params.assemble(kernel, view, &rows, self.lead(), selected)?;
        if !params.probability {
            return Ok(model);
        }
        let data = Dataset::new(memory.samples.clone(), Target::Classes(labels))?;
        super::calibration::calibrated(model, &data, params.seed, |part| params.plain(part))
    }
}

/// Number and class of every row of some chunks, ascending.
fn kept(chunks: &[PairChunk]) -> Vec<(u32, u32)> {
    let rows = |chunk: &PairChunk| -> Vec<(u32, u32)> {
        let classes = chunk.classes.iter().copied();
        chunk.rows.iter().copied().zip(classes).collect()
    };
    let mut kept: Vec<(u32, u32)> = chunks.iter().flat_map(rows).collect();
    kept.sort_unstable();
    kept.dedup();
    kept
}

/// Forgets rows; chunks lose theirs.
fn forget(memory: &mut Memory, chunks: &mut [PairChunk], removed: &[u32]) -> Result<()> {
    if removed.is_empty() {
        return Ok(());
    }
    let mut gone = vec![false; memory.numbers.len()];
    for &number in removed {
        let place = memory.numbers.binary_search(&number).ok();
        match place {
            Some(place) if !gone[place] => gone[place] = true,
            _ => {
                return Err(Error::Parameter {
                    name: crate::capability::ROW_TO_REMOVE,
                    value: f64::from(number),
                    requirement: "the number of a row that the model still has, named once",
                });
            }
        }
    }
    for chunk in chunks.iter_mut() {
        let mut stays = chunk.rows.iter().map(|row| !removed.contains(row));
        chunk.classes.retain(|_| stays.next().unwrap_or(false));
        chunk.rows.retain(|row| !removed.contains(row));
    }
    let kept: Vec<usize> = (0..gone.len()).filter(|&row| !gone[row]).collect();
    memory.samples = memory.samples.select(&kept);
    memory.class_of_row = kept.iter().map(|&row| memory.class_of_row[row]).collect();
    memory.numbers = kept.iter().map(|&row| memory.numbers[row]).collect();
    Ok(())
}

/// Adds what a continued selection did; how many rows it took in.
fn continue_chunk(chunk: &mut PairChunk, selected: &Selected, memory: &Memory) -> usize {
    let number = |place: u32| memory.numbers[place as usize];
    chunk.rows = selected.places.iter().map(|&place| number(place)).collect();
    chunk.classes = selected.classes(&memory.class_of_row);
    chunk.score = selected.score;
    chunk.tried += selected.tried;
    let accepted = selected.trace.iter().filter(|offer| offer.accepted);
    let before = chunk.accepted.len();
    chunk.accepted.extend(accepted.map(|offer| Offer {
        row: number(offer.row),
        ..*offer
    }));
    chunk.accepted.len() - before
}

impl Predictor for ChunkModel {
    fn n_features(&self) -> usize {
        self.parts.proximal.n_features()
    }

    fn classes(&self) -> Option<&[ClassName]> {
        self.parts.proximal.classes()
    }

    fn predict(&self, samples: SamplesView<'_>) -> Result<Prediction> {
        self.parts.proximal.predict(samples)
    }

    fn scores(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        self.parts.proximal.scores(samples)
    }

    fn predict_with_scores(&self, samples: SamplesView<'_>) -> Result<(Prediction, ScoreMatrix)> {
        self.parts.proximal.predict_with_scores(samples)
    }

    fn probabilities(&self, samples: SamplesView<'_>) -> Result<ScoreMatrix> {
        self.parts.proximal.probabilities(samples)
    }
}

impl Serialize for ChunkModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.parts.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ChunkModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let parts = ChunkParts::deserialize(deserializer)?;
        Self::from_parts(parts).map_err(serde::de::Error::custom)
    }
}
