//! Rows of a kernel matrix kept under a byte budget.
//!
//! Rows live in slots of one arena, all of the same stride. A row holds its first `valid` entries;
//! when more are asked for, only the missing ones are computed. After a reordering that puts the
//! active positions first, every row is compacted and the stride shrinks with it, so that
//! the same bytes hold more rows.

use crate::kernel::Gram;
use crate::linalg::add_scaled_rows;
use crate::solve::smo::SymmetricMatrix;

/// Slots that exist whatever the budget says: fewer would stall the solver.
const MIN_SLOTS: usize = 32;
/// Rows of one task of a sub-matrix: full tiles of six and of sixteen.
const BAND_ROWS: usize = 48;
/// Queries of one pass when rows are not kept.
const TRANSIENT_QUERIES: usize = 48;
/// Columns of one task when rows are not kept.
const TRANSIENT_COLUMNS: usize = 1024;

const EMPTY: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct Slot {
    /// Position of the row kept here, or `EMPTY`.
    position: u32,
    valid: usize,
    last_use: u64,
}

/// A kernel matrix whose rows are computed on demand and kept while the budget lasts.
pub struct CachedGram<'a> {
    gram: Gram<'a>,
    diagonal: Vec<f64>,
    budget_bytes: usize,
    stride: usize,
    arena: Vec<f32>,
    slots: Vec<Slot>,
    /// Slot of each position, or `EMPTY`.
    slot_of: Vec<u32>,
    clock: u64,
}

impl<'a> CachedGram<'a> {
    /// Keeps rows of `gram` in about `budget_bytes`, the packed rows included; a few rows are kept
    /// whatever the budget.
    pub fn new(gram: Gram<'a>, budget_bytes: usize) -> crate::Result<Self> {
        let n = gram.len();
        let diagonal = gram.diagonal()?;
        // The solver adds up four such values in single precision.
        if diagonal
            .iter()
            .any(|&value| !(4.0 * value as f32).is_finite())
        {
            return Err(crate::Error::KernelUse {
                kernel: gram.kernel().to_string(),
                problem: "its values are not finite on these data: scale the features",
            });
        }
        let budget_bytes = budget_bytes.saturating_sub(gram.bytes());
        Ok(Self {
            gram,
            diagonal,
            budget_bytes,
            stride: n.max(1),
            arena: Vec::new(),
            slots: Vec::new(),
            slot_of: vec![EMPTY; n],
            clock: 0,
        })
    }

    /// Makes room for rows when the first is wanted: problems solved on their whole matrix never
    /// come here.
    fn allocate(&mut self) {
        if self.arena.is_empty() {
            // Zeroed pages are not touched until a row is written to them.
            self.arena = vec![0.0; self.max_slots() * self.stride];
        }
    }

    fn max_slots(&self) -> usize {
        let fitting = self.budget_bytes / (4 * self.stride);
        fitting.clamp(MIN_SLOTS, self.slot_of.len().max(MIN_SLOTS))
    }

    /// Makes sure that every position has a slot of its own; returns the slots.
    fn assign_slots(&mut self, positions: &[usize]) -> Vec<usize> {
        self.clock += 1;
        let mut missing = 0;
        for &p in positions {
            match self.slot_of[p] {
                EMPTY => missing += 1,
                slot => self.slots[slot as usize].last_use = self.clock,
            }
        }
        let room = self.arena.len() / self.stride;
        let first_fresh = self.slots.len();
        let fresh = missing.min(room - first_fresh);
        let mut free: Vec<usize> = (first_fresh..first_fresh + fresh).collect();
        let empty = Slot {
            position: EMPTY,
            valid: 0,
            last_use: 0,
        };
        self.slots.resize(first_fresh + fresh, empty);
        if free.len() < missing {
            let needed = missing - free.len();
            let mut by_age: Vec<(u64, usize)> = self
                .slots
                .iter()
                .enumerate()
                .filter(|&(s, slot)| slot.last_use != self.clock && s < first_fresh)
                .map(|(s, slot)| (slot.last_use, s))
                .collect();
            if by_age.len() > needed {
                by_age.select_nth_unstable(needed - 1);
                by_age.truncate(needed);
            }
            free.extend(by_age.into_iter().map(|(_, s)| s));
        }
        free.sort_unstable_by(|a, b| b.cmp(a));
        positions
            .iter()
            .map(|&p| {
                if self.slot_of[p] == EMPTY {
                    let s = free
                        .pop()
                        .expect("invariant: a batch never exceeds the slots");
                    if self.slots[s].position != EMPTY {
                        self.slot_of[self.slots[s].position as usize] = EMPTY;
                    }
                    self.slots[s] = Slot {
                        position: p as u32,
                        valid: 0,
                        last_use: self.clock,
                    };
                    self.slot_of[p] = s as u32;
                }
                self.slot_of[p] as usize
            })
            .collect()
    }

