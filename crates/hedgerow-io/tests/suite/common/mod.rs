//! What several tests need.
#![allow(dead_code)] // Not every test file needs everything.
#![allow(clippy::unwrap_used)] // Part of the tests, though outside a test function.

use hedgerow::data::Samples;
use hedgerow_io::{IoError, LoadedData, ReadOptions, Source, read_dataset};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

pub(crate) fn source(name: &str, text: impl AsRef<[u8]>) -> Source {
    Source::Bytes {
        name: name.to_owned(),
        bytes: text.as_ref().to_vec(),
    }
}

pub(crate) fn read(name: &str, text: impl AsRef<[u8]>) -> Result<LoadedData, IoError> {
    read_dataset(&source(name, text), &ReadOptions::default())
}

pub(crate) fn message(name: &str, text: impl AsRef<[u8]>, options: &ReadOptions) -> String {
    match read_dataset(&source(name, text), options) {
        Ok(loaded) => panic!("read without error: {:?}", loaded.dataset),
        Err(error) => error.to_string(),
    }
}

/// All values, row by row, zeros included.
pub(crate) fn table(samples: &Samples) -> Vec<Vec<f64>> {
    (0..samples.n_rows())
        .map(|i| {
            let mut row = vec![0.0; samples.n_features()];
            samples.view().row(i).write_dense(&mut row);
            row
        })
        .collect()
}

/// A directory that is removed at the end of the test.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn new() -> Self {
        static SERIAL: AtomicU64 = AtomicU64::new(0);
        let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
        let path =
            std::env::temp_dir().join(format!("hedgerow-io-{}-{serial}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn entries(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
