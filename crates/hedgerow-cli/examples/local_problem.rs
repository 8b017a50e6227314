//! Solves one small two-class problem again and again on one thread, as local methods do.
//!
//! ```text
//! cargo run --release -p hedgerow-cli --example local_problem -- FILE C GAMMA REPEATS
//! ```
//!
//! Every solve computes the whole kernel matrix and solves the dual in a workspace that is kept
//! from one to the next. Prints one JSON object: `seconds` for all solves, `solves`, `objective`.

use hedgerow::kernel::{Gram, Kernel};
use hedgerow::solve::smo::Limits;
use hedgerow::svm::small::{Costs, SmallSvc};
use hedgerow_io::{ReadOptions, Source, TargetKind, read_dataset};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, cost, gamma, repeats] = words.as_slice() else {
        return Err("usage: local_problem FILE C GAMMA REPEATS".into());
    };
    let (cost, gamma): (f64, f64) = (cost.parse()?, gamma.parse()?);
    let repeats: usize = repeats.parse()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let options = ReadOptions::default().with_target(TargetKind::Classes);
    let data = read_dataset(&Source::from_argument(file), &options)?.dataset;
    let codes = data.classes()?.codes();
    let labels: Vec<i8> = codes.iter().map(|&c| if c == 0 { 1 } else { -1 }).collect();
    let view = data.samples().view();
    let kernel = Kernel::rbf(gamma);
    let limits = Limits {
        tolerance: 1e-3,
        max_iterations: None,
        max_seconds: None,
        shrinking: false,
    };
    let n = labels.len();
    let mut workspace = SmallSvc::new();
    let mut objective = 0.0;
    let start = Instant::now();
    for _ in 0..repeats {
        let gram = Gram::new(&kernel, view, (0..n as u32).collect())?;
        gram.square_into(workspace.gram_mut(n));
        objective = workspace
            .solve(&labels, Costs::Uniform(cost), &limits)?
            .objective;
    }
    let seconds = start.elapsed().as_secs_f64();
    let result = serde_json::json!({"seconds": seconds, "solves": repeats, "objective": objective});
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}
