//! Parameters of some method, ready to train.

use crate::stored::StoredModel;
use hedgerow::data::Dataset;
use hedgerow::kernel::{Kernel, KernelSpec};
use hedgerow::method::Card;
use hedgerow::params::{Kind, Parameter, Value};
use hedgerow::{Error, Estimator, OwnSearch, Report, Result};

/// A fit of any method.
#[derive(Debug)]
pub struct Trained {
    /// The model.
    pub model: Box<dyn StoredModel>,
    /// How training went.
    pub report: Report,
    /// Rows of the data that became support vectors, in the order of the model's, for methods that
    /// can tell.
    pub support: Option<Vec<u32>>,
}

/// Named parameters, whatever they are of.
pub trait Settings: std::fmt::Debug + Send + Sync {
    /// The parameters.
    fn table(&self) -> Vec<Parameter>;
    /// The value of a parameter.
    fn get(&self, name: &str) -> Option<Value>;
    /// Sets a parameter by its name or an older spelling.
    fn set(&mut self, name: &str, value: &Value) -> Result<()>;
}

/// Sets named values, in the order of the table whatever order they have: what is not given keeps
/// its default. The seed is set where there is one.
pub(crate) fn set_all(
    settings: &mut dyn Settings,
    values: &[(String, Value)],
    seed: u64,
) -> Result<()> {
    let table = settings.table();
    if let Some((name, _)) = values
        .iter()
        .find(|(name, _)| !table.iter().any(|row| row.is_called(name)))
    {
        return Err(no_parameter(&table, name));
    }
    if table.iter().any(|row| row.name == "seed") {
        settings.set("seed", &Value::Whole(seed))?;
    }
    for row in &table {
        for (name, value) in values {
            if row.is_called(name) {
                settings.set(row.name, value)?;
            }
        }
    }
    Ok(())
}

/// Names and values of all parameters that change the answer, for people.
pub(crate) fn describe(settings: &dyn Settings) -> Vec<(String, String)> {
    let mut pairs = Vec::new();
    for row in settings.table().iter().filter(|row| !row.unsaid) {
        match (settings.get(row.name), row.kind) {
            (None, _) => {}
            (Some(Value::Table(weights)), Kind::ClassWeights) => {
                for (class, weight) in weights {
                    pairs.push((format!("class_weight {class}"), weight.to_string()));
                }
            }
            (Some(Value::Nothing), _) => {
                let unless = row.unless.unwrap_or("none");
                pairs.push((row.name.to_owned(), unless.to_owned()));
            }
            (Some(value), _) => pairs.push((row.name.to_owned(), value.to_string())),
        }
    }
    pairs
}

/// The error for a name that no parameter of a table has.
pub(crate) fn no_parameter(table: &[Parameter], name: &str) -> Error {
    let tunable: Vec<&str> = table
        .iter()
        .filter(|row| row.tunable)
        .map(|row| row.name)
        .collect();
    Error::UnknownName {
        what: "parameter of the method",
        name: name.to_owned(),
        known: tunable.join(", "),
    }
}

/// Parameters of some method, ready to train.
pub trait Trainer: Settings {
    /// What the method says of itself.
    fn card(&self) -> &'static Card;
    /// An error that names the first parameter out of its range.
    fn check(&self) -> Result<()>;
    /// Trains.
    fn fit(&self, data: &Dataset) -> Result<Trained>;
    /// The method's own search for parameters, if it has one.
    fn own_search(&self) -> Option<&dyn OwnSearch>;
    /// A copy.
    fn duplicate(&self) -> Box<dyn Trainer>;
}

impl dyn Trainer + '_ {
    /// Names and values of all parameters that change the answer, for people.
    pub fn describe(&self) -> Vec<(String, String)> {
        describe(self)
    }

    /// Divides memory budgets among fits that run at the same time.
    pub fn share_memory(&mut self, parts: usize) -> Result<()> {
        match self.get("cache_mb").and_then(|value| value.as_number()) {
            Some(all) => self.set("cache_mb", &Value::Number(all / parts.max(1) as f64)),
            None => Ok(()),
        }
    }

    /// True if the kernel values come with the data.
    pub fn is_precomputed(&self) -> bool {
        let kernel = self.get("kernel");
        let text = kernel.as_ref().and_then(Value::text);
        text.and_then(|text| KernelSpec::parse(text).ok())
            .is_some_and(|spec| spec.fixed().is_some_and(Kernel::is_precomputed))
    }

    /// A copy with other values for some parameters.
    pub fn with(&self, values: &[(String, Value)]) -> Result<Box<dyn Trainer>> {
        let mut other = self.duplicate();
        for (name, value) in values {
            other.set(name, value)?;
        }
        Ok(other)
    }

    /// The value of a parameter from a text, for options and grids.
    pub fn value_of(&self, name: &str, text: &str) -> Result<Value> {
        let table = self.table();
        let row = table.iter().find(|row| row.is_called(name));
        let row = row.ok_or_else(|| self.no_parameter(name))?;
        Ok(row.kind.value(text))
    }

    /// The error for a name that no parameter has.
    pub fn no_parameter(&self, name: &str) -> Error {
        no_parameter(&self.table(), name)
    }
}

/// The parameters of one method.
#[derive(Debug)]
pub(crate) struct Ready<P> {
    card: &'static Card,
    params: P,
}

impl<P: Estimator> Ready<P> {
    pub(crate) fn new(card: &'static Card, params: P) -> Self {
        Self { card, params }
    }
}

impl<P: Estimator> Settings for Ready<P> {
    fn table(&self) -> Vec<Parameter> {
        let mut table = P::table();
        table.retain(|row| !self.card.without.contains(&row.name));
        table
    }

    fn get(&self, name: &str) -> Option<Value> {
        if self.card.without.contains(&name) {
            return None;
        }
        self.params.get(name)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        if !self.card.without.contains(&name) && self.params.set(name, value)? {
            return Ok(());
        }
        Err(no_parameter(&self.table(), name))
    }
}

impl<P: Estimator> Trainer for Ready<P>
where
    P::Model: StoredModel,
{
    fn card(&self) -> &'static Card {
        self.card
    }

    fn check(&self) -> Result<()> {
        self.params.check()
    }

    fn fit(&self, data: &Dataset) -> Result<Trained> {
        self.params.check()?;
        let fitted = self.params.fit(data)?;
        Ok(Trained {
            model: Box::new(fitted.model),
            report: fitted.report,
            support: fitted.support,
        })
    }

    fn own_search(&self) -> Option<&dyn OwnSearch> {
        self.params.own_search()
    }

    fn duplicate(&self) -> Box<dyn Trainer> {
        Box::new(Self {
            card: self.card,
            params: self.params.clone(),
        })
    }
}
