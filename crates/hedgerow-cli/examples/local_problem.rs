//! Solves one small two-class problem again and again on one thread, as local methods do.
//!
//! ```text
//! cargo run --release -p hedgerow-cli --example local_problem -- FILE C GAMMA REPEATS
//! ```
//!
//! Every solve is a whole fit: the kernel matrix, the dual, the model. Problems of this size are
//! solved on their whole kernel matrix. Prints one JSON object: `seconds` for all solves, `solves`,
//! `objective`.

use hedgerow::kernel::Kernel;
use hedgerow::svm::SvcParams;
use hedgerow_io::{ReadOptions, Source, TargetKind, read_dataset};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [file, cost, gamma, repeats] = words.as_slice() else {
        return Err("usage: local_problem FILE C GAMMA REPEATS".into());
    };
    let params = SvcParams::default()
        .with_cost(cost.parse()?)
        .with_kernel(Kernel::rbf(gamma.parse()?));
    let repeats: usize = repeats.parse()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let options = ReadOptions::default().with_target(TargetKind::Classes);
    let data = read_dataset(&Source::from_argument(file), &options)?.dataset;
    let mut objective = 0.0;
    let start = Instant::now();
    for _ in 0..repeats {
        objective = params.fit(&data)?.report.objective;
    }
    let seconds = start.elapsed().as_secs_f64();
    let result = serde_json::json!({"seconds": seconds, "solves": repeats, "objective": objective});
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}
