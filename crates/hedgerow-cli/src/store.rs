//! Model files: what is written beside the model, and how any model file is read.

use crate::failure::Failure;
use crate::methods::{self, Model, StorableModel};
use crate::pipeline::Preprocessing;
use hedgerow::Report;
use hedgerow_io::{Bundle, Encoding, LibSvmModel, ModelHeader, RawModel, Source};

/// All of a model file but the model.
///
/// The time of the training is stored as 0: the same training gives the same bytes.
pub(crate) type Frame = Bundle<Preprocessing, ()>;

/// What kind of model file it was.
pub(crate) enum Origin {
    /// A file of this program.
    Hedgerow(ModelHeader),
    /// LIBSVM model text; the name of the method that it belongs to.
    LibSvm(&'static str),
}

/// A model file in memory.
pub(crate) struct Stored {
    /// Where it comes from.
    pub(crate) origin: Origin,
    /// How the columns of a table become features.
    pub(crate) encoding: Option<Encoding>,
    /// What is done to the features.
    pub(crate) preprocessing: Preprocessing,
    /// Names of the features of the input.
    pub(crate) feature_names: Option<Vec<String>>,
    /// Names and values of the parameters.
    pub(crate) parameters: Vec<(String, String)>,
    /// How training went.
    pub(crate) report: Option<Report>,
    /// The model.
    pub(crate) model: Box<dyn StorableModel>,
}

impl Stored {
    /// Takes a decoded bundle apart and checks that its parts fit together. Models check themselves
    /// while they are decoded.
    pub(crate) fn from_bundle<M: Model + serde::Serialize + 'static>(
        header: ModelHeader,
        bundle: Bundle<Preprocessing, M>,
    ) -> Result<Self, Failure> {
        let invalid = |problem: String| Failure::Model {
            name: header.tag.clone(),
            problem,
        };
        let seen = bundle.model.n_features();
        if !bundle.preprocessing.is_consistent()
            || bundle
                .preprocessing
                .n_outputs()
                .is_some_and(|found| found != seen)
        {
            return Err(invalid(format!(
                "the model is damaged: {seen} features in the model, others are prepared for it"
            )));
        }
        let width = bundle.preprocessing.n_inputs().unwrap_or(seen);
        let named = bundle.feature_names.as_ref().map(Vec::len);
        let encoded = bundle.encoding.as_ref().map(Encoding::n_features);
        if let Some(found) = [named, encoded]
            .into_iter()
            .flatten()
            .find(|found| *found != width)
        {
            return Err(invalid(format!(
                "the model is damaged: {width} features in the model, {found} around it"
            )));
        }
        Ok(Self {
            origin: Origin::Hedgerow(header),
            encoding: bundle.encoding,
            preprocessing: bundle.preprocessing,
            feature_names: bundle.feature_names,
            parameters: bundle.parameters,
            report: bundle.report,
            model: Box::new(bundle.model),
        })
    }

    /// Name of the method.
    pub(crate) fn method(&self) -> &str {
        match &self.origin {
            Origin::Hedgerow(header) => &header.tag,
            Origin::LibSvm(method) => method,
        }
    }
}

/// True if the content is LIBSVM model text.
pub(crate) fn is_libsvm_model(bytes: &[u8]) -> bool {
    bytes.trim_ascii_start().starts_with(b"svm_type")
}

/// True if the content is a model file of this program, or the beginning of one.
pub(crate) fn is_hedgerow_model(bytes: &[u8]) -> bool {
    const MAGIC: &[u8] = b"HEDGEROW";
    let shared = bytes.len().min(MAGIC.len());
    shared > 0 && bytes[..shared] == MAGIC[..shared]
}

/// Reads a model file of this program or of LIBSVM.
pub(crate) fn read(source: &Source) -> Result<Unbuilt, Failure> {
    from_bytes(&source.name(), &source.read()?)
}

/// A model file that has been read but, if it is LIBSVM's, not been given its width: that format
/// does not tell how many features there were.
pub(crate) enum Unbuilt {
    /// Complete.
    Hedgerow(Box<Stored>),
    /// Still to be given a width.
    LibSvm(String, Box<LibSvmModel>),
}

/// As [`read`], from memory.
pub(crate) fn from_bytes(name: &str, bytes: &[u8]) -> Result<Unbuilt, Failure> {
    if is_libsvm_model(bytes) {
        let model = LibSvmModel::from_bytes(name, bytes)?;
        return Ok(Unbuilt::LibSvm(name.to_owned(), Box::new(model)));
    }
    let raw = RawModel::from_bytes(name, bytes)?;
    let tag = &raw.header().tag;
    let method = methods::by_name(tag).ok_or_else(|| Failure::Model {
        name: name.to_owned(),
        problem: format!("this program does not know the method {tag:?}; update Hedgerow"),
    })?;
    let stored = method.decode(&raw).map_err(|failure| match failure {
        Failure::Model { problem, .. } => Failure::Model {
            name: name.to_owned(),
            problem,
        },
        other => other,
    })?;
    Ok(Unbuilt::Hedgerow(Box::new(stored)))
}

impl Unbuilt {
    /// The encoding that tables must be read with.
    pub(crate) fn encoding(&self) -> Option<&Encoding> {
        match self {
            Self::Hedgerow(stored) => stored.encoding.as_ref(),
            Self::LibSvm(..) => None,
        }
    }

    /// True for models of classes, including one-class models.
    pub(crate) fn has_classes(&self) -> bool {
        match self {
            Self::Hedgerow(stored) => stored.model.classes().is_some(),
            Self::LibSvm(_, model) => methods::libsvm_has_classes(model.svm_type),
        }
    }

    /// The model, ready for rows of `width` features.
    pub(crate) fn build(self, width: usize) -> Result<Stored, Failure> {
        match self {
            Self::Hedgerow(stored) => Ok(*stored),
            Self::LibSvm(name, model) => methods::from_libsvm(&name, &model, width),
        }
    }
}
