//! Times the search for nearest neighbours.
//!
//! ```text
//! cargo run --release -p hedgerow-cli --example neighbours -- ROWS QUERIES FEATURES STRUCTURE K THREADS [FOUND]
//! ```
//!
//! ROWS and QUERIES are files of little-endian doubles, row after row. STRUCTURE is `auto`, `brute`,
//! `buckets` or `cover`. Row numbers of the neighbours go to FOUND as little-endian 32-bit integers. Prints
//! one JSON object: `build_seconds`, `query_seconds`, `structure`.

use hedgerow::data::Samples;
use hedgerow::neighbours::{DistanceMetric, Index, IndexParams, Structure};
use std::error::Error;
use std::io::Write;
use std::time::Instant;

fn read(path: &str, n_features: usize) -> Result<Samples, Box<dyn Error>> {
    let bytes = std::fs::read(path)?;
    let (words, _) = bytes.as_chunks::<8>();
    let values: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
    Ok(Samples::dense(
        values.len() / n_features,
        n_features,
        values,
    )?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [rows, queries, n_features, structure, k, threads, found @ ..] = words.as_slice() else {
        return Err("usage: neighbours ROWS QUERIES FEATURES STRUCTURE K THREADS [FOUND]".into());
    };
    let structure = match structure.as_str() {
        "auto" => Structure::Auto,
        "brute" => Structure::Brute,
        "buckets" => Structure::BucketTree,
        "cover" => Structure::CoverTree,
        other => return Err(format!("there is no structure {other}").into()),
    };
    let k: usize = k.parse()?;
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.parse()?)
        .build_global()?;
    let n_features = n_features.parse()?;
    let (rows, queries) = (read(rows, n_features)?, read(queries, n_features)?);
    let params = IndexParams {
        structure,
        expected_k: Some(k),
        expected_queries: Some(queries.n_rows()),
    };
    let start = Instant::now();
    let index = Index::build(&DistanceMetric::Euclidean, rows.view(), None, &params)?;
    let build_seconds = start.elapsed().as_secs_f64();
    let searcher = index.searcher(rows.view())?;
    let start = Instant::now();
    let lists = searcher.k_nearest(queries.view(), k)?;
    let query_seconds = start.elapsed().as_secs_f64();
    if let [path] = found {
        let bytes: Vec<u8> = lists
            .iter()
            .flatten()
            .flat_map(|neighbour| neighbour.row.to_le_bytes())
            .collect();
        std::fs::write(path, bytes)?;
    }
    let result = serde_json::json!({
        "build_seconds": build_seconds,
        "query_seconds": query_seconds,
        "structure": format!("{:?}", index.structure()),
    });
    writeln!(std::io::stdout(), "{result}")?;
    Ok(())
}
