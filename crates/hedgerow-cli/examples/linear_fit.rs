//! Fits a linear classifier again and again, for `benches/linear.py`.
//!
//! ```text
//! cargo run --release -p hedgerow-cli --example linear_fit -- TRAIN LOSS COST TOLERANCE BIAS
//! ```
//!
//! TRAIN has two classes. LOSS is `hinge` or `squared` (the dual), `squared-primal` or `logistic`. One thread.
//! Prints a line once the data are in memory, and then answers every line `fit` of standard input with a line
//! after one fit, so that the caller can look at its clock in between. The line `tell` is answered with a JSON
//! object: the primal objective of the last fit (by the formula, in double precision, from the data as they were
//! read), `iterations`, `status`.

use hedgerow::data::{ClassName, Dataset};
use hedgerow::solve::dual_coordinate::HingeLoss;
use hedgerow::solve::newton::SmoothLoss;
use hedgerow::svm::linear::{LinearClassifier, LinearSolver, LinearSvmParams, LogisticParams};
use hedgerow::{Fitted, Predictor};
use hedgerow_io::{ReadOptions, Source, read_dataset};
use std::error::Error;
use std::io::{BufRead, Write};

struct Task {
    data: Dataset,
    loss: String,
    cost: f64,
    tolerance: f64,
    bias: f64,
}

impl Task {
    fn fit(&self) -> Result<Fitted<LinearClassifier>, Box<dyn Error>> {
        if self.loss == "logistic" {
            let params = LogisticParams::default()
                .with_cost(self.cost)
                .with_bias(Some(self.bias))
                .with_tolerance(self.tolerance);
            return Ok(params.fit(&self.data)?);
        }
        let (loss, solver) = match self.loss.as_str() {
            "hinge" => (HingeLoss::Hinge, LinearSolver::Dual),
            "squared" => (HingeLoss::SquaredHinge, LinearSolver::Auto),
            "squared-primal" => (HingeLoss::SquaredHinge, LinearSolver::Primal),
            other => return Err(format!("there is no loss {other}").into()),
        };
        let params = LinearSvmParams::default()
            .with_cost(self.cost)
            .with_loss(loss)
            .with_solver(solver)
            .with_bias(Some(self.bias))
            .with_tolerance(self.tolerance);
        Ok(params.fit(&self.data)?)
    }

    fn objective(&self, model: &LinearClassifier) -> Result<f64, Box<dyn Error>> {
        let machine = model.machines().first().ok_or("no machine")?;
        let positive: ClassName = model.classes().ok_or("no classes")?[0].clone();
        let view = self.data.samples().view();
        let labels = self.data.classes()?;
        let mut total = 0.0;
        for (i, &code) in labels.codes().iter().enumerate() {
            let sign = if labels.names()[code as usize] == positive {
                1.0
            } else {
                -1.0
            };
            let margin = sign * machine.value(view, i);
            total += match self.loss.as_str() {
                "hinge" => HingeLoss::Hinge.value(margin),
                "logistic" => SmoothLoss::Logistic.value(margin),
                _ => HingeLoss::SquaredHinge.value(margin),
            };
        }
        let square: f64 = machine.weights.iter().map(|w| w * w).sum();
        let offset = machine.intercept / self.bias;
        Ok(self.cost * total + 0.5 * (square + offset * offset))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [train, loss, cost, tolerance, bias] = words.as_slice() else {
        return Err("usage: linear_fit TRAIN LOSS COST TOLERANCE BIAS".into());
    };
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let loaded = read_dataset(&Source::from_argument(train), &ReadOptions::default())?;
    let task = Task {
        data: loaded.dataset,
        loss: loss.clone(),
        cost: cost.parse()?,
        tolerance: tolerance.parse()?,
        bias: bias.parse()?,
    };
    let mut out = std::io::stdout();
    writeln!(out, "ready")?;
    let mut last = None;
    for line in std::io::stdin().lock().lines() {
        if line? == "fit" {
            last = Some(task.fit()?);
            writeln!(out, "done")?;
        } else {
            let fitted = last.as_ref().ok_or("nothing was fitted yet")?;
            let told = serde_json::json!({
                "objective": task.objective(&fitted.model)?,
                "iterations": fitted.report.iterations,
                "status": format!("{:?}", fitted.report.status),
            });
            writeln!(out, "{told}")?;
        }
    }
    Ok(())
}