    /// Computes what is missing of the first `len` entries of the given rows.
    fn fill(&mut self, positions: &[usize], slots: &[usize], len: usize) {
        let mut todo: Vec<(usize, usize, usize)> = positions
            .iter()
            .zip(slots)
            .filter(|&(_, &s)| self.slots[s].valid < len)
            .map(|(&p, &s)| (self.slots[s].valid, s, p))
            .collect();
        todo.sort_unstable();
        let mut from = 0;
        while from < todo.len() {
            let valid = todo[from].0;
            let to = from + todo[from..].partition_point(|entry| entry.0 == valid);
            let group = &todo[from..to];
            let rows: Vec<usize> = group.iter().map(|entry| entry.2).collect();
            let queries = self
                .gram
                .own_queries(&rows)
                .expect("invariant: own rows fit the engine");
            let wanted: Vec<usize> = group.iter().map(|entry| entry.1).collect();
            let mut out: Vec<&mut [f32]> = disjoint_rows(&mut self.arena, self.stride, &wanted)
                .into_iter()
                .map(|row| &mut row[valid..len])
                .collect();
            self.gram.block(&queries, valid..len, &mut out);
            for &s in &wanted {
                self.slots[s].valid = len;
            }
            from = to;
        }
    }

    /// Gives rows the stride `len`, dropping the longest unused ones if they no longer fit.
    fn widen(&mut self, len: usize) {
        let room = self.arena.len() / len;
        let mut kept: Vec<usize> = (0..self.slots.len())
            .filter(|&s| self.slots[s].position != EMPTY)
            .collect();
        if kept.len() > room {
            kept.sort_unstable_by_key(|&s| (std::cmp::Reverse(self.slots[s].last_use), s));
            kept.truncate(room);
            kept.sort_unstable();
        }
        let old = self.stride;
        // First close the gaps, front to back; then spread, back to front: no row is overwritten
        // before it has moved.
        for (to, &from) in kept.iter().enumerate() {
            self.arena
                .copy_within(from * old..from * old + self.slots[from].valid, to * old);
        }
        self.slots = kept.iter().map(|&s| self.slots[s]).collect();
        for s in (0..self.slots.len()).rev() {
            self.arena
                .copy_within(s * old..s * old + self.slots[s].valid, s * len);
        }
        self.stride = len;
        self.index_slots();
    }

    fn index_slots(&mut self) {
        self.slot_of.fill(EMPTY);
        for (s, slot) in self.slots.iter().enumerate() {
            if slot.position != EMPTY {
                self.slot_of[slot.position as usize] = s as u32;
            }
        }
    }
}

/// The rows of the arena at ascending slots, all mutable at once.
fn disjoint_rows<'s>(arena: &'s mut [f32], stride: usize, slots: &[usize]) -> Vec<&'s mut [f32]> {
    let mut rows = Vec::with_capacity(slots.len());
    let mut rest = arena;
    let mut passed = 0;
    for &s in slots {
        let (_, tail) = rest.split_at_mut((s - passed) * stride);
        let (row, tail) = tail.split_at_mut(stride);
        rows.push(row);
        rest = tail;
        passed = s + 1;
    }
    rows
}

/// Copies what stands above the diagonal below it, tile by tile.
fn mirror(matrix: &mut [f32], n: usize) {
    const TILE: usize = 32;
    for row_tile in (0..n).step_by(TILE) {
        for column_tile in (0..=row_tile).step_by(TILE) {
            for i in row_tile..n.min(row_tile + TILE) {
                for j in column_tile..i.min(column_tile + TILE) {
                    matrix[i * n + j] = matrix[j * n + i];
                }
            }
        }
    }
}

