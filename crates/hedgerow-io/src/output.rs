//! Where bytes go: a file that appears complete or not at all, or standard output.

use crate::IoError;
use crate::input::Compression;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An output file, written beside its target and renamed by [`finish`](Self::finish).
///
/// Dropped without `finish` it leaves nothing behind. The ending `.gz` or `.zst` compresses.
/// The path `-` is standard output. Devices and pipes are written in place.
pub struct OutputFile {
    path: PathBuf,
    encoder: Option<Encoder>,
    /// Set while an unfinished file lies beside the target.
    pending: Option<Pending>,
}

struct Pending {
    temporary: PathBuf,
    target: PathBuf,
}

enum Sink {
    File(File),
    Stdout(std::io::Stdout),
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::File(file) => file.write(bytes),
            Self::Stdout(stdout) => stdout.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::File(file) => file.flush(),
            Self::Stdout(stdout) => stdout.flush(),
        }
    }
}

enum Encoder {
    Plain(BufWriter<Sink>),
    Gzip(flate2::write::GzEncoder<BufWriter<Sink>>),
    /// The encoder reads its whole input at once, so it is collected first.
    Zstd(BufWriter<Sink>, Vec<u8>),
}

/// Makes the names of temporary files of one process distinct.
static SERIAL: AtomicU64 = AtomicU64::new(0);

/// Temporary files that lie beside their targets now.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the temporary file of every unfinished output, for a process that is about to exit
/// without unwinding. No output can be created or finished afterwards: such calls wait for ever.
pub fn abandon_outputs() {
    let files = unfinished();
    for file in files.iter() {
        // Nothing can be done about a failure: the process ends.
        let _ = std::fs::remove_file(file);
    }
    std::mem::forget(files);
}

impl OutputFile {
    /// Opens the output.
    pub fn create(path: &Path) -> Result<Self, IoError> {
        let failed = |source| IoError::Write {
            path: path.to_path_buf(),
            source,
        };
        let (sink, pending) = open_sink(path).map_err(failed)?;
        let sink = BufWriter::with_capacity(1 << 16, sink);
        let encoder = match Compression::of_path(path) {
            Compression::None => Encoder::Plain(sink),
            Compression::Gzip => Encoder::Gzip(flate2::write::GzEncoder::new(
                sink,
                flate2::Compression::default(),
            )),
            Compression::Zstd => Encoder::Zstd(sink, Vec::new()),
        };
        Ok(Self {
            path: path.to_path_buf(),
            encoder: Some(encoder),
            pending,
        })
    }

    /// Completes the output: only now does the target exist or change.
    pub fn finish(mut self) -> Result<(), IoError> {
        let path = self.path.clone();
        self.complete()
            .map_err(|source| IoError::Write { path, source })
    }

    fn complete(&mut self) -> std::io::Result<()> {
        match self.encoder.take() {
            None => {}
            Some(Encoder::Plain(mut sink)) => sink.flush()?,
            Some(Encoder::Gzip(encoder)) => encoder.finish()?.flush()?,
            Some(Encoder::Zstd(mut sink, bytes)) => {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                sink.write_all(&ruzstd::encoding::compress_to_vec(bytes.as_slice(), level))?;
                sink.flush()?;
            }
        }
        if let Some(pending) = &self.pending {
            let mut files = unfinished();
            std::fs::rename(&pending.temporary, &pending.target)?;
            files.retain(|file| *file != pending.temporary);
        }
        self.pending = None;
        Ok(())
    }
}

/// An I/O error with the path of the output.
pub(crate) fn write_error(path: &Path) -> impl Fn(std::io::Error) -> IoError + '_ {
    |source| IoError::Write {
        path: path.to_path_buf(),
        source,
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match &mut self.encoder {
            Some(Encoder::Plain(sink)) => sink.write(bytes),
            Some(Encoder::Gzip(encoder)) => encoder.write(bytes),
            Some(Encoder::Zstd(_, buffer)) => buffer.write(bytes),
            None => Err(std::io::Error::other("the output is finished")),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match &mut self.encoder {
            Some(Encoder::Plain(sink)) => sink.flush(),
            Some(Encoder::Gzip(encoder)) => encoder.flush(),
            Some(Encoder::Zstd(..)) | None => Ok(()),
        }
    }
}

impl Drop for OutputFile {
    fn drop(&mut self) {
        // The file must be closed before it can be removed on every platform.
        self.encoder = None;
        if let Some(pending) = &self.pending {
            let mut files = unfinished();
            // Nothing can be done about a failure here: the error that led here is reported.
            let _ = std::fs::remove_file(&pending.temporary);
            files.retain(|file| *file != pending.temporary);
        }
    }
}

fn open_sink(path: &Path) -> std::io::Result<(Sink, Option<Pending>)> {
    if path.as_os_str() == "-" {
        return Ok((Sink::Stdout(std::io::stdout()), None));
    }
    // A link stays a link: the file it points to is replaced.
    let target = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let existing = std::fs::metadata(&target).ok();
    if let Some(existing) = &existing
        && !existing.is_file()
    {
        // A device or pipe cannot be renamed over; a directory is refused here by the system.
        let file = OpenOptions::new().write(true).open(&target)?;
        return Ok((Sink::File(file), None));
    }
    let name = target
        .file_name()
        .ok_or_else(|| std::io::Error::other("the path names no file"))?;
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}.{serial}.part", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let mut files = unfinished();
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    files.push(temporary.clone());
    drop(files);
    if let Some(existing) = existing {
        // Best effort: a file keeps its access rights when it is replaced.
        let _ = file.set_permissions(existing.permissions());
    }
    Ok((Sink::File(file), Some(Pending { temporary, target })))
}
