//! DROP1 to DROP5, ICF and IB3 against their definitions, by brute force.

#![allow(clippy::unwrap_used, reason = "what fails fails the test")]

use hedgerow::clean::{DropParams, DropRule, Edit, Editor, Ib3Params, IcfParams};
use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target, generate};
use proptest::prelude::*;

const RULES: [DropRule; 5] = [
    DropRule::Drop1,
    DropRule::Drop2,
    DropRule::Drop3,
    DropRule::Drop4,
    DropRule::Drop5,
];

/// Labelled points for the definitions, and the same for the library.
struct Plane {
    rows: Vec<[f64; 2]>,
    codes: Vec<usize>,
    data: Dataset,
}

impl Plane {
    fn new(rows: Vec<[f64; 2]>, codes: Vec<usize>) -> Self {
        let samples = Samples::dense(rows.len(), 2, rows.concat()).unwrap();
        let numbers: Vec<f64> = codes.iter().map(|&code| code as f64).collect();
        let target = Target::Classes(ClassLabels::from_numbers(&numbers));
        let data = Dataset::new(samples, target).unwrap();
        Self { rows, codes, data }
    }

    /// Rows on a grid of some width, so that copies and equal distances abound; labels by place, a
    /// share of them by chance.
    fn random(n: usize, classes: usize, width: usize, noise: f64, seed: u64) -> Self {
        let mut generator = Generator::new(seed);
        let mut coordinate = || generator.below(width) as f64;
        let rows: Vec<[f64; 2]> = (0..n).map(|_| [coordinate(), coordinate()]).collect();
        let code = |&[a, b]: &[f64; 2]| {
            let place = (4.0 * a / width as f64) as usize + (3.0 * b / width as f64) as usize;
            let by_chance = generator.uniform() < noise;
            let chance = generator.below(classes);
            if by_chance { chance } else { place % classes }
        };
        let codes = rows.iter().map(code).collect();
        Self::new(rows, codes)
    }

    fn n(&self) -> usize {
        self.rows.len()
    }

    fn far(&self, i: usize, j: usize) -> f64 {
        let [a, b] = [self.rows[i], self.rows[j]];
        ((a[0] - b[0]).powi(2) + (a[1] - b[1]).powi(2)).sqrt()
    }

    /// All of `among` but row `i`, by (distance, row).
    fn sorted(&self, i: usize, among: &[usize]) -> Vec<usize> {
        let mut list: Vec<usize> = among.iter().copied().filter(|&j| j != i).collect();
        list.sort_by(|&a, &b| self.far(i, a).total_cmp(&self.far(i, b)).then(a.cmp(&b)));
        list
    }

    /// The most frequent label of a list, of equals that which comes first.
    fn majority(&self, list: &[usize]) -> Option<usize> {
        let count = |code: usize| list.iter().filter(|&&j| self.codes[j] == code).count();
        let most = list.iter().map(|&j| count(self.codes[j])).max()?;
        let first = list.iter().find(|&&j| count(self.codes[j]) == most);
        first.map(|&j| self.codes[j])
    }

    fn is_right(&self, i: usize, k: usize, among: &[usize]) -> bool {
        let list = self.sorted(i, among);
        self.majority(&list[..k.min(list.len())]) == Some(self.codes[i])
    }

    fn enemy(&self, i: usize, among: &[usize]) -> f64 {
        let enemies = among.iter().filter(|&&j| self.codes[j] != self.codes[i]);
        enemies
            .map(|&j| self.far(i, j))
            .fold(f64::INFINITY, f64::min)
    }

    /// Wilson's rule as the library's ENN has it: strictly more votes than any other class.
    fn enn(&self, k: usize) -> Vec<usize> {
        let all: Vec<usize> = (0..self.n()).collect();
        let stands = |&i: &usize| {
            let list = self.sorted(i, &all);
            let list = &list[..k.min(list.len())];
            let count = |code: usize| list.iter().filter(|&&j| self.codes[j] == code).count();
            let own = self.codes[i];
            list.is_empty() || (0..4).all(|c| c == own || count(own) > count(c))
        };
        all.iter().copied().filter(stands).collect()
    }

    /// Whether as many rows of `asked` that have `p` among their k + 1 neighbours are right
    /// without it.
    fn dispensable(&self, p: usize, k: usize, left: &[usize], asked: &[usize]) -> bool {
        let rest: Vec<usize> = left.iter().copied().filter(|&j| j != p).collect();
        let (mut with, mut without) = (0, 0);
        for &a in asked.iter().filter(|&&a| a != p) {
            let list = self.sorted(a, left);
            if list.iter().take(k + 1).any(|&j| j == p) {
                with += usize::from(self.is_right(a, k, left));
                without += usize::from(self.is_right(a, k, &rest));
            }
        }
        without >= with
    }

