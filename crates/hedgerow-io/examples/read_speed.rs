//! Times the reader: `read_speed FILE [THREADS] [REPEATS]` prints seconds and megabytes a second.

use hedgerow_io::{ReadOptions, Source, read_dataset};
use std::time::Instant;

#[allow(clippy::print_stdout)] // The program's purpose.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("usage: read_speed FILE [THREADS] [REPEATS]")?;
    let threads: usize = arguments.next().map_or(Ok(0), |text| text.parse())?;
    let repeats: usize = arguments.next().map_or(Ok(5), |text| text.parse())?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build_global()?;
    let source = Source::from_argument(&path);
    let megabytes = std::fs::metadata(&path)?.len() as f64 / 1e6;
    for _ in 0..repeats {
        let start = Instant::now();
        let loaded = read_dataset(&source, &ReadOptions::default())?;
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "{seconds:.4} s, {:.0} MB/s, {} rows, {} features",
            megabytes / seconds,
            loaded.dataset.n_rows(),
            loaded.dataset.n_features()
        );
    }
    Ok(())
}
