//! trial
use hedgerow::Predictor;
use hedgerow::data::*;
use hedgerow::local::*;
use hedgerow::neighbours::LearnedMetricParams;
use hedgerow::params::Parameters;
use std::time::Instant;
fn read(path: &str) -> (usize, Vec<f64>) {
    let bytes = std::fs::read(path).unwrap();
    let d = u64::from_le_bytes(bytes[..8].try_into().unwrap()) as usize;
    (
        d,
        bytes[8..]
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect(),
    )
}
fn data(path: &str) -> Dataset {
    let (d, v) = read(path);
    let n = v.len() / d;
    let x: Vec<f64> = v.chunks(d).flat_map(|r| r[..d - 1].to_vec()).collect();
    let y: Vec<f64> = v.chunks(d).map(|r| r[d - 1]).collect();
    Dataset::new(
        Samples::dense(n, d - 1, x).unwrap(),
        Target::Classes(ClassLabels::from_numbers(&y)),
    )
    .unwrap()
}
fn accuracy(model: &dyn Predictor, test: &Dataset) -> f64 {
    let hedgerow::Prediction::Classes(codes) = model.predict(test.samples().view()).unwrap() else {
        panic!()
    };
    let names = model.classes().unwrap();
    let truth = test.classes().unwrap();
    let good = codes
        .iter()
        .zip(truth.codes())
        .filter(|(c, t)| names[**c as usize] == truth.names()[**t as usize])
        .count();
    good as f64 / codes.len() as f64
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let scaling = Scaling::unit();
    let raw = data(&args[1]);
    let scaler = scaling.fit(raw.samples().view()).unwrap();
    let on = |d: &Dataset| {
        d.with_samples(scaler.apply(d.samples().view()).unwrap())
            .unwrap()
    };
    let train = on(&raw);
    let test = on(&data(&args[2]));
    let mut params = LearnedMetricParams::default();
    let mut k = 500usize;
    let mut core = 0.1;
    let mut cost = 4.0;
    let mut falk = true;
    let mut gamma = 50.0;
    let mut powers = vec![0.0, 0.5, 1.0];
    for pair in &args[3..] {
        let (name, value) = pair.split_once('=').unwrap();
        match name {
            "K" => k = value.parse().unwrap(),
            "P" => core = value.parse().unwrap(),
            "C" => cost = value.parse().unwrap(),
            "falk" => falk = value == "1",
            "q" => gamma = value.parse().unwrap(),
            "powers" => powers = value.split('/').map(|x| x.parse().unwrap()).collect(),
            _ => {
                assert!(
                    params
                        .set(
                            name,
                            &hedgerow::params::Value::Number(value.parse().unwrap())
                        )
                        .unwrap()
                );
            }
        }
    }
    let start = Instant::now();
    let found = params
        .fit_with(&train, None, &|p| {
            println!(
                "  round {} loss {:.4} {:.2}s",
                p.round,
                p.loss,
                start.elapsed().as_secs_f64()
            );
            Ok(())
        })
        .unwrap();
    println!(
        "{} metric {:.2}s rounds {} loss {:.4} -> {:.4}",
        args[1], found.seconds, found.rounds, found.loss_before, found.loss
    );
    let shown: Vec<String> = found
        .weights
        .iter()
        .take(16)
        .map(|w| format!("{w:.2}"))
        .collect();
    println!(
        "  {} of {} columns: {}",
        found.weights.iter().filter(|w| **w > 0.0).count(),
        found.weights.len(),
        shown.join(" ")
    );
    for power in powers {
        let w: Vec<f64> = found
            .weights
            .iter()
            .map(|w| if power == 0.0 { 1.0 } else { w.powf(power) })
            .collect();
        let columns = Columns::weighted(&w).unwrap();
        let (a, b) = (
            columns.apply_to(&train).unwrap(),
            columns.apply_to(&test).unwrap(),
        );
        let one = KnnParams::default().with_neighbours(1).fit(&a).unwrap();
        let five = KnnParams::default().with_neighbours(5).fit(&a).unwrap();
        print!(
            "  power {power}: 1nn {:.4} 5nn {:.4}",
            accuracy(&one.model, &b),
            accuracy(&five.model, &b)
        );
        if falk {
            let start = Instant::now();
            let p = FalkParams::default()
                .with_neighbours(k)
                .with_core(core)
                .with_cost(cost)
                .with_kernel(hedgerow::kernel::KernelSpec::gaussian_by_percentile(gamma));
            let model = p.fit(&a).unwrap().model;
            let fit = start.elapsed().as_secs_f64();
            let start = Instant::now();
            let acc = accuracy(&model, &b);
            print!(
                " falk {:.4} fit {:.2}s {:.1}us",
                acc,
                fit,
                1e6 * start.elapsed().as_secs_f64() / b.n_rows() as f64
            );
        }
        println!();
    }
}
