//! The list of all methods.

use crate::Error;
use crate::stored::{Stored, StoredModel, open};
use crate::trainer::{Ready, Trainer, set_all};
use hedgerow::Estimator;
use hedgerow::method::Card;
use hedgerow::params::Value;
use hedgerow_io::RawModel;
use serde::de::DeserializeOwned;
use std::sync::LazyLock;

/// Every method, by its parameters. A new one is one line here.
static ALL: LazyLock<Vec<Method>> = LazyLock::new(|| {
    [
        methods::<hedgerow::svm::SvcParams>(),
        methods::<hedgerow::svm::NuSvcParams>(),
        methods::<hedgerow::svm::SvrParams>(),
        methods::<hedgerow::svm::NuSvrParams>(),
        methods::<hedgerow::svm::OneClassParams>(),
        methods::<hedgerow::local::FalkParams>(),
        methods::<hedgerow::local::KnnParams>(),
        methods::<hedgerow::local::KnnSvmParams>(),
        methods::<hedgerow::svm::linear::LinearSvmParams>(),
        methods::<hedgerow::svm::linear::LogisticParams>(),
        methods::<hedgerow::svm::linear::PegasosParams>(),
        methods::<hedgerow::svm::linear::FisherParams>(),
        methods::<hedgerow::proximal::GepsvmParams>(),
        methods::<hedgerow::proximal::RegecParams>(),
        methods::<hedgerow::proximal::CregecParams>(),
        methods::<hedgerow::proximal::IregecParams>(),
        methods::<hedgerow::proximal::KfdaParams>(),
        methods::<hedgerow::proximal::KqpfsParams>(),
        methods::<hedgerow::rank::RankRcParams>(),
        methods::<hedgerow::rank::RankRndParams>(),
        methods::<hedgerow::rank::RankSvmParams>(),
        methods::<hedgerow::tree::HlsvmParams>(),
        methods::<hedgerow::tree::SvmTreesParams>(),
    ]
    .concat()
});

/// A method as the front ends see it.
#[derive(Debug, Clone, Copy)]
pub struct Method {
    /// What it says of itself.
    pub card: &'static Card,
    make: fn(&'static Card) -> Box<dyn Trainer>,
    decode: fn(&RawModel) -> Result<Stored, Error>,
}

/// Every method.
pub fn all() -> &'static [Method] {
    &ALL
}

/// The method of a name.
pub fn by_name(name: &str) -> Option<&'static Method> {
    ALL.iter().find(|method| method.card.name == name)
}

/// The methods that a struct of parameters stands for.
fn methods<P>() -> Vec<Method>
where
    P: Estimator,
    P::Model: StoredModel + DeserializeOwned,
{
    let method = |card| Method {
        card,
        make: |card| Box::new(Ready::new(card, P::default())),
        decode: open::<P::Model>,
    };
    P::METHODS.iter().map(method).collect()
}

impl Method {
    /// Parameters with their defaults.
    pub fn defaults(&self) -> Box<dyn Trainer> {
        (self.make)(self.card)
    }

    /// Checked parameters from named values; those that are not given have their defaults. The
    /// order of the values does not matter: they are set in the order of the table.
    pub fn trainer(
        &self,
        settings: &[(String, Value)],
        seed: u64,
    ) -> hedgerow::Result<Box<dyn Trainer>> {
        let mut trainer = self.defaults();
        set_all(&mut *trainer, settings, seed)?;
        trainer.check()?;
        Ok(trainer)
    }

    /// Decodes a model file of this method.
    pub fn decode(&self, raw: &RawModel) -> Result<Stored, Error> {
        raw.ensure_since(self.card.readable_since)?;
        (self.decode)(raw)
    }
}
