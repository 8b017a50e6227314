//! What the tests of kernel machines share: golden files, LIBSVM text, made-up data.
#![allow(dead_code, reason = "every test file uses its own part")]
#![allow(clippy::unwrap_used, unreachable_pub, reason = "helpers of tests")]

use hedgerow::data::{
    ClassLabels, ClassName, CsrMatrix, Dataset, Generator, Samples, SamplesView, Target,
};
use hedgerow::kernel::{Expansion, Kernel, KernelSpec, Machine};
use hedgerow::svm::{Multiclass, Sigmoid, SvmParts};
use hedgerow::{Prediction, Predictor};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;

pub fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/golden")
        .join(name)
}

pub fn read_golden(name: &str) -> String {
    std::fs::read_to_string(golden(name)).unwrap()
}

/// Labels and 1-based entries of LIBSVM text; precomputed rows have an entry 0.
pub type Lines = Vec<(f64, Vec<(usize, f64)>)>;

pub fn parse_lines(text: &str) -> Lines {
    text.lines()
        .map(|line| {
            let mut cells = line.split_whitespace();
            let label = cells.next().unwrap().parse().unwrap();
            (label, cells.map(parse_cell).collect())
        })
        .collect()
}

pub fn parse_cell(cell: &str) -> (usize, f64) {
    let (index, value) = cell.split_once(':').unwrap();
    (index.parse().unwrap(), value.parse().unwrap())
}

pub fn max_index(lines: &Lines) -> usize {
    lines
        .iter()
        .flat_map(|(_, cells)| cells.iter().map(|cell| cell.0))
        .max()
        .unwrap_or(0)
}

/// Sparse samples. Precomputed rows keep entry 0 as column 0, others shift by one.
pub fn sparse(rows: &[Vec<(usize, f64)>], highest: usize, precomputed: bool) -> Samples {
    let shift = usize::from(!precomputed);
    let (mut starts, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in rows {
        for &(index, value) in row {
            indices.push((index - shift) as u32);
            values.push(value);
        }
        starts.push(indices.len());
    }
    Samples::Sparse(CsrMatrix::new(highest + 1 - shift, starts, indices, values).unwrap())
}

pub fn dense(samples: &Samples) -> Samples {
    let view = samples.view();
    let mut values = vec![0.0; view.n_rows() * view.n_features()];
    for (i, row) in values.chunks_mut(view.n_features()).enumerate() {
        view.row(i).write_dense(row);
    }
    Samples::dense(view.n_rows(), view.n_features(), values).unwrap()
}

pub fn features(lines: &Lines) -> Vec<Vec<(usize, f64)>> {
    lines.iter().map(|line| line.1.clone()).collect()
}

pub fn labels(lines: &Lines) -> Vec<f64> {
    lines.iter().map(|line| line.0).collect()
}

/// LIBSVM letters by name.
pub fn letters(options: &serde_json::Value) -> BTreeMap<String, f64> {
    let words: Vec<&str> = options
        .as_array()
        .unwrap()
        .iter()
        .map(|word| word.as_str().unwrap())
        .collect();
    words
        .chunks(2)
        .map(|pair| {
            (
                pair[0].trim_start_matches('-').to_owned(),
                pair[1].parse().unwrap(),
            )
        })
        .collect()
}

/// The kernel that the letters mean.
pub fn kernel_of(letters: &BTreeMap<String, f64>) -> KernelSpec {
    let get = |name: &str| letters.get(name).copied();
    KernelSpec::from_libsvm(
        get("t").unwrap_or(2.0) as u32,
        get("d").unwrap_or(3.0) as u32,
        get("g"),
        get("r").unwrap_or(0.0),
    )
    .unwrap()
}

pub fn numbers(value: &serde_json::Value) -> Vec<f64> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|number| number.as_f64().unwrap())
        .collect()
}

