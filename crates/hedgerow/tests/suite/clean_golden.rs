//! Editors against imbalanced-learn's answers, and against brute force.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::svm_support;

use hedgerow::clean::{
    AdasynParams, AknnParams, Editor, EnnParams, LinkRows, NearMissParams, RennParams, SmoteParams,
    TomekParams,
};
use hedgerow::data::{ClassLabels, ClassName, Dataset, Samples, Target};
use serde_json::Value;
use svm_support::read_golden;

struct Case {
    name: String,
    data: Dataset,
    value: Value,
}

fn numbers(value: &Value) -> Vec<usize> {
    let list = value.as_array().unwrap().iter();
    list.map(|number| number.as_u64().unwrap() as usize)
        .collect()
}

/// The sets, with codes that are the labels: imbalanced-learn breaks ties by the smaller label.
fn cases() -> Vec<Case> {
    let golden: Value = serde_json::from_str(&read_golden("editing.json")).unwrap();
    let case = |value: &Value| {
        let codes: Vec<u32> = numbers(&value["labels"])
            .iter()
            .map(|&c| c as u32)
            .collect();
        let n_classes = codes.iter().max().unwrap() + 1;
        let names = (0..n_classes).map(|c| ClassName::Number(f64::from(c)));
        let values = value["values"].as_array().unwrap().iter();
        let values = values.map(|x| x.as_f64().unwrap()).collect();
        let width = value["n_features"].as_u64().unwrap() as usize;
        let samples = Samples::dense(codes.len(), width, values).unwrap();
        let labels = ClassLabels::new(names.collect(), codes).unwrap();
        Case {
            name: value["name"].as_str().unwrap().to_owned(),
            data: Dataset::new(samples, Target::Classes(labels)).unwrap(),
            value: value.clone(),
        }
    };
    let sets = golden["sets"].as_array().unwrap();
    sets.iter().map(case).collect()
}

fn codes(data: &Dataset) -> &[u32] {
    data.classes().unwrap().codes()
}

fn enn(k: usize, conservative: bool) -> EnnParams {
    EnnParams::default()
        .with_neighbours(k)
        .with_conservative(conservative)
}

/// Other rows, nearest first, by sorting all.
fn others(data: &Dataset, i: usize) -> Vec<usize> {
    let view = data.samples().view();
    let distance = |j: usize| -> f64 {
        let (a, b) = (view.row(i).values(), view.row(j).values());
        a.iter().zip(b).map(|(x, y)| (x - y) * (x - y)).sum()
    };
    let mut order: Vec<usize> = (0..data.n_rows()).filter(|&j| j != i).collect();
    order.sort_by(|&a, &b| distance(a).total_cmp(&distance(b)).then(a.cmp(&b)));
    order
}

/// Rows that imbalanced-learn's ENN keeps, by our ENN: with "all" those whose neighbours all agree;
/// with "mode" and two classes, a tie goes to the smaller label.
fn kept_like(data: &Dataset, k: usize, kind: &str) -> Vec<usize> {
    let strict = enn(k, false).edit(data).unwrap();
    if kind == "all" {
        let opinions = strict.opinions.unwrap();
        return (0..data.n_rows())
            .filter(|&i| opinions[i].trust == 1.0)
            .collect();
    }
    let lenient = enn(k, true).edit(data).unwrap();
    let stays = |&i: &usize| strict.keep[i] || (lenient.keep[i] && codes(data)[i] == 0);
    (0..data.n_rows()).filter(stays).collect()
}

#[test]
fn enn_keeps_what_imbalanced_learn_keeps() {
    for case in cases() {
        let two_classes = case.data.classes().unwrap().n_classes() == 2;
        for votes in case.value["votes"].as_array().unwrap() {
            let k = votes["k"].as_u64().unwrap() as usize;
            let expected = numbers(&votes["enn"]);
            let what = format!("{}, k = {k}, {}", case.name, votes["kind"]);
            if votes["kind"] == "all" {
                assert_eq!(kept_like(&case.data, k, "all"), expected, "{what}");
                continue;
            }
            let strict = enn(k, false).edit(&case.data).unwrap();
            let lenient = enn(k, true).edit(&case.data).unwrap();
            if two_classes {
                assert_eq!(strict.kept(), expected, "{what}");
            }
            // With three classes there are ties, which go to the smallest label there.
            assert!(expected.iter().all(|&i| lenient.keep[i]), "{what}");
            let kept = strict.kept();
            assert!(kept.iter().all(|i| expected.contains(i)), "{what}");
        }
    }
}

#[test]
fn renn_keeps_what_imbalanced_learn_keeps() {
    let mut settled = 0;
    for case in cases() {
        if case.data.classes().unwrap().n_classes() != 2 {
            continue;
        }
        for votes in case.value["votes"].as_array().unwrap() {
            if votes["kind"] != "mode" {
                continue;
            }
            let k = votes["k"].as_u64().unwrap() as usize;
            let renn = &votes["renn"];
            let params = RennParams::default().with_neighbours(k);
            let limited = params
                .clone()
                .with_max_passes(renn["passes"].as_u64().unwrap());
            let kept = limited.edit(&case.data).unwrap().kept();
            assert_eq!(kept, numbers(&renn["kept"]), "{}, k = {k}", case.name);
            if renn["settled"] == true {
                settled += 1;
                assert_eq!(params.edit(&case.data).unwrap().kept(), kept);
            }
        }
    }
    assert!(settled > 0);
}

