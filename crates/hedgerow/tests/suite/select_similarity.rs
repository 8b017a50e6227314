//! Mutual information and correlation against scikit-learn, numpy and naive loops.

use crate::select_support;

use hedgerow::data::{ClassLabels, CsrMatrix, Dataset, Generator, Samples, Target};
use hedgerow::select::{
    Binning, Correlation, CorrelationParams, CorrelationRelevance, GivenSimilarity, MaxDependency,
    MrmrParams, MrmrScheme, MutualInformationParams, Similarity, max_relevance,
};
use hedgerow::{Error, Result};
use proptest::prelude::*;
use select_support::{as_sparse, golden, numbers, random_data};
use std::sync::atomic::{AtomicUsize, Ordering};

fn golden_data() -> Dataset {
    let golden = golden();
    let width = golden["n_features"].as_u64().expect("valid") as usize;
    let values = numbers(&golden["values"]);
    let samples = Samples::dense(values.len() / width, width, values).expect("valid");
    let labels = ClassLabels::from_numbers(&numbers(&golden["labels"]));
    Dataset::new(samples, Target::Classes(labels)).expect("valid")
}

#[test]
fn information_equals_scikit_learns() {
    let data = golden_data();
    for expected in golden()["information"].as_array().expect("valid") {
        let binning = Binning::Deviations {
            bins: expected["bins"].as_u64().expect("valid") as usize,
            deviations: expected["deviations"].as_f64().expect("valid"),
        };
        let params = MutualInformationParams::default().with_binning(binning);
        let dense = params.fit(&data).expect("valid");
        let sparse = params.fit(&as_sparse(&data)).expect("valid");
        let relevance = numbers(&expected["relevance"]);
        let matrix = dense.matrix(u64::MAX).expect("valid");
        let all: Vec<usize> = (0..9).collect();
        assert_eq!(matrix, dense.rows(&all), "the matrix is its rows");
        assert_eq!(matrix, sparse.matrix(u64::MAX).expect("valid"));
        for (i, row) in expected["matrix"]
            .as_array()
            .expect("valid")
            .iter()
            .enumerate()
        {
            assert!((dense.relevance(i) - relevance[i]).abs() < 1e-12);
            let mut own = vec![0.0; 9];
            dense.row_into(i, &mut own);
            for (j, value) in numbers(row).into_iter().enumerate() {
                assert!(
                    (own[j] - value).abs() < 1e-12,
                    "{i} {j}: {} {value}",
                    own[j]
                );
                assert_eq!(own[j], dense.pair(j, i));
                assert_eq!(own[j], matrix[i * 9 + j]);
            }
        }
        assert!(dense.is_constant(8) && !dense.is_constant(7));
    }
}

#[test]
fn correlation_equals_numpys() {
    let data = golden_data();
    let dense = CorrelationParams::default().fit(&data).expect("valid");
    let sparse = CorrelationParams::default()
        .fit(&as_sparse(&data))
        .expect("valid");
    let matrix = dense.matrix(u64::MAX).expect("valid");
    let from_sparse = sparse.matrix(u64::MAX).expect("valid");
    for (i, row) in golden()["correlation"]
        .as_array()
        .expect("valid")
        .iter()
        .enumerate()
    {
        for (j, value) in numbers(row).into_iter().enumerate() {
            assert!((matrix[i * 9 + j] - value).abs() < 1e-12);
            assert!((dense.pair(i, j) - value).abs() < 1e-12);
            // Column 5 lies a million deviations from the origin, where products cancel.
            let tolerance = if i == 5 || j == 5 { 1e-3 } else { 1e-12 };
            assert!((from_sparse[i * 9 + j] - value).abs() < tolerance);
            assert!((sparse.pair(i, j) - value).abs() < tolerance);
        }
        assert!((dense.relevance(i) - naive_relevance(&data, i)).abs() < 1e-12);
    }
}

/// Prior-weighted correlation with the indicators of the classes, by the definition.
fn naive_relevance(data: &Dataset, f: usize) -> f64 {
    let view = data.samples().view();
    let n = view.n_rows();
    let column: Vec<f64> = (0..n).map(|i| view.row(i).values()[f]).collect();
    let labels = data.classes().expect("valid");
    let mut sum = 0.0;
    for (class, count) in labels.counts().into_iter().enumerate() {
        let indicator: Vec<f64> = labels
            .codes()
            .iter()
            .map(|&code| f64::from(u8::from(code as usize == class)))
            .collect();
        sum += count as f64 / n as f64 * naive_correlation(&column, &indicator).abs();
    }
    sum
}