/// LIBSVM model text of a classifier as parts.
pub fn parse_model(text: &str, n_features: usize) -> SvmParts {
    let (head, body) = text.split_once("SV\n").unwrap();
    let fields: HashMap<&str, Vec<&str>> = head
        .lines()
        .map(|line| {
            let mut words = line.split_whitespace();
            (words.next().unwrap(), words.collect())
        })
        .collect();
    let list = |name: &str| -> Vec<f64> {
        fields.get(name).map_or(Vec::new(), |words| {
            words.iter().map(|word| word.parse().unwrap()).collect()
        })
    };
    assert_eq!(
        fields["kernel_type"],
        ["rbf"],
        "the tests need no other kernel"
    );
    let counts: Vec<usize> = list("nr_sv").iter().map(|&count| count as usize).collect();
    let k = counts.len();
    let mut rows = Vec::new();
    let mut coefficients = Vec::new();
    for line in body.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let of_row: Vec<f64> = words[..k - 1]
            .iter()
            .map(|word| word.parse().unwrap())
            .collect();
        coefficients.push(of_row);
        rows.push(
            words[k - 1..]
                .iter()
                .map(|cell| parse_cell(cell))
                .collect::<Vec<_>>(),
        );
    }
    let ends: Vec<usize> = counts
        .iter()
        .scan(0, |sum, &count| {
            *sum += count;
            Some(*sum)
        })
        .collect();
    let mut machines = Vec::new();
    let rho = list("rho");
    for a in 0..k {
        for b in a + 1..k {
            let mut machine = Machine {
                support: Vec::new(),
                coefficients: Vec::new(),
                rho: rho[machines.len()],
            };
            for (class, column) in [(a, b - 1), (b, a)] {
                for s in ends[class] - counts[class]..ends[class] {
                    if coefficients[s][column] != 0.0 {
                        machine.support.push(s as u32);
                        machine.coefficients.push(coefficients[s][column]);
                    }
                }
            }
            machines.push(machine);
        }
    }
    let sigmoids = fields.contains_key("probA").then(|| {
        let both = list("probA").into_iter().zip(list("probB"));
        both.map(|(slope, offset)| Sigmoid { slope, offset })
            .collect()
    });
    SvmParts {
        expansion: Expansion {
            kernel: Kernel::rbf(list("gamma")[0]),
            n_features,
            support_vectors: sparse(&rows, n_features, false),
            machines,
        },
        classes: list("label").into_iter().map(ClassName::Number).collect(),
        support_counts: counts,
        multiclass: Multiclass::OneVsOne,
        sigmoids,
    }
}

pub fn codes(prediction: &Prediction) -> Vec<u32> {
    match prediction {
        Prediction::Classes(codes) => codes.clone(),
        Prediction::Real(_) => panic!("classes expected"),
    }
}

pub fn reals(prediction: &Prediction) -> Vec<f64> {
    match prediction {
        Prediction::Real(values) => values.clone(),
        Prediction::Classes(_) => panic!("real values expected"),
    }
}

/// Predicted names, as numbers.
pub fn predicted_numbers(model: &impl Predictor, view: SamplesView<'_>) -> Vec<f64> {
    let classes = model.classes().unwrap();
    codes(&model.predict(view).unwrap())
        .iter()
        .map(|&code| match &classes[code as usize] {
            ClassName::Number(value) => *value,
            ClassName::Text(text) => panic!("{text} is no number"),
        })
        .collect()
}

pub fn class_data(n_features: usize, values: Vec<f64>, labels: &[f64]) -> Dataset {
    let samples = Samples::dense(labels.len(), n_features, values).unwrap();
    Dataset::new(samples, Target::Classes(ClassLabels::from_numbers(labels))).unwrap()
}

pub fn real_data(n_features: usize, values: Vec<f64>, targets: &[f64]) -> Dataset {
    let samples = Samples::dense(targets.len(), n_features, values).unwrap();
    Dataset::new(samples, Target::Real(targets.to_vec())).unwrap()
}

/// Points of the unit square coloured like a board of 4 × 4 fields, a share of them wrongly.
pub fn checkerboard(n: usize, wrong: f64, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values = Vec::with_capacity(2 * n);
    let mut labels = Vec::with_capacity(n);
    for _ in 0..n {
        let (x, y) = (generator.uniform(), generator.uniform());
        let colour = ((4.0 * x) as usize + (4.0 * y) as usize).is_multiple_of(2);
        let flip = generator.uniform() < wrong;
        values.extend([x, y]);
        labels.push(if colour == flip { -1.0 } else { 1.0 });
    }
    class_data(2, values, &labels)
}

/// `k` overlapping clouds in the plane.
pub fn clouds(n: usize, k: usize, seed: u64) -> Dataset {
    let mut generator = Generator::new(seed);
    let mut values = Vec::with_capacity(2 * n);
    let mut labels = Vec::with_capacity(n);
    for i in 0..n {
        let angle = (i % k) as f64 * std::f64::consts::TAU / k as f64;
        values.extend([
            angle.cos() + 0.5 * generator.normal(),
            angle.sin() + 0.5 * generator.normal(),
        ]);
        labels.push((10 + i % k) as f64);
    }
    class_data(2, values, &labels)
}
