//! From the nearest boxes to farther ones until nothing nearer can come.

use super::{BucketTree, FAN};
use crate::data::Row;
use crate::linalg::{Hit, PANEL, boxes_within, relative_to, rows_within, shared_sq_dist};
use crate::neighbours::GONE;
use crate::neighbours::candidates::Candidates;
use crate::neighbours::metric::Embedding;
use crate::neighbours::packing_frame::{ROUNDOFF, sq_norm};

/// Farthest query that is searched for in single precision, in units of the outermost row.
const FARTHEST: f64 = (1u64 << 40) as f64;
/// Levels of the largest conceivable tree.
const MAX_LEVELS: usize = 16;

/// Buffers of one search.
#[derive(Debug, Clone, Default)]
pub(in crate::neighbours) struct BucketScratch {
    probe: Probe,
    relative: Vec<f32>,
    /// The coordinates in which a bucket varies.
    varying: Vec<f32>,
    /// For each level the boxes within reach that have not been visited.
    boxes: Vec<Vec<Hit>>,
    hits: Vec<Hit>,
    /// Values that all searches so far have compared with a query.
    pub(in crate::neighbours) compared: usize,
}

/// A query in the frame of a tree.
#[derive(Debug, Clone, Default)]
struct Probe {
    exact: Vec<f64>,
    single: Vec<f32>,
    /// Error of a distance to a box, apart from what is proportional to it.
    box_error: f64,
    /// Error of a distance to a row that comes from double precision.
    row_error: f64,
}

impl BucketTree {
    /// Relative error of a distance summed in single precision.
    fn relative_error(&self) -> f64 {
        (self.width as f64 + 6.0) * 0.5 * ROUNDOFF
    }

    /// Brings a query into the frame. False if it lies out of range: look at every row then.
    fn prepare(&self, embedding: Embedding<'_>, query: Row<'_>, probe: &mut Probe) -> bool {
        probe.exact.resize(self.width, 0.0);
        if !self.frame.write(embedding, query, &mut probe.exact) {
            return false;
        }
        let norm = sq_norm(&probe.exact).sqrt();
        if norm.is_nan() || norm > FARTHEST {
            return false;
        }
        probe.single.clear();
        probe
            .single
            .extend(probe.exact.iter().map(|&value| value as f32));
        // Differences below 1e-19 vanish when squared in single precision.
        let vanished = 1e-18 * (self.width as f64).sqrt();
        probe.row_error = f64::EPSILON * 4.0 * (1.0 + norm) + vanished;
        probe.box_error = ROUNDOFF * norm + probe.row_error;
        true
    }

    /// Adds the rows that may be among the nearest. Returns false, having added nothing, if the
    /// query cannot be searched for in this way.
    pub(in crate::neighbours) fn search(
        &self,
        embedding: Embedding<'_>,
        order: &[u32],
        query: Row<'_>,
        scratch: &mut BucketScratch,
        found: &mut Candidates,
    ) -> bool {
        if self.width == 0 || !self.prepare(embedding, query, &mut scratch.probe) {
            return false;
        }
        scratch.relative.resize(self.width, 0.0);
        if scratch.boxes.len() < self.levels.len() {
            scratch
                .boxes
                .resize(MAX_LEVELS.max(self.levels.len()), Vec::new());
        }
        self.visit(order, (self.levels.len() - 1, 0), scratch, found);
        true
    }

    /// The largest squared single-precision distance that a reach allows for.
    fn limit(&self, reach: f64, error: f64) -> f32 {
        let distance = (reach * self.frame.scale() + error) * (1.0 + 2.0 * self.relative_error());
        let squared = distance * distance * (1.0 + 1e-6);
        if squared < f64::from(f32::MAX) {
            squared as f32
        } else {
            f32::MAX
        }
    }

    /// One panel of a level, given by the numbers of both.
    fn visit(
        &self,
        order: &[u32],
        (level, p): (usize, usize),
        scratch: &mut BucketScratch,
        found: &mut Candidates,
    ) {
        let size = 2 * FAN * self.width;
        let panel = &self.levels[level][p * size..(p + 1) * size];
        let limit = self.limit(found.reach(), scratch.probe.box_error);
        let mut boxes = std::mem::take(&mut scratch.boxes[level]);
        boxes.clear();
        scratch.compared += size;
        boxes_within(panel, &scratch.probe.single, limit, &mut boxes);
        // The nearest first. Most searches end after a few of them, so that sorting all would be
        // more work than looking for the next one.
        while let Some(at) = nearest(&boxes) {
            let hit = boxes.swap_remove(at);
            if hit.squared > self.limit(found.reach(), scratch.probe.box_error) {
                break;
            }
            let child = p * FAN + hit.at as usize;
            if self.comes_too_late(level, child, found.k()) {
                continue;
            }
            if level == 0 {
                self.scan(order, (child, hit.squared), scratch, found);
            } else {
                self.visit(order, (level - 1, child), scratch, found);
            }
        }
        scratch.boxes[level] = boxes;
    }