fn naive_correlation(a: &[f64], b: &[f64]) -> f64 {
    let n = a.len() as f64;
    let (ma, mb) = (a.iter().sum::<f64>() / n, b.iter().sum::<f64>() / n);
    let mut sums = [0.0; 3];
    for (x, y) in a.iter().zip(b) {
        sums[0] += (x - ma) * (y - mb);
        sums[1] += (x - ma) * (x - ma);
        sums[2] += (y - mb) * (y - mb);
    }
    if a.iter().all(|&x| x == a[0]) || b.iter().all(|&y| y == b[0]) {
        return 0.0;
    }
    sums[0] / (sums[1] * sums[2]).sqrt()
}

/// Information by a double loop over the codes.
fn naive_information(a: &[usize], b: &[usize]) -> f64 {
    let n = a.len() as f64;
    let count = |test: &dyn Fn(usize) -> bool| (0..a.len()).filter(|&i| test(i)).count() as f64;
    let mut sum = 0.0;
    for x in 0..=*a.iter().max().expect("valid") {
        for y in 0..=*b.iter().max().expect("valid") {
            let joint = count(&|i| a[i] == x && b[i] == y) / n;
            if joint > 0.0 {
                let (px, py) = (count(&|i| a[i] == x) / n, count(&|i| b[i] == y) / n);
                sum += joint * (joint / (px * py)).ln();
            }
        }
    }
    sum
}

#[test]
fn a_circle_is_uncorrelated_and_yet_dependent() {
    let mut random = Generator::new(5);
    let mut values = Vec::new();
    for _ in 0..2000 {
        let t = std::f64::consts::TAU * random.range(-1.0, 1.0);
        values.extend([t.sin(), t.cos()]);
    }
    let labels = ClassLabels::from_numbers(&vec![1.0; 2000]);
    let samples = Samples::dense(2000, 2, values).expect("valid");
    let data = Dataset::new(samples, Target::Classes(labels)).expect("valid");
    let correlation = CorrelationParams::default().fit(&data).expect("valid");
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    assert!(correlation.pair(0, 1) < 0.06);
    assert!(information.pair(0, 1) > 0.2);
    // One class only: nothing is relevant.
    assert_eq!(information.relevances(), [0.0, 0.0]);
    assert_eq!(correlation.relevances(), [0.0, 0.0]);
}

#[test]
fn a_balanced_binary_feature_keeps_its_information() {
    let values: Vec<f64> = (0..40).map(|i| f64::from(i % 2)).collect();
    let labels = ClassLabels::from_numbers(&values);
    let samples = Samples::dense(40, 1, values).expect("valid");
    let data = Dataset::new(samples, Target::Classes(labels)).expect("valid");
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    assert!((information.relevance(0) - 2f64.ln()).abs() < 1e-12);
    assert!((information.pair(0, 0) - 2f64.ln()).abs() < 1e-12);
}

#[test]
fn pairs_may_be_judged_by_rows_where_neither_is_zero() {
    let data = random_data(120, 6, 3, 0.5, 3);
    let params = MutualInformationParams::default()
        .with_binning(Binning::Quantiles { bins: 3 })
        .with_nonzero_only(true);
    let information = params.fit(&data).expect("valid");
    let view = data.samples().view();
    let column = |f: usize| -> Vec<f64> { (0..120).map(|i| view.row(i).values()[f]).collect() };
    let code = |values: &[f64], x: f64| {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        usize::from(x > sorted[39]) + usize::from(x > sorted[79] && sorted[79] > sorted[39])
    };
    let (a, b) = (column(0), column(1));
    let kept: Vec<usize> = (0..120).filter(|&i| a[i] != 0.0 && b[i] != 0.0).collect();
    let codes =
        |values: &[f64]| -> Vec<usize> { kept.iter().map(|&i| code(values, values[i])).collect() };
    let expected = naive_information(&codes(&a), &codes(&b));
    assert!((information.pair(0, 1) - expected).abs() < 1e-12);
    let classes = data.classes().expect("valid").codes();
    let nonzero: Vec<usize> = (0..120).filter(|&i| a[i] != 0.0).collect();
    let own: Vec<usize> = nonzero.iter().map(|&i| code(&a, a[i])).collect();
    let class: Vec<usize> = nonzero.iter().map(|&i| classes[i] as usize).collect();
    assert!((information.relevance(0) - naive_information(&own, &class)).abs() < 1e-12);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn information_is_what_a_double_loop_finds(
        codes in prop::collection::vec((0u8..5, 0u8..3, 0u8..4), 1..200),
    ) {
        let values = codes.iter().flat_map(|&(a, b, _)| [f64::from(a), f64::from(b)]).collect();
        let labels: Vec<f64> = codes.iter().map(|&(_, _, c)| f64::from(c)).collect();
        let samples = Samples::dense(codes.len(), 2, values).expect("valid");
        let labels = ClassLabels::from_numbers(&labels);
        let data = Dataset::new(samples, Target::Classes(labels)).expect("valid");
        let information = MutualInformationParams::default()
            .with_binning(Binning::Values)
            .fit(&data)
            .expect("valid");
        let a: Vec<usize> = codes.iter().map(|c| usize::from(c.0)).collect();
        let b: Vec<usize> = codes.iter().map(|c| usize::from(c.1)).collect();
        let class: Vec<usize> = codes.iter().map(|c| usize::from(c.2)).collect();
        prop_assert!((information.pair(0, 1) - naive_information(&a, &b)).abs() < 1e-12);
        prop_assert!((information.relevance(0) - naive_information(&a, &class)).abs() < 1e-12);
        prop_assert_eq!(information.pair(0, 1), information.pair(1, 0));
        let entropies = information.pair(0, 0).min(information.pair(1, 1));
        prop_assert!(information.pair(0, 1) >= 0.0 && information.pair(0, 1) <= entropies + 1e-12);
    }
}

