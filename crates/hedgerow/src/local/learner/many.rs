//! Neighbourhoods that are too large for a matrix of all pairs of their rows.

use super::{Effort, Learner, assemble};
use crate::Result;
use crate::kernel::Kernel;
use crate::local::machine::LocalModel;
use crate::machines::{LargeSvm, pairs};

impl Learner<'_> {
    /// As [`Learner::classify`], without a matrix of all pairs of rows.
    pub(super) fn classify_many(
        &self,
        rows: &[u32],
        codes: &[u32],
        classes: Vec<u32>,
        kernel: Kernel,
        task: u64,
    ) -> Result<(LocalModel, Effort)> {
        let samples = self.selected(rows);
        let solver = &self.params.solver;
        let svm = LargeSvm::new(&kernel, samples.view(), solver, self.start, self.at_once)?;
        let code_at = |p: u32| codes[rows[p as usize] as usize];
        let positions_of = |class: usize| {
            let all = 0..rows.len() as u32;
            all.filter(|&p| code_at(p) == classes[class])
                .collect::<Vec<u32>>()
        };
        let cost =
            |&row: &u32| self.class_costs[codes[row as usize] as usize] * self.store.weight(row);
        let costs: Vec<f64> = rows.iter().map(cost).collect();
        let mut effort = Effort::NONE;
        let mut expansions = Vec::new();
        for (number, (first, second)) in pairs(classes.len()).enumerate() {
            let calibration = self
                .params
                .probability
                .then_some((task << 16) + number as u64);
            let (positive, negative) = (positions_of(first), positions_of(second));
            let solved = svm.classify(&positive, &negative, &costs, calibration);
            let solved = solved.map_err(|error| error.renumbered(|p| rows[p as usize]))?;
            effort = effort.and(Effort::of(&solved));
            let positions = positive.iter().chain(&negative);
            let terms = positions
                .map(|&p| rows[p as usize])
                .zip(solved.coefficients);
            expansions.push((
                terms.filter(|&(_, beta)| beta != 0.0).collect(),
                solved.rho,
                solved.sigmoid,
            ));
        }
        let machines = assemble(kernel, classes, expansions);
        Ok((LocalModel::Machines(machines), effort))
    }

    /// As [`Learner::regress`], without a matrix of all pairs of rows.
    pub(super) fn regress_many(
        &self,
        rows: &[u32],
        targets: &[f64],
        costs: &[f64],
        kernel: Kernel,
    ) -> Result<(LocalModel, Effort)> {
        let samples = self.selected(rows);
        let solver = &self.params.solver;
        let svm = LargeSvm::new(&kernel, samples.view(), solver, self.start, self.at_once)?;
        let solved = svm.regress(targets, costs, self.params.epsilon);
        let solved = solved.map_err(|error| error.renumbered(|p| rows[p as usize]))?;
        let effort = Effort::of(&solved);
        let terms = rows.iter().copied().zip(solved.coefficients);
        let terms = terms.filter(|&(_, beta)| beta != 0.0).collect();
        let machines = assemble(kernel, Vec::new(), vec![(terms, solved.rho, None)]);
        Ok((LocalModel::Machines(machines), effort))
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Workspace, occurring};
    use super::*;
    use crate::data::{ClassLabels, Dataset, Generator, Samples, Target};
    use crate::local::params::LocalSvmParams;
    use crate::local::store::{Answers, Store};
    use crate::machines::Sigmoid;

    const ROWS: usize = 150;

    fn samples() -> Samples {
        let mut generator = Generator::new(8);
        let values = (0..2 * ROWS).map(|_| generator.normal()).collect();
        Samples::dense(ROWS, 2, values).expect("samples")
    }

    fn store(target: Target, weighted: bool) -> Store {
        let mut data = Dataset::new(samples(), target).expect("data");
        if weighted {
            let weights = (0..ROWS).map(|i| 1.0 + (i % 3) as f64).collect();
            data = data.with_weights(weights).expect("weights");
        }
        Store::new(&data).expect("a store")
    }

    /// Decision values of all machines for all rows.
    fn decisions(model: &LocalModel, store: &Store) -> Vec<Vec<f64>> {
        let LocalModel::Machines(machines) = model else {
            panic!("machines");
        };
        let (view, mut all) = (store.view(), Vec::new());
        for x in 0..ROWS {
            let value = |&s: &u32| {
                let (s, x) = (view.row(s as usize), view.row(x));
                machines.kernel.value(s, x, 2).expect("a value")
            };
            let values: Vec<f64> = machines.support.iter().map(value).collect();
            let mut out = Vec::new();
            machines.decisions_of(&values, &mut out);
            all.push(out);
        }
        all
    }

    fn ensure_alike(one: &LocalModel, other: &LocalModel, store: &Store) {
        let (one, other) = (decisions(one, store), decisions(other, store));
        assert_eq!(one.concat().len(), other.concat().len());
        for (one, other) in one.iter().flatten().zip(other.iter().flatten()) {
            assert!((one - other).abs() < 5e-3, "{one} and {other}");
        }
    }

    #[test]
    fn large_neighbourhoods_are_learnt_like_small_ones() {
        let rows: Vec<u32> = (0..ROWS as u32).rev().collect();
        for n_classes in [2, 4] {
            for weighted in [false, true] {
                let class = |i: usize| samples().view().row(i).values()[0] * 1.3;
                let code = |i| class(i).abs().floor().min(f64::from(n_classes) - 1.0);
                let codes: Vec<f64> = (0..ROWS).map(code).collect();
                let labels = ClassLabels::from_numbers(&codes);
                let store = store(Target::Classes(labels.clone()), weighted);
                let mut params = LocalSvmParams::default();
                params.solver.kernel = Kernel::rbf(0.7).into();
                params.cost = 5.0;
                params.probability = weighted;
                let first = labels.names()[0].clone();
                params.class_weights = vec![(first, if weighted { 2.0 } else { 1.0 })];
                let learner = Learner::new(&store, &params).expect("a learner");
                let mut workspace = Workspace::default();
                let (small, effort) = learner.learn(&rows, 3, &mut workspace).expect("small");
                let Answers::Classes(labels) = &store.answers else {
                    panic!("classes");
                };
                let classes = occurring(labels.codes().iter().copied());
                assert_eq!(classes.len(), n_classes as usize);
                let kernel = Kernel::rbf(0.7);
                let large = learner.classify_many(&rows, labels.codes(), classes, kernel, 3);
                let (large, other) = large.expect("large");
                ensure_alike(&small, &large, &store);
                assert!((effort.objective / other.objective - 1.0).abs() < 1e-3);
                let curves = |model: &LocalModel| match model {
                    LocalModel::Machines(all) => {
                        all.machines.iter().map(|m| m.sigmoid).collect::<Vec<_>>()
                    }
                    LocalModel::Constant(_) => Vec::new(),
                };
                for (one, other) in curves(&small).iter().zip(curves(&large)) {
                    assert_eq!(one.is_some(), weighted);
                    for decision in [-1.5, 0.0, 0.5] {
                        let at = |curve: &Sigmoid| curve.probability(decision);
                        let (one, other) = (one.as_ref().map(at), other.as_ref().map(at));
                        let gap = one.zip(other).map_or(0.0, |(one, other)| one - other);
                        assert!(gap.abs() < 1e-2, "{one:?} and {other:?}");
                    }
                    assert_eq!(one.is_some(), other.is_some());
                }
                large.validate(ROWS, store.n_classes()).expect("valid");
            }
        }
    }

    #[test]
    fn large_regressions_are_learnt_like_small_ones() {
        let rows: Vec<u32> = (0..ROWS as u32).collect();
        let target = |i: usize| samples().view().row(i).values()[1].sin();
        let store = store(Target::Real((0..ROWS).map(target).collect()), true);
        let mut params = LocalSvmParams::default();
        params.solver.kernel = Kernel::rbf(0.7).into();
        params.epsilon = 0.05;
        let learner = Learner::new(&store, &params).expect("a learner");
        let small = learner.learn(&rows, 0, &mut Workspace::default());
        let targets: Vec<f64> = rows.iter().map(|&row| store.answer(row)).collect();
        let costs: Vec<f64> = rows.iter().map(|&row| store.weight(row)).collect();
        let large = learner.regress_many(&rows, &targets, &costs, Kernel::rbf(0.7));
        ensure_alike(&small.expect("small").0, &large.expect("large").0, &store);
    }
}