impl SymmetricMatrix for CachedGram<'_> {
    fn len(&self) -> usize {
        self.slot_of.len()
    }

    fn diagonal(&self) -> Vec<f64> {
        self.diagonal.clone()
    }

    fn submatrix_into(&self, positions: &[usize], out: &mut [f32]) {
        let q = positions.len();
        let part;
        let in_order = q == self.len() && positions.iter().enumerate().all(|(k, &p)| k == p);
        let gram = if in_order {
            &self.gram
        } else {
            part = self
                .gram
                .subset(positions.iter().copied())
                .expect("invariant: the rows were bound before");
            &part
        };
        // Only on and above the diagonal, by bands of rows; what lies below is mirrored.
        let out = &mut out[..q * q];
        gram.for_each_chunk(out, BAND_ROWS * q.max(1), &|band, rows| {
            let first = band * BAND_ROWS;
            let own: Vec<usize> = (first..first + rows.len() / q).collect();
            let queries = gram
                .own_queries(&own)
                .expect("invariant: own rows fit the engine");
            let mut tails: Vec<&mut [f32]> =
                rows.chunks_mut(q).map(|row| &mut row[first..]).collect();
            gram.block_here(&queries, first..q, &mut tails);
        });
        for (k, &p) in positions.iter().enumerate() {
            out[k * q + k] = self.diagonal[p] as f32;
        }
        mirror(out, q);
    }

    fn has_row(&self, position: usize, len: usize) -> bool {
        match self.slot_of[position] {
            EMPTY => false,
            slot => self.slots[slot as usize].valid >= len,
        }
    }

    fn load_rows(&mut self, positions: &[usize], len: usize) {
        if let [only] = positions
            && self.has_row(*only, len)
        {
            self.clock += 1;
            self.slots[self.slot_of[*only] as usize].last_use = self.clock;
            return;
        }
        self.allocate();
        if len > self.stride {
            self.widen(len);
        }
        // Half of the slots at most, so that the row loaded before survives.
        let count = positions
            .len()
            .min(self.arena.len() / self.stride / 2)
            .max(1);
        let slots = self.assign_slots(&positions[..count]);
        self.fill(&positions[..count], &slots, len);
    }

    fn row(&self, position: usize, len: usize) -> &[f32] {
        let start = self.slot_of[position] as usize * self.stride;
        &self.arena[start..start + len]
    }

    fn add_columns(&self, positions: &[usize], factors: &[f64], start: usize, sum: &mut [f64]) {
        for (part, weights) in positions
            .chunks(TRANSIENT_QUERIES)
            .zip(factors.chunks(TRANSIENT_QUERIES))
        {
            let queries = self
                .gram
                .own_queries(part)
                .expect("invariant: own rows fit the engine");
            let gram = &self.gram;
            gram.for_each_chunk(sum, TRANSIENT_COLUMNS, &|task, entries| {
                let first = start + task * TRANSIENT_COLUMNS;
                let mut values = vec![0.0f32; part.len() * entries.len()];
                let mut rows: Vec<&mut [f32]> = values.chunks_mut(entries.len()).collect();
                gram.block_here(&queries, first..first + entries.len(), &mut rows);
                let rows: Vec<&[f32]> = values.chunks(entries.len()).collect();
                add_scaled_rows(entries, &rows, weights);
            });
        }
    }

    fn permute(&mut self, order: &[u32], active: usize) {
        self.gram = self
            .gram
            .subset(order.iter().map(|&p| p as usize))
            .expect("invariant: the rows were bound before");
        self.diagonal = order.iter().map(|&p| self.diagonal[p as usize]).collect();
        let mut new_position = vec![0u32; order.len()];
        for (p, &old) in order.iter().enumerate() {
            new_position[old as usize] = p as u32;
        }
        let old_stride = self.stride;
        let new_stride = active.max(1).min(old_stride);
        // The solver keeps active positions in order, so that a row can be compacted in place:
        // every entry moves towards the front.
        let kept = &order[..active.min(old_stride)];
        let ascending = kept.is_sorted();
        let mut kept_slots = Vec::with_capacity(self.slots.len());
        for (s, &slot) in self.slots.iter().enumerate() {
            if slot.position == EMPTY {
                continue;
            }
            let position = new_position[slot.position as usize];
            // Rows of inactive positions will hardly be asked for again.
            if !ascending || position as usize >= active {
                continue;
            }
            let from = s * old_stride;
            let to = kept_slots.len() * new_stride;
            let valid = kept
                .partition_point(|&old| (old as usize) < slot.valid)
                .min(new_stride);
            if to + valid <= from {
                let (front, back) = self.arena.split_at_mut(from);
                for (slot, &old) in front[to..to + valid].iter_mut().zip(kept) {
                    *slot = back[old as usize];
                }
            } else {
                for (k, &old) in kept[..valid].iter().enumerate() {
                    self.arena[to + k] = self.arena[from + old as usize];
                }
            }
            kept_slots.push(Slot {
                position,
                valid,
                ..slot
            });
        }
        self.slots = kept_slots;
        self.stride = new_stride;
        self.index_slots();
    }
}