/// mRMR by the definition, on the whole matrix.
fn naive_mrmr(similarity: &dyn Similarity, scheme: MrmrScheme, offset: f64) -> Vec<usize> {
    let n = similarity.n_features();
    let mut chosen: Vec<usize> = Vec::new();
    while chosen.len() < n {
        let score = |f: usize| {
            if chosen.is_empty() {
                return similarity.relevance(f);
            }
            let sum: f64 = chosen.iter().map(|&c| similarity.pair(c, f)).sum();
            let mean = sum / chosen.len() as f64;
            match scheme {
                MrmrScheme::Difference => similarity.relevance(f) - mean,
                MrmrScheme::Quotient => similarity.relevance(f) / (mean + offset),
            }
        };
        let open = (0..n).filter(|f| !chosen.contains(f));
        let best = open.fold(None, |best: Option<(usize, f64)>, f| match best {
            Some((_, value)) if value >= score(f) => best,
            _ => Some((f, score(f))),
        });
        chosen.push(best.expect("valid").0);
    }
    chosen
}

#[test]
fn mrmr_is_the_naive_double_loop() {
    // Wide enough for rows of similarities to be computed before they are asked for, many times.
    let data = random_data(90, 50, 3, 0.0, 8);
    let f_statistic = CorrelationParams::default().with_relevance(CorrelationRelevance::FStatistic);
    let similarities: [Box<dyn Similarity>; 4] = [
        Box::new(
            MutualInformationParams::default()
                .fit(&data)
                .expect("valid"),
        ),
        Box::new(CorrelationParams::default().fit(&data).expect("valid")),
        Box::new(f_statistic.fit(&data).expect("valid")),
        Box::new(f_statistic.fit(&as_sparse(&data)).expect("valid")),
    ];
    for similarity in &similarities {
        for (scheme, offset) in [
            (MrmrScheme::Difference, 0.01),
            (MrmrScheme::Quotient, 0.01),
            (MrmrScheme::Quotient, 0.0),
        ] {
            let params = MrmrParams::default()
                .with_scheme(scheme)
                .with_quotient_offset(offset);
            let all = params.rank(similarity.as_ref()).expect("valid");
            let naive = naive_mrmr(similarity.as_ref(), scheme, offset);
            assert_eq!(all.features, naive);
            for count in [1, 2, 17, 40] {
                let some = params
                    .with_count(count)
                    .rank(similarity.as_ref())
                    .expect("valid");
                assert_eq!(some.features, all.features[..count]);
                assert_eq!(some.scores, all.scores[..count]);
            }
        }
    }
}

/// Similarities that count the rows they are asked for.
struct Counted {
    inner: Correlation,
    rows: AtomicUsize,
    passes: AtomicUsize,
    together: usize,
}

impl Similarity for Counted {
    fn n_features(&self) -> usize {
        self.inner.n_features()
    }

    fn pair(&self, first: usize, second: usize) -> f64 {
        self.inner.pair(first, second)
    }

    fn relevance(&self, feature: usize) -> f64 {
        self.inner.relevance(feature)
    }

