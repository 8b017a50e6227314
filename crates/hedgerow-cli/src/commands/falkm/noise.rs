//! `FkNNSVM-nr` and `FaLKNR`: the lines of a file without those that look wrong.

use super::answer;
use super::lazy::local_params;
use super::options::Words;
use super::selection::Candidates;
use crate::failure::Failure;
use crate::input;
use crate::session::Session;
use hedgerow::clean::{Edit, Editor, FalkNrParams, KnnSvmNrParams};
use hedgerow::data::Dataset;
use hedgerow::local::{FalkGrid, FalkParams};
use hedgerow::neighbours::CoverTreeParams;
use hedgerow_io::{IoError, OutputFile, ReadOptions, Source, TargetKind};
use serde_json::json;
use std::path::Path;
use std::time::Instant;

/// The relaxation of FaLKNR, unless it is given.
const RELAXATION: u32 = 3;

pub(super) fn fknnsvm_nr(session: &Session, words: &Words) -> Result<(), Failure> {
    // No levels here: the letter can only be wrong.
    words.relaxation()?;
    let select = words.switch("-L")?;
    let k = words.whole("-K")?;
    if k.is_none() && !(select && words.has("-N")) {
        return Err(words
            .program
            .refuse("-K, the size of neighbourhoods, must be given, for example -K 200"));
    }
    let params = KnnSvmNrParams {
        neighbours: k.unwrap_or(1),
        threshold: words.number("-T")?.unwrap_or(0.5),
        local: local_params(session, words)?,
        ..KnnSvmNrParams::default()
    };
    params
        .check()
        .map_err(|error| words.program.refuse(error))?;
    // Half of each neighbourhood is validated, as there is no -P.
    let judge = FalkParams {
        neighbours: params.neighbours,
        core: 0.5,
        local: params.local.clone(),
        ..FalkParams::default()
    };
    let candidates = candidates(session, words, &judge, select)?;
    edit(session, words, params.neighbours, |data| {
        let mut params = params.clone();
        if let Some(candidates) = &candidates {
            // As in the judgement itself, the row in the middle takes no part.
            let grid = FalkGrid {
                includes_centre: false,
                ..grid_of(candidates)
            };
            let (chosen, _) = judge.select(data, &grid)?;
            params.neighbours = chosen.neighbours;
            params.local = chosen.local;
        }
        Ok((params.neighbours, params.edit(data)?))
    })
}

pub(super) fn falknr(session: &Session, words: &Words) -> Result<(), Failure> {
    let tree = if words.has("-R") {
        words.relaxation()?
    } else {
        CoverTreeParams {
            relaxation: RELAXATION,
            ..CoverTreeParams::default()
        }
    };
    let usual = words.whole("-K")?.unwrap_or(1000);
    let mut params = FalkNrParams {
        neighbours: Some(usual),
        core: words.number("-P")?.unwrap_or(0.5),
        local: local_params(session, words)?,
        tree,
        ..FalkNrParams::default()
    };
    params
        .check()
        .map_err(|error| words.program.refuse(error))?;
    let machine = params.machine(usual);
    let candidates = candidates(session, words, &machine, words.switch("-L")?)?;
    params.grid = candidates.as_ref().map(grid_of);
    edit(session, words, usual, |data| {
        let edit = params.edit(data)?;
        let chosen = edit.facts.iter().find(|(name, _)| *name == "neighbours");
        let k = chosen.map_or(usual, |(_, k)| *k as usize);
        Ok((k, edit))
    })
}

/// What `-L 1` chooses from; letters of the choice are of no use without it.
fn candidates(
    session: &Session,
    words: &Words,
    params: &FalkParams,
    select: bool,
) -> Result<Option<Candidates>, Failure> {
    let candidates = Candidates::read(words, params)?;
    if select {
        return Ok(Some(candidates));
    }
    Candidates::warn_unused(session, words);
    Ok(None)
}

fn grid_of(candidates: &Candidates) -> FalkGrid {
    FalkGrid::default()
        .with_neighbours(&candidates.k)
        .with_costs(&candidates.costs)
        .with_kernels(candidates.kernels.clone())
        .with_models(candidates.models)
}

/// Edits the input file and writes what stays.
fn edit(
    session: &Session,
    words: &Words,
    k: usize,
    decide: impl FnOnce(&Dataset) -> hedgerow::Result<(usize, Edit)>,
) -> Result<(), Failure> {
    let silent = words.switch("-S")?;
    let [file, out] = words.files(["input_file", "edited_file"])?;
    session.claim_output("edited_file", out)?;
    let options = ReadOptions::default()
        .with_target(TargetKind::Classes)
        .with_lines();
    let input = input::read(session, &Source::from_argument(file), &options)?;
    answer::refuse_kernel_values(&input)?;
    let data = &input.loaded.dataset;
    answer::check_size(session, k, data.n_rows());
    let start = Instant::now();
    let (k, edit) = decide(data).map_err(Failure::data(&input.name))?;
    let seconds = start.elapsed().as_secs_f64();
    let path = Path::new(out);
    let mut target = OutputFile::create(path)?;
    if let Some(lines) = &input.loaded.lines {
        lines
            .write_kept(&edit.keep, &mut target)
            .map_err(|source| IoError::Write {
                path: path.to_path_buf(),
                source,
            })?;
    }
    target.finish()?;
    let removed = edit.removed().len();
    if !silent {
        session.say(format_args!(
            "{} rows, k = {k}: {removed} removed ({:.2}%), {} kept",
            data.n_rows(),
            100.0 * removed as f64 / data.n_rows() as f64,
            data.n_rows() - removed
        ))?;
    }
    let labels = data.classes()?;
    for code in edit.vanished(labels) {
        let class = &labels.names()[code as usize];
        session.warn(format_args!("no row of class {class} is left"));
    }
    session.result(&json!({
        "program": words.program.name,
        "data": input.name,
        "out": out,
        "rows": data.n_rows(),
        "k": k,
        "removed": removed,
        "seconds": seconds,
    }))
}