    /// Whether a box holds only rows at a place where more than enough rows of lower numbers lie:
    /// of equally near rows those come first.
    fn comes_too_late(&self, level: usize, child: usize, k: usize) -> bool {
        let buckets = FAN.pow(level as u32);
        let first = child * buckets;
        let last = (first + buckets).min(self.ahead.len()) - 1;
        // One more than wanted, because a row may be asked for its neighbours without itself.
        let enough = self.ahead[first] as usize > k;
        enough
            && self.ahead[last] as usize
                == self.ahead[first] as usize + (last - first) * self.bucket
    }

    /// The rows of a bucket whose box is `squared` away.
    fn scan(
        &self,
        order: &[u32],
        (bucket, squared): (usize, f32),
        scratch: &mut BucketScratch,
        found: &mut Candidates,
    ) {
        let width = self.width;
        let centre = &self.centres[bucket * width..(bucket + 1) * width];
        scratch.compared += width;
        relative_to(&scratch.probe.exact, centre, &mut scratch.relative);
        let relative_error = self.relative_error();
        // |q − c| is at most the way to the box and on to its centre.
        let radius = f64::from(self.radii[bucket]);
        let to_box = f64::from(squared).sqrt() * (1.0 + relative_error) + scratch.probe.box_error;
        let error = ROUNDOFF * (to_box + 2.0 * radius) + scratch.probe.row_error;
        let limit = self.limit(found.reach(), error);
        let columns = self.columns_of(bucket);
        let values = &self.values[columns.start * self.bucket..columns.end * self.bucket];
        let (mut shared, mut query) = (0.0, scratch.relative.as_slice());
        if columns.len() < width {
            let common = &self.common[bucket * width..(bucket + 1) * width];
            shared = shared_sq_dist(&scratch.relative, common);
            if shared > limit {
                return;
            }
            scratch.varying.clear();
            let varying = self.columns[columns].iter();
            scratch
                .varying
                .extend(varying.map(|&f| scratch.relative[f as usize]));
            query = &scratch.varying;
        }
        scratch.hits.clear();
        scratch.compared += values.len();
        rows_within(values, query, shared, limit, &mut scratch.hits);
        let unit = 1.0 / self.frame.scale();
        for hit in &scratch.hits {
            let row = order[bucket * self.bucket + hit.at as usize];
            if row != GONE {
                let distance = f64::from(hit.squared).sqrt();
                let lower = distance * (1.0 - relative_error) - error;
                let upper = distance * (1.0 + relative_error) + error;
                found.push(row, lower * unit, upper * unit);
            }
        }
    }

    /// The bucket whose box is nearest, roughly: queries in this order meet rows that the ones
    /// before have brought into the cache.
    pub(in crate::neighbours) fn bucket_near(
        &self,
        embedding: Embedding<'_>,
        query: Row<'_>,
        scratch: &mut BucketScratch,
    ) -> usize {
        if self.width == 0 || !self.prepare(embedding, query, &mut scratch.probe) {
            return 0;
        }
        let size = 2 * FAN * self.width;
        self.levels.iter().rev().fold(0, |p, panels| {
            scratch.hits.clear();
            let panel = &panels[p * size..(p + 1) * size];
            boxes_within(panel, &scratch.probe.single, f32::MAX, &mut scratch.hits);
            let nearest = nearest(&scratch.hits).map_or(0, |at| scratch.hits[at].at);
            p * FAN + nearest as usize
        })
    }
}

/// Where the nearest of some boxes stands; the first if several are as near.
fn nearest(boxes: &[Hit]) -> Option<usize> {
    let (first, others) = boxes.split_first()?;
    let mut best = (0, first.squared);
    for (at, hit) in (1..).zip(others) {
        if hit.squared < best.1 {
            best = (at, hit.squared);
        }
    }
    Some(best.0)
}

const _: () = assert!(FAN == PANEL);
