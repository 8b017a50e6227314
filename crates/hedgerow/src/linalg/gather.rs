//! Distances from one row to rows scattered over a store.

/// Values of which a store keeps the first so many of every row apart: a cache line. Most rows are
/// too far by these alone, and a store of them fits the caches of memory and of addresses better.
pub(crate) const LINE: usize = 16;

/// Rows whose other lines are fetched before the first of them is needed.
const ROWS_AHEAD: usize = 32;

type Line = [f32; LINE];

/// $\|x - q\|^2$ of one line.
#[inline(always)]
fn of_line(x: &Line, q: &Line) -> f32 {
    let mut sums = [0.0f32; LINE];
    for lane in 0..LINE {
        let difference = x[lane] - q[lane];
        sums[lane] = difference * difference;
    }
    let mut half = LINE / 2;
    while half > 0 {
        for lane in 0..half {
            sums[lane] += sums[lane + half];
        }
        half /= 2;
    }
    sums[0]
}

#[inline(always)]
fn near_body<const FMA: bool>(
    (heads, tails): (&[Line], &[Line]),
    from: u32,
    rows: &[u32],
    limit: f32,
    out: &mut [f32],
) {
    let query = &heads[from as usize];
    // Nothing is decided here, so that the waits for the rows overlap.
    for (value, &row) in out.iter_mut().zip(rows) {
        *value = of_line(&heads[row as usize], query);
    }
    let lines = tails.len() / heads.len();
    if lines == 0 {
        return;
    }
    let tail_of = |row: u32| &tails[row as usize * lines..][..lines];
    let query = tail_of(from);
    for (values, rows) in out.chunks_mut(ROWS_AHEAD).zip(rows.chunks(ROWS_AHEAD)) {
        // Where a distance is complete depends on the row: without this each would be waited for.
        let touched = values.iter().zip(rows).fold(0, |seen, (&value, &row)| {
            let tail = tail_of(if value <= limit { row } else { from });
            seen ^ tail[0][0].to_bits() ^ tail[lines / 2][0].to_bits()
        });
        std::hint::black_box(touched);
        for (value, &row) in values.iter_mut().zip(rows) {
            if *value <= limit {
                for (x, q) in tail_of(row).iter().zip(query) {
                    *value += of_line(x, q);
                    if *value > limit {
                        break;
                    }
                }
            }
        }
    }
}

multiversion! {
    /// $\|x_r - x_f\|^2$ of the row `from` and others, whose first lines and whose other lines stand
    /// one row after the other. What is more than `limit` may be less than the distance, but not
    /// less than that.
    pub(crate) fn gather_near[](
        store: (&[Line], &[Line]),
        from: u32,
        rows: &[u32],
        limit: f32,
        out: &mut [f32],
    ) = near_body;
}

/// Bytes of a line of codes.
pub(crate) const CODES: usize = 64;

type Codes = [u8; CODES];

/// $\sum (a - b)^2$ of one line.
#[inline(always)]
fn of_codes(a: &Codes, b: &Codes) -> u32 {
    let mut sum = 0;
    for lane in 0..CODES {
        let difference = i32::from(a[lane]) - i32::from(b[lane]);
        sum += (difference * difference) as u32;
    }
    sum
}

#[inline(always)]
fn codes_body<const FMA: bool>(
    (codes, lines): (&[Codes], usize),
    from: u32,
    rows: &[u32],
    limit: u32,
    out: &mut [f32],
) {
    let codes_of = |row: u32| &codes[row as usize * lines..][..lines];
    let query = codes_of(from);
    for (values, rows) in out.chunks_mut(ROWS_AHEAD).zip(rows.chunks(ROWS_AHEAD)) {
        // As above: so that the waits for the rows overlap.
        let touched = rows.iter().fold(0, |seen, &row| {
            let codes = codes_of(row);
            seen ^ codes[0][0] ^ codes[lines / 2][0]
        });
        std::hint::black_box(touched);
        for (value, &row) in values.iter_mut().zip(rows) {
            let mut sum = 0u32;
            for (a, b) in codes_of(row).iter().zip(query) {
                sum = sum.saturating_add(of_codes(a, b));
                if sum > limit {
                    break;
                }
            }
            *value = sum as f32;
        }
    }
}

multiversion! {
    /// $\sum (c_r - c_f)^2$ of the row `from` and others whose codes take so many lines each. What is
    /// more than `limit` may be less than the sum, but not less than that.
    pub(crate) fn gather_codes[](
        store: (&[Codes], usize),
        from: u32,
        rows: &[u32],
        limit: u32,
        out: &mut [f32],
    ) = codes_body;
}