    fn drop_by(&self, rule: DropRule, k: usize) -> Vec<usize> {
        let all: Vec<usize> = (0..self.n()).collect();
        let mut rows = all.clone();
        if rule == DropRule::Drop3 {
            rows = self.enn(k);
        }
        if rule == DropRule::Drop4 {
            for p in all {
                let noise = rows.len() > 1
                    && !self.is_right(p, k, &rows)
                    && self.dispensable(p, k, &rows, &rows);
                if noise {
                    rows.retain(|&j| j != p);
                }
            }
        }
        let mut left = rows.clone();
        let pass = |left: &mut Vec<usize>, order: &[usize]| {
            let before = left.len();
            for &p in order {
                let asked = if rule == DropRule::Drop1 {
                    left.clone()
                } else {
                    rows.clone()
                };
                let goes = left.contains(&p) && left.len() > 1;
                if goes && self.dispensable(p, k, left, &asked) {
                    left.retain(|&j| j != p);
                }
            }
            left.len() < before
        };
        // Sorts are stable: equals stay in the order of rows.
        let mut outer_first = rows.clone();
        outer_first.sort_by(|&a, &b| self.enemy(b, &rows).total_cmp(&self.enemy(a, &rows)));
        match rule {
            DropRule::Drop1 => {
                pass(&mut left, &rows);
            }
            DropRule::Drop2 | DropRule::Drop3 | DropRule::Drop4 => {
                pass(&mut left, &outer_first);
            }
            DropRule::Drop5 => {
                let mut inner_first = rows.clone();
                inner_first.sort_by(|&a, &b| self.enemy(a, &rows).total_cmp(&self.enemy(b, &rows)));
                pass(&mut left, &inner_first);
                while pass(&mut left, &outer_first) {}
            }
        }
        left
    }

    fn icf(&self, k: usize) -> Vec<usize> {
        let all: Vec<usize> = (0..self.n()).collect();
        let mut left = if k == 0 { all } else { self.enn(k) };
        loop {
            let reaches =
                |c: usize, other: usize| c != other && self.far(c, other) < self.enemy(c, &left);
            let stays = |&c: &usize| {
                let reachable = left.iter().filter(|&&j| reaches(c, j)).count();
                let coverage = left.iter().filter(|&&j| reaches(j, c)).count();
                reachable <= coverage
            };
            let next: Vec<usize> = left.iter().copied().filter(stays).collect();
            if next.len() == left.len() {
                return left;
            }
            left = next;
        }
    }

    fn ib3(&self, z_accept: f64, z_reject: f64, seed: u64) -> Vec<usize> {
        let bounds = |right: usize, asked: usize, z: f64| {
            let (g, p) = (asked as f64, right as f64 / asked as f64);
            let half = z * (p * (1.0 - p) / g + z * z / (4.0 * g * g)).sqrt();
            let middle = p + z * z / (2.0 * g);
            let scale = 1.0 + z * z / g;
            [(middle - half) / scale, (middle + half) / scale]
        };
        let share = |code: usize, seen: usize, z: f64| {
            let count = self.codes[..seen].iter().filter(|&&c| c == code).count();
            bounds(count, seen, z)
        };
        let mut generator = Generator::new(seed);
        let mut records = vec![(0usize, 0usize); self.n()];
        let mut members: Vec<usize> = Vec::new();
        let acceptable = |s: usize, (asked, right): (usize, usize), seen: usize| {
            asked > 0 && bounds(right, asked, z_accept)[0] > share(self.codes[s], seen, z_accept)[1]
        };
        for t in 0..self.n() {
            if members.is_empty() {
                members.push(t);
                continue;
            }
            let sorted = self.sorted(t, &members);
            let good = sorted.iter().find(|&&s| acceptable(s, records[s], t));
            let a = match good {
                Some(&a) => a,
                None => sorted[generator.below(members.len())],
            };
            let near = members.iter().copied();
            let near: Vec<usize> = near.filter(|&s| self.far(t, s) <= self.far(t, a)).collect();
            for s in near {
                let (asked, right) = &mut records[s];
                *asked += 1;
                *right += usize::from(self.codes[s] == self.codes[t]);
                let poor =
                    bounds(*right, *asked, z_reject)[1] < share(self.codes[s], t + 1, z_reject)[0];
                if poor {
                    members.retain(|&m| m != s);
                }
            }
            if self.codes[a] != self.codes[t] {
                members.push(t);
            }
        }
        let proved = |&s: &usize| acceptable(s, records[s], self.n());
        if members.iter().any(&proved) {
            members.retain(proved);
        }
        members
    }
}

