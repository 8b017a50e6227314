//! The container of model files.
//!
//! | bytes | content |
//! |---|---|
//! | 8 | the word `HEDGEROW` |
//! | 2 | format version, little endian as all numbers |
//! | 2 | flags, 0 in this version |
//! | 1 + n | length and text of the tag that names the method |
//! | 1 + n | length and text of the version of the writing program |
//! | 8 | length of the payload |
//! | n | payload (postcard) |
//! | 4 | CRC-32 of all bytes before |
//!
//! Every length is compared with the bytes present before it is used. The payload decoder reserves
//! no more than a fixed amount ahead of the bytes it has seen.

use super::checksum::crc32;
use crate::input::Source;
use crate::output::write_error;
use crate::{IoError, ModelProblem, OutputFile};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::Write;
use std::ops::Range;
use std::path::Path;

/// Newest format version that this crate reads, and the one it writes.
pub const FORMAT_VERSION: u16 = 6;

const MAGIC: &[u8; 8] = b"HEDGEROW";

/// What a model file says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ModelHeader {
    /// Version of the container format.
    pub format_version: u16,
    /// Version of the crate that wrote the file.
    pub writer_version: String,
    /// The method, for example `svm`.
    pub tag: String,
}

/// A model file whose container has been checked; the payload is still to be decoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawModel {
    name: String,
    header: ModelHeader,
    /// The whole file: models are large, and cutting the payload out would copy it.
    bytes: Vec<u8>,
    payload: Range<usize>,
}

impl RawModel {
    /// Checks the content of a model file, which is kept; `name` stands in messages.
    pub fn from_bytes(name: &str, bytes: impl Into<Vec<u8>>) -> Result<Self, IoError> {
        let bytes = bytes.into();
        let (header, payload) = parse(&bytes).map_err(|problem| IoError::Model {
            name: name.to_owned(),
            problem,
        })?;
        Ok(Self {
            name: name.to_owned(),
            header,
            bytes,
            payload,
        })
    }

    /// How messages call the file.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// An error if the file is of an older format than its method can still read.
    pub fn ensure_since(&self, oldest: u16) -> Result<(), IoError> {
        let found = self.header.format_version;
        if found >= oldest {
            return Ok(());
        }
        Err(IoError::Model {
            name: self.name.clone(),
            problem: ModelProblem::Older {
                found,
                known: oldest,
            },
        })
    }

    /// The header.
    pub fn header(&self) -> &ModelHeader {
        &self.header
    }

    /// The encoded payload.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.payload.clone()]
    }

    /// Decodes the payload, which must be used up.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, IoError> {
        let refused = |detail: String| IoError::Model {
            name: self.name.clone(),
            problem: ModelProblem::Payload {
                tag: self.header.tag.clone(),
                detail,
            },
        };
        match postcard::take_from_bytes(self.payload()) {
            Ok((value, [])) => Ok(value),
            Ok((_, rest)) => Err(refused(format!("{} bytes too many", rest.len()))),
            Err(error) => Err(refused(error.to_string())),
        }
    }
}

/// The bytes of a model file.
pub fn encode_model<T: Serialize>(tag: &str, payload: &T) -> Result<Vec<u8>, IoError> {
    let refused = |problem| IoError::Model {
        name: tag.to_owned(),
        problem,
    };
    let writer = env!("CARGO_PKG_VERSION");
    let mut bytes = Vec::new();
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&0u16.to_le_bytes());
    for text in [tag, writer] {
        let length = u8::try_from(text.len()).map_err(|_| {
            refused(ModelProblem::TagTooLong {
                length: text.len(),
                limit: u8::MAX.into(),
            })
        })?;
        bytes.push(length);
        bytes.extend_from_slice(text.as_bytes());
    }
    // The length is known when the payload stands behind it.
    let length_at = bytes.len();
    bytes.extend_from_slice(&[0; 8]);
    let payload_at = bytes.len();
    let mut bytes = postcard::to_extend(payload, bytes).map_err(|error| {
        refused(ModelProblem::Payload {
            tag: tag.to_owned(),
            detail: error.to_string(),
        })
    })?;
    let length = (bytes.len() - payload_at) as u64;
    bytes[length_at..payload_at].copy_from_slice(&length.to_le_bytes());
    let checksum = crc32(&bytes);
    bytes.extend_from_slice(&checksum.to_le_bytes());
    Ok(bytes)
}

/// Writes a model file; the ending `.gz` or `.zst` compresses it, `-` is standard output.
pub fn write_model<T: Serialize>(path: &Path, tag: &str, payload: &T) -> Result<(), IoError> {
    let bytes = encode_model(tag, payload)?;
    let mut out = OutputFile::create(path)?;
    out.write_all(&bytes).map_err(write_error(path))?;
    out.finish()
}

/// Reads and checks a model file.
pub fn read_container(source: &Source) -> Result<RawModel, IoError> {
    RawModel::from_bytes(&source.name(), source.read()?)
}

/// Takes bytes from the front of what is left.
struct Reader<'a> {
    all: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, length: u64) -> Result<&'a [u8], ModelProblem> {
        let rest = &self.all[self.at..];
        if length > rest.len() as u64 {
            return Err(ModelProblem::CutOff {
                expected: (self.at as u64).saturating_add(length),
                found: self.all.len() as u64,
            });
        }
        let taken = &rest[..length as usize];
        self.at += taken.len();
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ModelProblem> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N as u64)?);
        Ok(array)
    }

    fn text(&mut self, what: &'static str) -> Result<String, ModelProblem> {
        let [length] = self.array()?;
        let bytes = self.take(length.into())?;
        String::from_utf8(bytes.to_vec()).map_err(|_| ModelProblem::Header { what })
    }
}

/// The header, and where the payload stands.
fn parse(bytes: &[u8]) -> Result<(ModelHeader, Range<usize>), ModelProblem> {
    let mut reader = Reader { all: bytes, at: 0 };
    // A beginning of the magic word is a cut-off model, anything else a foreign file.
    let shared = bytes.len().min(MAGIC.len());
    if shared == 0 || bytes[..shared] != MAGIC[..shared] {
        return Err(ModelProblem::Foreign);
    }
    reader.take(MAGIC.len() as u64)?;
    let format_version = u16::from_le_bytes(reader.array()?);
    if format_version > FORMAT_VERSION {
        return Err(ModelProblem::Newer {
            found: format_version,
            known: FORMAT_VERSION,
        });
    }
    if format_version == 0 {
        let what = "format version 0";
        return Err(ModelProblem::Header { what });
    }
    if reader.array()? != [0, 0] {
        let what = "unknown flags";
        return Err(ModelProblem::Header { what });
    }
    let tag = reader.text("the method tag is not UTF-8")?;
    let writer_version = reader.text("the writer version is not UTF-8")?;
    let length = u64::from_le_bytes(reader.array()?);
    let start = reader.at;
    reader.take(length)?;
    let end = reader.at;
    let found = u32::from_le_bytes(reader.array()?);
    let extra = (bytes.len() - reader.at) as u64;
    if extra > 0 {
        return Err(ModelProblem::Trailing { extra });
    }
    let computed = crc32(&bytes[..end]);
    if found != computed {
        return Err(ModelProblem::Checksum { found, computed });
    }
    let header = ModelHeader {
        format_version,
        writer_version,
        tag,
    };
    Ok((header, start..end))
}