    fn rows_together(&self) -> usize {
        self.together
    }

    fn row_into(&self, feature: usize, out: &mut [f64]) {
        self.rows.fetch_add(1, Ordering::Relaxed);
        self.passes.fetch_add(1, Ordering::Relaxed);
        self.inner.row_into(feature, out);
    }

    fn rows(&self, features: &[usize]) -> Vec<f64> {
        self.rows.fetch_add(features.len(), Ordering::Relaxed);
        self.passes.fetch_add(1, Ordering::Relaxed);
        self.inner.rows(features)
    }
}

#[test]
fn rows_of_runners_up_are_computed_ahead_and_change_nothing() {
    let data = random_data(200, 300, 2, 0.0, 12);
    let params = MrmrParams::default().with_count(50);
    let mut found = Vec::new();
    for together in [1, 2, 16] {
        let counted = Counted {
            inner: CorrelationParams::default().fit(&data).expect("valid"),
            rows: AtomicUsize::new(0),
            passes: AtomicUsize::new(0),
            together,
        };
        found.push(params.rank(&counted).expect("valid"));
        let (rows, passes) = (counted.rows.into_inner(), counted.passes.into_inner());
        if together == 1 {
            assert_eq!((rows, passes), (49, 49), "no row for the last choice");
        } else {
            assert!(passes < 49 && rows >= 49, "{rows} rows in {passes} passes");
            // Passes that do not pay become smaller.
            assert!(rows < 3 * 49, "{rows} rows in {passes} passes");
        }
    }
    assert_eq!(found[0], found[1]);
    assert_eq!(found[0], found[2]);
}

#[test]
fn correlation_is_what_a_double_loop_finds_however_it_is_asked() {
    // More rows than a tile has, and a rest that fills no vector.
    let data = random_data(1_037, 37, 3, 0.0, 21);
    let correlation = CorrelationParams::default().fit(&data).expect("valid");
    let columns: Vec<Vec<f64>> = (0..37)
        .map(|f| {
            let view = data.samples().view();
            (0..view.n_rows())
                .map(|i| view.row(i).values()[f])
                .collect()
        })
        .collect();
    let all: Vec<usize> = (0..37).collect();
    let rows = correlation.rows(&all);
    let some = correlation.rows(&[5, 30, 5]);
    assert_eq!(some[..37], rows[5 * 37..6 * 37]);
    assert_eq!(some[37..74], rows[30 * 37..31 * 37]);
    assert_eq!(some[74..], some[..37]);
    assert!(correlation.rows(&[]).is_empty());
    let mut own = vec![0.0; 37];
    for i in 0..37 {
        correlation.row_into(i, &mut own);
        assert_eq!(own, rows[i * 37..(i + 1) * 37]);
        for j in 0..37 {
            let naive = naive_correlation(&columns[i], &columns[j]).abs();
            assert!((own[j] - naive).abs() < 1e-12, "{i} {j}");
            assert_eq!(own[j], correlation.pair(i, j));
            assert_eq!(own[j], rows[j * 37 + i], "symmetric to the last bit");
        }
    }
}

#[test]
fn constant_features_come_last_and_twins_by_index() {
    let data = random_data(60, 5, 2, 0.0, 4);
    let view = data.samples().view();
    let mut values = Vec::new();
    for i in 0..60 {
        let row = view.row(i).values();
        values.extend([3.5, row[0], row[1], row[0], row[2], -row[0], 0.1]);
    }
    let samples = Samples::dense(60, 7, values).expect("valid");
    let data = Dataset::new(samples, data.target().clone()).expect("valid");
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    assert_eq!(information.relevance(1), information.relevance(3));
    let ranking = MrmrParams::default().rank(&information).expect("valid");
    assert_eq!(ranking.features[5..], [0, 6]);
    let relevance = max_relevance(&information);
    let place = |f: usize| {
        relevance
            .features
            .iter()
            .position(|&x| x == f)
            .expect("valid")
    };
    assert!(place(1) < place(3));
    assert!(relevance.scores.is_sorted_by(|a, b| a >= b));
}