fn drop_of(rule: DropRule, k: usize) -> DropParams {
    DropParams::default().with_rule(rule).with_neighbours(k)
}

#[test]
fn every_drop_is_its_definition() {
    for seed in 0..24 {
        let classes = 2 + seed as usize % 2;
        let width = [5, 9, 40][seed as usize % 3];
        let plane = Plane::random(36, classes, width, 0.15, seed);
        for rule in RULES {
            for k in [1, 2, 3, 5, 100] {
                let found = drop_of(rule, k).edit(&plane.data).unwrap().kept();
                let expected = plane.drop_by(rule, k);
                assert_eq!(found, expected, "{rule:?}, seed {seed}, k {k}");
            }
        }
    }
}

#[test]
fn a_larger_set_shrinks_as_the_definition_says() {
    // So many rows that the index of those left is built anew several times.
    let plane = Plane::random(150, 3, 60, 0.05, 5);
    let mut different = std::collections::BTreeSet::new();
    for rule in RULES {
        let found = drop_of(rule, 3).edit(&plane.data).unwrap().kept();
        assert_eq!(found, plane.drop_by(rule, 3), "{rule:?}");
        assert!(!found.is_empty() && found.len() < 75, "{}", found.len());
        different.insert(found);
    }
    assert_eq!(different.len(), 5);
}

#[test]
fn icf_is_its_definition() {
    for seed in 0..40 {
        let classes = 2 + seed as usize % 2;
        let width = [5, 9, 40][seed as usize % 3];
        let plane = Plane::random(80, classes, width, 0.05, seed);
        for k in [0, 1, 3] {
            let icf = IcfParams::default().with_neighbours(k);
            let found = icf.edit(&plane.data).unwrap().kept();
            assert_eq!(found, plane.icf(k), "seed {seed}, k {k}");
        }
    }
    // Classes that are large enough for neighbours to be searched for, most of them and not all.
    let plane = Plane::random(600, 2, 200, 0.0, 7);
    let found = IcfParams::default().edit(&plane.data).unwrap();
    assert_eq!(found.kept(), plane.icf(3));
}

#[test]
fn ib3_is_its_definition() {
    // Normal quantiles of 0.95 and 0.875.
    let (z_accept, z_reject) = (1.644_853_626_951_472_4, 1.150_349_380_376_008_3);
    let (mut proved, mut unproved) = (0, 0);
    for seed in 0..40 {
        let classes = 2 + seed as usize % 2;
        let width = [5, 9, 40][seed as usize % 3];
        let n = [30, 250][seed as usize / 2 % 2];
        let plane = Plane::random(n, classes, width, 0.1, seed);
        let found = Ib3Params::default().with_seed(seed).edit(&plane.data);
        let found = found.unwrap();
        let expected = plane.ib3(z_accept, z_reject, seed);
        assert_eq!(found.kept(), expected, "seed {seed}");
        let acceptable = found.facts.iter().find(|fact| fact.0 == "acceptable_rows");
        let any = acceptable.unwrap().1 > 0.0;
        proved += usize::from(any);
        unproved += usize::from(!any);
    }
    // Both ends of the rule were met.
    assert!(proved > 5 && unproved > 5, "{proved}, {unproved}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_small_set_is_edited_by_the_definitions(
        points in proptest::collection::vec((0u8..4, 0u8..4, 0usize..3), 1..14),
        k in 1usize..5,
    ) {
        let rows = points.iter().map(|&(a, b, _)| [f64::from(a), f64::from(b)]).collect();
        let plane = Plane::new(rows, points.iter().map(|&(_, _, code)| code).collect());
        for rule in RULES {
            let found = drop_of(rule, k).edit(&plane.data).unwrap().kept();
            prop_assert_eq!(found, plane.drop_by(rule, k), "{:?}", rule);
        }
        let icf = IcfParams::default().with_neighbours(k).edit(&plane.data).unwrap();
        prop_assert_eq!(icf.kept(), plane.icf(k));
    }
}

/// All editors of this module.
fn all_editors(data: &Dataset) -> Vec<Edit> {
    let mut edits: Vec<Edit> = RULES
        .iter()
        .map(|&rule| drop_of(rule, 3).edit(data).unwrap())
        .collect();
    edits.push(IcfParams::default().edit(data).unwrap());
    edits.push(Ib3Params::default().edit(data).unwrap());
    edits
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let data = generate::checkerboard(1500, 3, 0.05, 12).unwrap();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| all_editors(&data))
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(8));
}

