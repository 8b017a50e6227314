//! Where bytes go: a file that appears complete or not at all, or standard output.

use crate::IoError;
use crate::input::Compression;
use std::ffi::{OsStr, OsString};
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An output file, written beside its target and renamed by [`finish`](Self::finish), which returns
/// when the bytes and the new name are on the disk.
///
/// Dropped without `finish` it leaves nothing behind. What a process that was killed left beside the
/// target is removed when the target is written next. The ending `.gz` or `.zst` compresses.
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
    /// The temporary file. Its lock tells other processes that its writer lives.
    file: File,
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
            // Without this a crash of the machine could leave the new name with none of the bytes.
            pending.file.sync_all()?;
            let mut files = unfinished();
            std::fs::rename(&pending.temporary, &pending.target)?;
            files.retain(|file| *file != pending.temporary);
            sync_folder(&pending.target);
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
    let target = match std::fs::canonicalize(path) {
        Ok(target) => target,
        Err(_) if path.is_symlink() => {
            return Err(std::io::Error::new(
                std::io::ErrorKind::NotFound,
                "it is a link to a file that does not exist: remove the link or create the file",
            ));
        }
        Err(_) => path.to_path_buf(),
    };
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
    remove_stale(&target, name);
    let serial = SERIAL.fetch_add(1, Ordering::Relaxed);
    let mut hidden = prefix_of(name);
    hidden.push(format!("{}.{serial}{PART}", std::process::id()));
    let temporary = target.with_file_name(hidden);
    let mut files = unfinished();
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&temporary)?;
    files.push(temporary.clone());
    drop(files);
    // Where a file system knows no locks the number of the process has to do.
    let _ = file.try_lock_shared();
    if let Some(existing) = existing {
        // Best effort: a file keeps its access rights when it is replaced.
        let _ = file.set_permissions(existing.permissions());
    }
    let pending = Pending {
        temporary,
        target,
        file: file.try_clone()?,
    };
    Ok((Sink::File(file), Some(pending)))
}

/// The ending of temporary files.
const PART: &str = ".part";

/// How the names of the temporary files of a target begin.
fn prefix_of(name: &OsStr) -> OsString {
    let mut prefix = OsString::from(".");
    prefix.push(name);
    prefix.push(".");
    prefix
}

/// Removes what processes that no longer live left beside a target. Best effort: nobody waits for it.
fn remove_stale(target: &Path, name: &OsStr) {
    let prefix = prefix_of(name);
    let folder = match target.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        if process_of(&entry.file_name(), &prefix).is_some_and(is_gone) {
            let path = entry.path();
            // A writer on another machine has no process here, but holds its lock.
            let free = File::open(&path).is_ok_and(|file| file.try_lock().is_ok());
            if free {
                let _ = std::fs::remove_file(path);
            }
        }
    }
}

/// The process that wrote a temporary file, from its name.
fn process_of(name: &OsStr, prefix: &OsStr) -> Option<u32> {
    let rest = name.to_str()?.strip_prefix(prefix.to_str()?)?;
    let (process, serial) = rest.strip_suffix(PART)?.split_once('.')?;
    serial.parse::<u64>().ok()?;
    process.parse().ok()
}

/// True if there is no such process; false where the system does not tell.
fn is_gone(process: u32) -> bool {
    let processes = Path::new("/proc");
    processes.join("self").exists() && !processes.join(process.to_string()).exists()
}

/// Puts a new name on the disk, where the system can: some know no such request for folders.
fn sync_folder(target: &Path) {
    if let Some(folder) = target.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}

#[cfg(test)]
mod tests {
    use super::{OutputFile, is_gone, process_of};
    use std::ffi::OsStr;
    use std::io::Write;

    #[test]
    fn names_of_temporary_files_tell_their_process() {
        let of = |name: &str| process_of(OsStr::new(name), OsStr::new(".m."));
        assert_eq!(of(".m.123.0.part"), Some(123));
        for strange in [".m.part", ".m.x.0.part", ".m.1.x.part", ".mm.1.0.part", "m"] {
            assert_eq!(of(strange), None, "{strange}");
        }
        assert!(!is_gone(std::process::id()));
    }

    #[test]
    fn what_a_dead_process_left_is_removed_and_what_a_living_one_writes_is_not() {
        let folder = std::env::temp_dir().join(format!("hedgerow-stale-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        // No process has a number as large as this.
        let dead = folder.join(".m.4294967295.0.part");
        let other = folder.join(".n.4294967295.0.part");
        std::fs::write(&dead, "x").expect("written");
        std::fs::write(&other, "x").expect("written");
        let first = OutputFile::create(&folder.join("m")).expect("an output");
        let mut second = OutputFile::create(&folder.join("m")).expect("another");
        assert!(!dead.exists() || cfg!(not(target_os = "linux")));
        assert!(other.exists(), "of another target");
        second.write_all(b"new").expect("written");
        drop(first);
        second.finish().expect("finished");
        assert_eq!(std::fs::read(folder.join("m")).expect("a file"), b"new");
        let left = std::fs::read_dir(&folder).expect("a folder").count();
        assert_eq!(left, 2 + usize::from(dead.exists()));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
