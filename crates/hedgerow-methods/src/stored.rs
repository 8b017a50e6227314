//! Model files: what is written beside the model, and how any model file is read.

use crate::{Error, Prepared, from_libsvm, libsvm_has_classes, registry};
use hedgerow::clean::Priors;
use hedgerow::data::Preprocessing;
use hedgerow::machines::Calibration;
use hedgerow::{Model, Report};
use hedgerow_io::{Bundle, Encoding, LibSvmModel, ModelHeader, RawModel, Source};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;
use std::path::Path;

/// All of a model file but the model.
///
/// The time of the training is stored as 0: the same training gives the same bytes.
pub type ModelFrame = Bundle<Preprocessing, ()>;

/// What stands beside a model that was just fitted. The time of the training is left out, so that
/// the same training gives the same bytes.
pub fn frame_of(
    preprocessing: Preprocessing,
    parameters: Vec<(String, String)>,
    report: &Report,
) -> ModelFrame {
    let mut frame = Bundle::new(preprocessing, ());
    frame.parameters = parameters;
    frame.report = Some(report.clone());
    if let Some(report) = &mut frame.report {
        report.seconds = 0.0;
    }
    frame
}

/// A model that can be written.
pub trait StoredModel: Model + Debug + 'static {
    /// The content of a model file.
    fn encode(&self, tag: &str, frame: &ModelFrame) -> Result<Vec<u8>, Error>;

    /// Writes a model file that appears complete or not at all.
    fn write(&self, path: &Path, tag: &str, frame: &ModelFrame) -> Result<(), Error>;

    /// A copy.
    fn duplicate(&self) -> Box<dyn StoredModel>;
}

/// A bundle with the model in its place.
fn bundle<'a, M>(frame: &ModelFrame, model: &'a M) -> Bundle<Preprocessing, &'a M> {
    Bundle {
        encoding: frame.encoding.clone(),
        preprocessing: frame.preprocessing.clone(),
        feature_names: frame.feature_names.clone(),
        parameters: frame.parameters.clone(),
        report: frame.report.clone(),
        model,
        priors: frame.priors.clone(),
        class_sizes: frame.class_sizes.clone(),
        calibration: frame.calibration.clone(),
    }
}

impl<M: Model + Serialize + Clone + Debug + 'static> StoredModel for M {
    fn encode(&self, tag: &str, frame: &ModelFrame) -> Result<Vec<u8>, Error> {
        Ok(hedgerow_io::encode_model(tag, &bundle(frame, self))?)
    }

    fn write(&self, path: &Path, tag: &str, frame: &ModelFrame) -> Result<(), Error> {
        Ok(hedgerow_io::write_model(path, tag, &bundle(frame, self))?)
    }

    fn duplicate(&self) -> Box<dyn StoredModel> {
        Box::new(self.clone())
    }
}

/// What kind of model file it was.
#[derive(Debug, Clone)]
pub enum Origin {
    /// A file of this program.
    Hedgerow(ModelHeader),
    /// A fit; the name of the method.
    Fitted(&'static str),
    /// LIBSVM model text; the name of the method that it belongs to.
    LibSvm(&'static str),
}

/// A model file in memory.
#[derive(Debug)]
pub struct Stored {
    /// Where it comes from.
    pub origin: Origin,
    /// What stands beside the model.
    pub frame: ModelFrame,
    /// The model.
    pub model: Box<dyn StoredModel>,
}

/// Decodes a model file of a model of this type and checks that its parts fit together. Models
/// check themselves while they are decoded.
pub(crate) fn open<M: StoredModel + DeserializeOwned>(raw: &RawModel) -> Result<Stored, Error> {
    let decoded: Bundle<Preprocessing, M> = Bundle::decode(raw)?;
    let frame = Bundle {
        encoding: decoded.encoding,
        preprocessing: decoded.preprocessing,
        feature_names: decoded.feature_names,
        parameters: decoded.parameters,
        report: decoded.report,
        model: (),
        priors: decoded.priors,
        class_sizes: decoded.class_sizes,
        calibration: decoded.calibration,
    };
    let seen = decoded.model.n_features();
    let preparation = &frame.preprocessing;
    let prepared = preparation.n_outputs().unwrap_or(seen);
    let width = preparation.n_inputs().unwrap_or(seen);
    let named = frame.feature_names.as_ref().map(Vec::len);
    let encoded = frame.encoding.as_ref().map(Encoding::n_features);
    let around = [named, encoded].into_iter().flatten();
    let problem = if !preparation.is_consistent() || prepared != seen {
        format!("the model is damaged: {seen} features in the model, others are prepared for it")
    } else if let Some(found) = around.into_iter().find(|&found| found != width) {
        format!("the model is damaged: {width} features in the model, {found} around it")
    } else if !fits_classes(&frame, &decoded.model) {
        "the model is damaged: what is told of its classes does not fit them".to_owned()
    } else {
        return Ok(Stored {
            origin: Origin::Hedgerow(raw.header().clone()),
            frame,
            model: Box::new(decoded.model),
        });
    };
    Err(Error::Model {
        name: raw.name().to_owned(),
        problem,
    })
}

/// True if what is told of the classes, if anything, fits those of the model.
fn fits_classes(frame: &ModelFrame, model: &dyn StoredModel) -> bool {
    let n_classes = model.classes().map_or(0, <[_]>::len);
    let are_sizes = |sizes: &Vec<f64>| {
        sizes.len() == n_classes && sizes.iter().all(|size| size.is_finite() && *size >= 0.0)
    };
    let fits_priors = |priors: &Priors| priors.is_consistent(n_classes);
    let fits_map = |calibration: &Calibration| calibration.is_consistent(n_classes);
    frame.priors.as_ref().is_none_or(fits_priors)
        && frame.class_sizes.as_ref().is_none_or(are_sizes)
        && frame.calibration.as_ref().is_none_or(fits_map)
}

impl Stored {
    /// A model that was just fitted.
    pub fn fitted(method: &'static str, frame: ModelFrame, model: Box<dyn StoredModel>) -> Self {
        Self {
            origin: Origin::Fitted(method),
            frame,
            model,
        }
    }

    /// The model that prepares its input.
    pub fn into_prepared(self) -> Prepared {
        Prepared {
            preprocessing: self.frame.preprocessing,
            model: self.model,
            priors: self.frame.priors,
            class_sizes: self.frame.class_sizes,
            calibration: self.frame.calibration,
            metric: None,
        }
    }

    /// Number of features of the rows to predict, before they are prepared.
    pub fn width(&self) -> usize {
        let inputs = self.frame.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.model.n_features())
    }

    /// Reads a model file of this program or of LIBSVM.
    pub fn read(source: &Source) -> Result<Unbuilt, Error> {
        Unbuilt::from_bytes(&source.name(), source.read()?)
    }

    /// Writes a model file that appears complete or not at all.
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        self.model.write(path, self.method(), &self.frame)
    }