#[test]
fn enn_for_growing_neighbourhoods_is_allknn_of_imbalanced_learn() {
    let mut compared = 0;
    for case in cases() {
        let two_classes = case.data.classes().unwrap().n_classes() == 2;
        for votes in case.value["votes"].as_array().unwrap() {
            let kind = votes["kind"].as_str().unwrap();
            if votes["all_knn"].is_null() || (kind == "mode" && !two_classes) {
                continue;
            }
            let k = votes["k"].as_u64().unwrap() as usize;
            let mut left: Vec<usize> = (0..case.data.n_rows()).collect();
            for j in 1..=k {
                let kept = kept_like(&case.data.select(&left), j, kind);
                left = kept.into_iter().map(|i| left[i]).collect();
            }
            let expected = numbers(&votes["all_knn"]);
            assert_eq!(left, expected, "{}, k = {k}, {kind}", case.name);
            compared += 1;
        }
    }
    assert!(compared > 5);
}

#[test]
fn aknn_is_its_definition() {
    for case in cases() {
        let (data, n_classes) = (&case.data, case.data.classes().unwrap().n_classes());
        for (k, conservative) in [(1, false), (3, false), (4, true), (7, false), (500, true)] {
            let params = AknnParams::default()
                .with_neighbours(k)
                .with_conservative(conservative);
            let stands = |i: usize| {
                let order = others(data, i);
                let own = codes(data)[i] as usize;
                (1..=k.min(order.len())).all(|j| {
                    let mut counts = vec![0; n_classes];
                    for &near in &order[..j] {
                        counts[codes(data)[near] as usize] += 1;
                    }
                    let rivals = (0..n_classes).filter(|&c| c != own);
                    let rival = rivals.map(|c| counts[c]).max().unwrap();
                    counts[own] > rival || (conservative && counts[own] == rival)
                })
            };
            let expected: Vec<usize> = (0..data.n_rows()).filter(|&i| stands(i)).collect();
            assert_eq!(params.edit(data).unwrap().kept(), expected, "{}", case.name);
        }
    }
}

#[test]
fn tomek_links_are_those_of_imbalanced_learn() {
    for case in cases() {
        for (remove, word) in [(LinkRows::Majority, "majority"), (LinkRows::Both, "both")] {
            let edit = TomekParams::default()
                .with_remove(remove)
                .edit(&case.data)
                .unwrap();
            let expected = numbers(&case.value["tomek"][word]);
            assert_eq!(edit.kept(), expected, "{}, {word}", case.name);
        }
    }
}

#[test]
fn near_miss_keeps_what_imbalanced_learn_keeps() {
    for case in cases() {
        for golden in case.value["near_miss"].as_array().unwrap() {
            let whole = |name: &str| golden[name].as_u64().unwrap() as usize;
            let params = NearMissParams::default()
                .with_version(whole("version"))
                .with_neighbours(whole("k"))
                .with_candidates(whole("candidates"));
            let kept = params.edit(&case.data).unwrap().kept();
            assert_eq!(kept, numbers(&golden["kept"]), "{}, {params:?}", case.name);
        }
    }
}

/// True if a row lies between two others.
fn lies_between(row: &[f64], a: &[f64], b: &[f64]) -> bool {
    let dot = |x: &[f64], y: &[f64]| -> f64 { x.iter().zip(y).map(|(p, q)| p * q).sum() };
    let minus = |x: &[f64]| -> Vec<f64> { x.iter().zip(a).map(|(p, q)| p - q).collect() };
    let (along, from) = (minus(b), minus(row));
    let step = dot(&along, &from) / dot(&along, &along);
    let rest: Vec<f64> = from.iter().zip(&along).map(|(p, q)| p - step * q).collect();
    (-1e-9..1.0 + 1e-9).contains(&step) && dot(&rest, &rest) < 1e-18
}

#[test]
fn smote_makes_as_many_rows_as_imbalanced_learn_and_between_neighbours() {
    for case in cases() {
        let data = &case.data;
        let view = data.samples().view();
        for k in [1, 5] {
            let params = SmoteParams::default().with_neighbours(k).with_seed(4);
            let edit = params.edit(data).unwrap();
            let counts = edit.apply(data).unwrap().classes().unwrap().counts();
            assert_eq!(counts, numbers(&case.value["smote_counts"]));
            let near = |i: usize| -> Vec<usize> {
                let same = |&j: &usize| codes(data)[j] == codes(data)[i];
                others(data, i).into_iter().filter(same).take(k).collect()
            };
            let near: Vec<Vec<usize>> = (0..data.n_rows()).map(near).collect();
            let added = edit.added.unwrap();
            for (s, &code) in added.codes.iter().enumerate() {
                let row = added.samples.view().row(s).values();
                let found = (0..data.n_rows())
                    .filter(|&i| codes(data)[i] == code)
                    .any(|i| {
                        let ends = |&j: &usize| {
                            lies_between(row, view.row(i).values(), view.row(j).values())
                        };
                        near[i].iter().any(ends)
                    });
                assert!(found, "{}, new row {s}", case.name);
            }
        }
    }
}

#[test]
fn adasyn_makes_as_many_rows_as_imbalanced_learn_but_for_rounding() {
    let mut compared = 0;
    for case in cases() {
        let edit = AdasynParams::default().edit(&case.data).unwrap();
        let after = edit.apply(&case.data).unwrap();
        let counts = after.classes().unwrap().counts();
        assert!(counts.iter().all(|&count| count == counts[0]));
        if case.value["adasyn_counts"].is_null() {
            continue;
        }
        compared += 1;
        let before = case.data.classes().unwrap().counts();
        let theirs = numbers(&case.value["adasyn_counts"]);
        for c in 0..counts.len() {
            // Each of their shares is off by at most a half.
            assert!(2 * counts[c].abs_diff(theirs[c]) <= before[c]);
        }
    }
    assert!(compared > 0);
}