#[test]
fn the_best_pair_may_hold_two_features_that_are_useless_alone() {
    // Class = exclusive or of features 0 and 2; feature 1 agrees with the class a little.
    let mut random = Generator::new(9);
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    for i in 0..200 {
        let (a, b) = (i % 2, i / 2 % 2);
        let class = a ^ b;
        let hint = if random.uniform() < 0.7 {
            class
        } else {
            1 - class
        };
        values.extend([f64::from(a), f64::from(hint), f64::from(b)]);
        labels.push(f64::from(class));
    }
    let labels = ClassLabels::from_numbers(&labels);
    let samples = Samples::dense(200, 3, values).expect("valid");
    let data = Dataset::new(samples, Target::Classes(labels.clone())).expect("valid");
    let information = MutualInformationParams::default()
        .fit(&data)
        .expect("valid");
    let dependency = MaxDependency::new(&information, &labels).expect("valid");
    let (best, value) = dependency.exhaustive(2).expect("valid");
    assert_eq!(best, [0, 2]);
    assert!((value - 2f64.ln()).abs() < 1e-9);
    let greedy = dependency.greedy(3);
    assert_eq!(greedy.features[0], 1);
    assert!((dependency.joint_information(&[1]) - information.relevance(1)).abs() < 1e-12);
    assert!(greedy.scores.is_sorted());
}

#[test]
fn hostile_data_have_defined_ends() {
    let empty = Samples::dense(0, 3, vec![]).expect("valid");
    let none = Dataset::new(empty, Target::Classes(ClassLabels::from_numbers(&[]))).expect("valid");
    let params = MutualInformationParams::default();
    assert_eq!(params.fit(&none).err(), Some(Error::NoRows));
    assert_eq!(
        CorrelationParams::default().fit(&none).err(),
        Some(Error::NoRows)
    );

    let unlabelled = Dataset::new(
        Samples::dense(2, 1, vec![1.0, 2.0]).expect("valid"),
        Target::None,
    );
    assert!(matches!(
        params.fit(&unlabelled.expect("valid")),
        Err(Error::Target { .. })
    ));

    let bad = params.with_binning(Binning::Deviations {
        bins: 4,
        deviations: 1.0,
    });
    assert!(matches!(
        bad.check(),
        Err(Error::Parameter { name: "bins", .. })
    ));

    let wide = Samples::dense(3, 1, vec![f64::MAX, -f64::MAX, f64::MAX]).expect("valid");
    let labels = ClassLabels::from_numbers(&[0.0, 1.0, 0.0]);
    let data = Dataset::new(wide, Target::Classes(labels)).expect("valid");
    assert!(matches!(
        params.fit(&data),
        Err(Error::TooWide { column: 1, .. })
    ));
    assert!(matches!(
        CorrelationParams::default().fit(&data),
        Err(Error::TooWide { .. })
    ));

    let many: Vec<f64> = (0..300).map(f64::from).collect();
    let labels = ClassLabels::from_numbers(&vec![0.0; 300]);
    let data = Dataset::new(
        Samples::dense(300, 1, many).expect("valid"),
        Target::Classes(labels),
    );
    let values = params
        .with_binning(Binning::Values)
        .fit(&data.expect("valid"));
    assert!(matches!(
        values,
        Err(Error::TooManyValues { column: 1, .. })
    ));

    // One row: every feature is constant, every ranking is the order of the index.
    let one = Samples::dense(1, 4, vec![4.0, 3.0, 2.0, 1.0]).expect("valid");
    let labels = ClassLabels::from_texts(&["only"]);
    let data = Dataset::new(one, Target::Classes(labels)).expect("valid");
    let information = params.fit(&data).expect("valid");
    assert_eq!(
        MrmrParams::default()
            .rank(&information)
            .expect("valid")
            .features,
        [0, 1, 2, 3]
    );
    assert_eq!(max_relevance(&information).features, [0, 1, 2, 3]);

    let lopsided = GivenSimilarity::new(vec![1.0, 0.5, 0.4, 1.0], vec![0.1, 0.2]);
    assert!(matches!(
        lopsided,
        Err(Error::NotSymmetric {
            row: 2,
            column: 1,
            ..
        })
    ));
}

#[test]
fn sparse_columns_without_entries_are_constant() -> Result<()> {
    let matrix = CsrMatrix::new(4, vec![0, 1, 2, 3], vec![1, 1, 3], vec![2.0, 5.0, 1.0])?;
    let labels = ClassLabels::from_numbers(&[0.0, 1.0, 1.0]);
    let data = Dataset::new(Samples::Sparse(matrix), Target::Classes(labels))?;
    let information = MutualInformationParams::default().fit(&data)?;
    let correlation = CorrelationParams::default().fit(&data)?;
    for f in [0, 2] {
        assert!(information.is_constant(f) && correlation.is_constant(f));
        assert_eq!(correlation.relevance(f), 0.0);
    }
    Ok(())
}
