//! When to look at a duality gap that is dear to compute.

/// Work between two looks at the gap where nothing tells how fast it closes, in visits of all
/// variables: a look costs about half a visit.
const LOOK_EVERY: f64 = 3.0;
/// Least and most work between two looks later, and most when the gap is in sight.
const LEAST_WAIT: f64 = 0.5;
const MOST_WAIT: f64 = 8.0;
const MOST_WAIT_IN_SIGHT: f64 = 2.0;
/// Share of the work to the goal, as the last two looks promise it, after which to look again.
const SHARE_OF_PROMISE: f64 = 0.6;
/// Gap, in multiples of the one asked for, that is near the goal.
const IN_SIGHT: f64 = 3.0;

/// When to look at the gap. Work is in visits of all variables, a gap in multiples of what is asked
/// for.
#[derive(Default)]
pub(super) struct Looks {
    last: Option<Look>,
    /// When the mean of the weights begins anew, so that it has no part in what was long ago.
    half_way: Option<f64>,
    next: f64,
}

/// What a look found.
struct Look {
    work: f64,
    range: f64,
    gap: f64,
}

impl Looks {
    /// Whether it is time for another look: passes over few variables cost little work, but the
    /// range of gradients tells what they achieve.
    pub(super) fn is_due(&self, work: f64, range: f64) -> bool {
        let last = self.last.as_ref();
        // A pass that moved nobody has no range to speak of.
        let fell = last.is_some_and(|last| range > 0.0 && range <= last.range / 2.0);
        work >= self.next || fell
    }

    /// Whether the time of the mean is half over, told once.
    pub(super) fn is_half_way(&mut self, work: f64) -> bool {
        self.half_way.take_if(|at| work >= *at).is_some()
    }

    /// Whether the last gap was near the goal.
    pub(super) fn is_in_sight(&self) -> bool {
        self.last.as_ref().is_some_and(|last| last.gap <= IN_SIGHT)
    }

    /// Notes what was found, and sets the time of the next look by how fast the gap closes.
    pub(super) fn note(&mut self, work: f64, range: f64, gap: f64) {
        let wait = match &self.last {
            Some(last) if gap < last.gap => {
                let rate = (last.gap / gap).ln() / (work - last.work);
                let most = if gap <= IN_SIGHT {
                    MOST_WAIT_IN_SIGHT
                } else {
                    MOST_WAIT
                };
                (SHARE_OF_PROMISE * gap.ln() / rate).clamp(LEAST_WAIT, most)
            }
            _ => LOOK_EVERY,
        };
        self.half_way = Some(work + wait / 2.0);
        self.next = work + wait;
        let range = match &self.last {
            Some(last) if range <= 0.0 => last.range,
            _ => range,
        };
        self.last = Some(Look { work, range, gap });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_when_the_gap_promises_to_be_closed() {
        let mut looks = Looks::default();
        assert!(looks.is_due(0.1, 9.0), "the first look");
        looks.note(10.0, 0.4, 64.0);
        assert!(!looks.is_in_sight());
        assert!(!looks.is_due(10.0 + LOOK_EVERY - 0.1, 0.4));
        assert!(looks.is_due(10.0 + LOOK_EVERY, 0.4));
        assert!(looks.is_due(10.1, 0.2), "the range has halved");
        assert!(!looks.is_due(10.1, 0.0) && !looks.is_due(10.1, f64::NEG_INFINITY));
        // Eightfold in three visits: as much again would close it.
        looks.note(13.0, 0.3, 8.0);
        assert!(!looks.is_half_way(13.8) && looks.is_half_way(14.0));
        assert!(!looks.is_half_way(14.1), "told once");
        assert!(!looks.is_due(14.7, 0.3) && looks.is_due(14.9, 0.3));
        // In sight, and hardly moving: not for longer than that.
        looks.note(15.0, 0.3, 2.0);
        assert!(looks.is_in_sight());
        looks.note(16.0, 0.3, 1.99);
        assert!(looks.is_due(16.0 + MOST_WAIT_IN_SIGHT, 0.3));
        // A pass that moved nobody leaves the range that the next is compared with.
        looks.note(17.0, f64::NEG_INFINITY, 1.9);
        assert!(looks.is_due(17.1, 0.15) && !looks.is_due(17.1, 0.16));
    }
}
