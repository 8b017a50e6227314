//! What holds of correlation and information whatever the data.

use crate::select_support;

use hedgerow::data::{ClassLabels, Dataset, Generator, Samples, Target};
use hedgerow::select::{
    Binning, CorrelationParams, MutualInformationParams, Similarity, max_relevance,
};
use select_support::random_data;

fn dataset(columns: &[Vec<f64>], labels: &[f64]) -> Dataset {
    let rows = labels.len();
    let values = (0..rows)
        .flat_map(|i| columns.iter().map(move |column| column[i]))
        .collect();
    let samples = Samples::dense(rows, columns.len(), values).expect("valid");
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).expect("valid")
}

fn columns_of(data: &Dataset) -> Vec<Vec<f64>> {
    let view = data.samples().view();
    (0..view.n_features())
        .map(|f| {
            (0..view.n_rows())
                .map(|i| view.row(i).values()[f])
                .collect()
        })
        .collect()
}

fn labels_of(data: &Dataset) -> Vec<f64> {
    let codes = data.classes().expect("valid").codes();
    codes.iter().map(|&code| f64::from(code)).collect()
}

#[test]
fn correlation_has_its_identities() {
    let data = random_data(120, 8, 2, 0.0, 31);
    let correlation = CorrelationParams::default().fit(&data).expect("valid");
    let (columns, labels) = (columns_of(&data), labels_of(&data));
    for i in 0..8 {
        assert_eq!(correlation.pair(i, i), 1.0);
        for j in 0..8 {
            let value = correlation.pair(i, j);
            assert!((0.0..=1.0).contains(&value));
            assert_eq!(value, correlation.pair(j, i));
        }
    }
    // With two classes, both indicators say the same: the relevance is |ρ| with the class.
    let mut with_class = columns.clone();
    with_class.push(labels.clone());
    let extended = CorrelationParams::default()
        .fit(&dataset(&with_class, &labels))
        .expect("valid");
    for f in 0..8 {
        assert!((extended.pair(f, 8) - correlation.relevance(f)).abs() < 1e-12);
    }
    assert!((extended.relevance(8) - 1.0).abs() < 1e-12);
    // Neither unit nor origin nor sign of a feature matters.
    let changed: Vec<Vec<f64>> = (0u32..)
        .zip(&columns)
        .map(|(f, column)| {
            let factor = (f64::from(f) - 3.5) * 10.0;
            column.iter().map(|x| factor * x + 100.0).collect()
        })
        .collect();
    let other = CorrelationParams::default()
        .fit(&dataset(&changed, &labels))
        .expect("valid");
    for i in 0..8 {
        assert!((other.relevance(i) - correlation.relevance(i)).abs() < 1e-10);
        for j in 0..8 {
            assert!((other.pair(i, j) - correlation.pair(i, j)).abs() < 1e-10);
        }
    }
}

#[test]
fn a_feature_informs_of_itself_by_its_entropy() {
    let mut random = Generator::new(6);
    let columns: Vec<Vec<f64>> = (1..6)
        .map(|values| (0..97).map(|_| random.below(values) as f64).collect())
        .collect();
    let labels: Vec<f64> = (0..97).map(|_| random.below(3) as f64).collect();
    let information = MutualInformationParams::default()
        .with_binning(Binning::Values)
        .fit(&dataset(&columns, &labels))
        .expect("valid");
    for (f, column) in columns.iter().enumerate() {
        let mut entropy = 0.0;
        for value in 0..5u8 {
            let share = column.iter().filter(|&&x| x == f64::from(value)).count() as f64 / 97.0;
            if share > 0.0 {
                entropy -= share * share.ln();
            }
        }
        assert!((information.pair(f, f) - entropy).abs() < 1e-12);
        for other in 0..columns.len() {
            let shared = information.pair(f, other);
            assert_eq!(shared, information.pair(other, f));
            assert!(shared >= 0.0 && shared <= entropy + 1e-12);
        }
    }
}

#[test]
fn information_is_none_where_the_joint_counts_factorise_and_only_there() {
    // All pairs of three and four values, as often as the product of their own counts.
    let (first, second) = ([1, 2, 4], [3, 1, 2, 5]);
    let (mut a, mut b) = (Vec::new(), Vec::new());
    for (x, &often) in (0u8..).zip(&first) {
        for (y, &times) in (0u8..).zip(&second) {
            for _ in 0..often * times {
                a.push(f64::from(x));
                b.push(f64::from(y));
            }
        }
    }
    let labels = b.clone();
    let params = MutualInformationParams::default().with_binning(Binning::Values);
    let independent = params
        .fit(&dataset(&[a.clone(), b.clone()], &labels))
        .expect("valid");
    assert!(independent.pair(0, 1) < 1e-12);
    assert!(independent.relevance(0) < 1e-12);
    // One exchange, and they no longer do.
    let last = a.len() - 1;
    b.swap(0, last);
    assert_ne!(b[0], labels[0]);
    let dependent = params.fit(&dataset(&[a, b], &labels)).expect("valid");
    assert!(dependent.pair(0, 1) > 1e-6);
}

#[test]
fn discretising_forgets_unit_and_origin() {
    let data = random_data(150, 6, 3, 0.0, 33);
    let labels = labels_of(&data);
    // Powers of two and whole numbers: the arithmetic of the edges stays exact enough.
    let changed: Vec<Vec<f64>> = columns_of(&data)
        .iter()
        .map(|column| column.iter().map(|x| 4.0 * x + 2.0).collect())
        .collect();
    let params = MutualInformationParams::default();
    let one = params.fit(&data).expect("valid");
    let other = params.fit(&dataset(&changed, &labels)).expect("valid");
    for i in 0..6 {
        for j in 0..6 {
            assert!((one.pair(i, j) - other.pair(i, j)).abs() < 1e-12);
        }
    }
    assert_eq!(max_relevance(&one).features, max_relevance(&other).features);
}
