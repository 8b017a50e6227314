//! Where bytes come from: a path, standard input or memory, decompressed on the way.

use crate::IoError;
use std::io::Read;
use std::path::{Path, PathBuf};

/// An input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A file.
    Path(PathBuf),
    /// Standard input.
    Stdin,
    /// Bytes in memory, with a name for messages.
    Bytes {
        /// Stands in messages where a path would; its ending tells the format.
        name: String,
        /// The content, possibly compressed.
        bytes: Vec<u8>,
    },
}

impl Source {
    /// `-` is standard input, all else a path.
    pub fn from_argument(argument: &str) -> Self {
        if argument == "-" {
            Self::Stdin
        } else {
            Self::Path(PathBuf::from(argument))
        }
    }

    /// How messages call the input.
    pub fn name(&self) -> String {
        match self {
            Self::Path(path) => path.display().to_string(),
            Self::Stdin => "standard input".to_owned(),
            Self::Bytes { name, .. } => name.clone(),
        }
    }

    /// The file name that may tell format and compression by its ending.
    pub(crate) fn path(&self) -> Option<&Path> {
        match self {
            Self::Path(path) => Some(path),
            Self::Stdin => None,
            Self::Bytes { name, .. } => Some(Path::new(name)),
        }
    }

    /// The whole content, decompressed if it is gzip or zstd (known by its first bytes, or by the
    /// ending, so that a damaged `.gz` is not taken for text).
    pub fn read(&self) -> Result<Vec<u8>, IoError> {
        let failed = |source| IoError::Read {
            name: self.name(),
            source,
        };
        let raw = match self {
            Self::Path(path) => std::fs::read(path).map_err(failed)?,
            Self::Stdin => {
                let mut bytes = Vec::new();
                std::io::stdin()
                    .lock()
                    .read_to_end(&mut bytes)
                    .map_err(failed)?;
                bytes
            }
            Self::Bytes { bytes, .. } => bytes.clone(),
        };
        self.decompress(raw)
    }

    fn decompress(&self, raw: Vec<u8>) -> Result<Vec<u8>, IoError> {
        let by_ending = self.path().map_or(Compression::None, Compression::of_path);
        let method = match Compression::of_content(&raw) {
            Compression::None => by_ending,
            by_content => by_content,
        };
        let (label, result) = match method {
            Compression::None => return Ok(raw),
            Compression::Gzip => ("gzip", gunzip(&raw)),
            Compression::Zstd => ("zstd", unzstd(&raw)),
        };
        result.map_err(|detail| IoError::Compression {
            name: self.name(),
            method: label,
            detail,
        })
    }
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        Self::Path(path.to_path_buf())
    }
}

/// A compression method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Compression {
    None,
    Gzip,
    Zstd,
}

impl Compression {
    /// By the ending `.gz` or `.zst`.
    pub(crate) fn of_path(path: &Path) -> Self {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some(ending) if ending.eq_ignore_ascii_case("gz") => Self::Gzip,
            Some(ending) if ending.eq_ignore_ascii_case("zst") => Self::Zstd,
            _ => Self::None,
        }
    }

    fn of_content(bytes: &[u8]) -> Self {
        if bytes.starts_with(&[0x1f, 0x8b]) {
            Self::Gzip
        } else if bytes.starts_with(&ZSTD_MAGIC) || is_skippable_frame(bytes) {
            Self::Zstd
        } else {
            Self::None
        }
    }
}

const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Frames that hold no data have the magic numbers 0x184D2A50 to 0x184D2A5F.
fn is_skippable_frame(bytes: &[u8]) -> bool {
    matches!(bytes, [low, 0x2a, 0x4d, 0x18, ..] if low & 0xf0 == 0x50)
}

fn gunzip(raw: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    // Concatenated members, as `cat a.gz b.gz` and parallel gzip make them, are one text.
    flate2::read::MultiGzDecoder::new(raw)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn unzstd(raw: &[u8]) -> Result<Vec<u8>, String> {
    let mut rest = raw;
    let mut bytes = Vec::new();
    if rest.is_empty() {
        return Err("empty file".to_owned());
    }
    while !rest.is_empty() {
        if is_skippable_frame(rest) {
            rest = skip_frame(rest)?;
            continue;
        }
        let mut decoder = ruzstd::decoding::StreamingDecoder::new(&mut rest)
            .map_err(|error| error.to_string())?;
        decoder
            .read_to_end(&mut bytes)
            .map_err(|error| error.to_string())?;
        let frame = decoder.into_frame_decoder();
        if let (Some(stored), Some(computed)) = (
            frame.get_checksum_from_data(),
            frame.get_calculated_checksum(),
        ) && stored != computed
        {
            return Err("wrong checksum".to_owned());
        }
    }
    Ok(bytes)
}

fn skip_frame(bytes: &[u8]) -> Result<&[u8], String> {
    let length: [u8; 4] = bytes
        .get(4..8)
        .and_then(|field| field.try_into().ok())
        .ok_or("skippable frame without length")?;
    bytes
        .get(8..)
        .and_then(|body| body.get(u32::from_le_bytes(length) as usize..))
        .ok_or_else(|| "skippable frame is cut off".to_owned())
}