/// The share of the rows of `test` that the nearest row of `train` gets right.
fn nearest_accuracy(train: &Dataset, test: &Dataset) -> f64 {
    let squared = |i: usize, j: usize| {
        let rows = [test.samples().view().row(i), train.samples().view().row(j)];
        let pairs = rows[0].values().iter().zip(rows[1].values());
        pairs.map(|(a, b)| (a - b).powi(2)).sum::<f64>()
    };
    let codes = |data: &Dataset| data.classes().unwrap().codes().to_vec();
    let (train_codes, test_codes) = (codes(train), codes(test));
    let right = |&i: &usize| {
        let nearest = (0..train.n_rows()).min_by(|&a, &b| squared(i, a).total_cmp(&squared(i, b)));
        train_codes[nearest.unwrap()] == test_codes[i]
    };
    (0..test.n_rows()).filter(right).count() as f64 / test.n_rows() as f64
}

#[test]
fn few_rows_answer_nearly_as_well_as_all() {
    let both = generate::checkerboard(2500, 3, 0.0, 3).unwrap();
    let data = both.select(&(0..1500).collect::<Vec<_>>());
    let test = both.select(&(1500..2500).collect::<Vec<_>>());
    let full = nearest_accuracy(&data, &test);
    assert!(full > 0.94, "{full}");
    // Largest share of the rows and largest loss: DROP1 to DROP5, ICF, IB3.
    let limits = [
        (0.15, 0.06),
        (0.2, 0.03),
        (0.2, 0.03),
        (0.2, 0.03),
        (0.15, 0.04),
        (0.2, 0.04),
        (0.1, 0.1),
    ];
    for (number, (edit, (most, loss))) in all_editors(&data).iter().zip(limits).enumerate() {
        let left = edit.apply(&data).unwrap();
        let share = left.n_rows() as f64 / 1500.0;
        let accuracy = nearest_accuracy(&left, &test);
        assert!(share < most, "editor {number} keeps {share}");
        assert!(
            accuracy > full - loss,
            "editor {number}: {accuracy}, {full}"
        );
    }
}

#[test]
fn hostile_data_have_a_defined_outcome() {
    let line = |n: usize| (0..n).map(|i| [i as f64, 0.0]).collect::<Vec<_>>();
    let kept = |plane: &Plane| -> Vec<usize> {
        let edits = all_editors(&plane.data);
        edits.iter().map(|edit| edit.kept().len()).collect()
    };
    // DROP1 to DROP5, ICF, IB3.
    let one_row = Plane::new(line(1), vec![0]);
    assert_eq!(kept(&one_row), [1; 7]);
    let one_class = Plane::new(line(10), vec![0; 10]);
    assert_eq!(kept(&one_class), [2, 2, 2, 2, 2, 10, 1]);
    let all_equal = Plane::new(vec![[5.0, 5.0]; 10], vec![0; 10]);
    assert_eq!(kept(&all_equal), [2, 2, 2, 2, 2, 10, 1]);
    let contradictory = Plane::new(vec![[5.0, 5.0]; 10], (0..10).map(|i| i % 2).collect());
    for rule in RULES {
        let found = drop_of(rule, 3).edit(&contradictory.data).unwrap();
        assert_eq!(found.kept(), contradictory.drop_by(rule, 3), "{rule:?}");
    }
    let found = IcfParams::default().edit(&contradictory.data).unwrap();
    assert_eq!(found.kept(), contradictory.icf(3));
    // Of two rows of different classes each contradicts the other: ENN removes both.
    let pair = Plane::new(line(2), vec![0, 1]);
    assert_eq!(kept(&pair), [1, 1, 0, 1, 1, 0, 2]);
    let labels = pair.data.classes().unwrap();
    let drop3 = drop_of(DropRule::Drop3, 3).edit(&pair.data).unwrap();
    assert_eq!(drop3.vanished(labels), [0, 1]);
    assert_eq!(drop3.apply(&pair.data).unwrap().n_rows(), 0);
    // More neighbours than there are rows, or numbers.
    for rule in RULES {
        let edit = drop_of(rule, usize::MAX).edit(&one_class.data).unwrap();
        assert!(!edit.kept().is_empty(), "{rule:?}");
    }
}

#[test]
fn values_out_of_range_are_refused() {
    let plane = Plane::random(20, 2, 9, 0.1, 1);
    assert!(drop_of(DropRule::Drop3, 0).edit(&plane.data).is_err());
    for wrong in [0.0, 1.0, f64::NAN] {
        let ib3 = Ib3Params::default();
        assert!(
            ib3.clone()
                .with_acceptance(wrong)
                .edit(&plane.data)
                .is_err()
        );
        assert!(ib3.with_rejection(wrong).edit(&plane.data).is_err());
    }
    assert!(IcfParams::default().edit(&plane.data.select(&[])).is_err());
}