    /// The content of a model file.
    pub fn encode(&self) -> Result<Vec<u8>, Error> {
        self.model.encode(self.method(), &self.frame)
    }

    /// A copy.
    pub fn duplicate(&self) -> Self {
        Self {
            origin: self.origin.clone(),
            frame: self.frame.clone(),
            model: self.model.duplicate(),
        }
    }

    /// Features of the rows that are given, of which the model may see only some.
    pub fn n_inputs(&self) -> usize {
        let inputs = self.frame.preprocessing.n_inputs();
        inputs.unwrap_or_else(|| self.model.n_features())
    }

    /// Name of the method.
    pub fn method(&self) -> &str {
        match &self.origin {
            Origin::Hedgerow(header) => &header.tag,
            Origin::Fitted(method) | Origin::LibSvm(method) => method,
        }
    }
}

/// True if the content is LIBSVM model text.
pub fn is_libsvm_model(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"svm_type")
}

/// True if the content is a model file of this program, or the beginning of one.
pub fn is_hedgerow_model(bytes: &[u8]) -> bool {
    const MAGIC: &[u8] = b"HEDGEROW";
    let shared = bytes.len().min(MAGIC.len());
    shared > 0 && bytes[..shared] == MAGIC[..shared]
}

/// A model file that has been read but, if it is LIBSVM's, not been given its width: that format
/// does not tell how many features there were.
#[derive(Debug)]
pub enum Unbuilt {
    /// Complete.
    Hedgerow(Box<Stored>),
    /// Still to be given a width.
    LibSvm(String, Box<LibSvmModel>),
}

impl Unbuilt {
    /// A model file in memory; `name` stands in messages.
    pub fn from_bytes(name: &str, bytes: Vec<u8>) -> Result<Self, Error> {
        if is_libsvm_model(&bytes) {
            let model = LibSvmModel::from_bytes(name, &bytes)?;
            return Ok(Self::LibSvm(name.to_owned(), Box::new(model)));
        }
        let raw = RawModel::from_bytes(name, bytes)?;
        let tag = &raw.header().tag;
        let method = registry::by_name(tag).ok_or_else(|| Error::Model {
            name: name.to_owned(),
            problem: format!("this program does not know the method {tag:?}; update Hedgerow"),
        })?;
        Ok(Self::Hedgerow(Box::new(method.decode(&raw)?)))
    }

    /// The encoding that tables must be read with.
    pub fn encoding(&self) -> Option<&Encoding> {
        match self {
            Self::Hedgerow(stored) => stored.frame.encoding.as_ref(),
            Self::LibSvm(..) => None,
        }
    }

    /// True for models of classes, including one-class models.
    pub fn has_classes(&self) -> bool {
        match self {
            Self::Hedgerow(stored) => stored.model.classes().is_some(),
            Self::LibSvm(_, model) => libsvm_has_classes(model.svm_type),
        }
    }

    /// Number of features of the rows to predict, if the model knows.
    pub fn width(&self) -> Option<usize> {
        match self {
            Self::Hedgerow(stored) => Some(stored.width()),
            Self::LibSvm(..) => None,
        }
    }

    /// The model, ready for rows of `width` features.
    pub fn build(self, width: usize) -> Result<Stored, Error> {
        match self {
            Self::Hedgerow(stored) => Ok(*stored),
            Self::LibSvm(name, model) => from_libsvm(&name, &model, width),
        }
    }
}
