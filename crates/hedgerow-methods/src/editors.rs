//! The list of all editors of rows, as the front ends see them.

use crate::trainer::{Settings, describe, no_parameter, set_all};
use hedgerow::Result;
use hedgerow::clean::{Edit, Editor, EditorCard};
use hedgerow::data::Dataset;
use hedgerow::params::{Parameter, Parameters, Value};
use std::sync::LazyLock;

/// Every editor, by its parameters. A new one is one line here.
static ALL: LazyLock<Vec<EditorMethod>> = LazyLock::new(|| {
    [
        of::<hedgerow::clean::FalkNrParams>(),
        of::<hedgerow::clean::KnnSvmNrParams>(),
        of::<hedgerow::clean::EnnParams>(),
        of::<hedgerow::clean::RennParams>(),
        of::<hedgerow::clean::AknnParams>(),
        of::<hedgerow::clean::BbnrParams>(),
        of::<hedgerow::clean::CnnParams>(),
        of::<hedgerow::clean::Ib2Params>(),
        of::<hedgerow::clean::GcnnParams>(),
        of::<hedgerow::clean::FcnnParams>(),
        of::<hedgerow::clean::RnnParams>(),
        of::<hedgerow::clean::SnnParams>(),
        of::<hedgerow::clean::DropParams>(),
        of::<hedgerow::clean::IcfParams>(),
        of::<hedgerow::clean::Ib3Params>(),
        of::<hedgerow::clean::RusParams>(),
        of::<hedgerow::clean::SmoteParams>(),
        of::<hedgerow::clean::BorderlineSmoteParams>(),
        of::<hedgerow::clean::AdasynParams>(),
        of::<hedgerow::clean::TomekParams>(),
        of::<hedgerow::clean::NearMissParams>(),
    ]
    .concat()
});

/// An editor of rows.
#[derive(Debug, Clone, Copy)]
pub struct EditorMethod {
    /// What it says of itself.
    pub card: &'static EditorCard,
    make: fn(&'static EditorCard) -> Box<dyn RowEditor>,
}

/// Parameters of some editor, ready to edit.
pub trait RowEditor: Settings {
    /// What the editor says of itself.
    fn card(&self) -> &'static EditorCard;
    /// An error that names the first parameter out of its range.
    fn check(&self) -> Result<()>;
    /// Decides which rows stay.
    fn edit(&self, data: &Dataset) -> Result<Edit>;
    /// A copy.
    fn duplicate(&self) -> Box<dyn RowEditor>;
    /// Names and values of all parameters that change the answer, for people.
    fn describe(&self) -> Vec<(String, String)>;
}

impl Clone for Box<dyn RowEditor> {
    fn clone(&self) -> Self {
        self.duplicate()
    }
}

/// Every editor.
pub fn editors() -> &'static [EditorMethod] {
    &ALL
}

/// The editor of a name.
pub fn editor_by_name(name: &str) -> Option<&'static EditorMethod> {
    ALL.iter().find(|method| method.card.name == name)
}

/// The editors that a struct of parameters stands for.
fn of<P: Editor>() -> Vec<EditorMethod> {
    let method = |card| EditorMethod {
        card,
        make: |card| Box::new(ReadyEditor::<P>::new(card)),
    };
    P::CARDS.iter().map(method).collect()
}

impl EditorMethod {
    /// Parameters with their defaults.
    pub fn defaults(&self) -> Box<dyn RowEditor> {
        (self.make)(self.card)
    }

    /// Checked parameters from named values; those that are not given have their defaults.
    pub fn editor(&self, settings: &[(String, Value)], seed: u64) -> Result<Box<dyn RowEditor>> {
        let mut editor = self.defaults();
        set_all(&mut *editor, settings, seed)?;
        editor.check()?;
        Ok(editor)
    }
}

/// The parameters of one editor.
#[derive(Debug, Clone)]
struct ReadyEditor<P> {
    card: &'static EditorCard,
    params: P,
}

impl<P: Editor> ReadyEditor<P> {
    fn new(card: &'static EditorCard) -> Self {
        let mut params = P::default();
        for (name, text) in card.preset {
            let table = P::table();
            let row = table.iter().find(|row| row.name == *name);
            let value = row.map(|row| row.kind.value(text));
            // A test sets what all cards fix.
            if let Some(value) = value {
                let _ = params.set(name, &value);
            }
        }
        Self { card, params }
    }

    fn is_fixed(&self, name: &str) -> bool {
        self.card.preset.iter().any(|(fixed, _)| *fixed == name)
    }
}

impl<P: Editor> Settings for ReadyEditor<P> {
    fn table(&self) -> Vec<Parameter> {
        let mut table = P::table();
        table.retain(|row| !self.is_fixed(row.name));
        table
    }

    fn get(&self, name: &str) -> Option<Value> {
        if self.is_fixed(name) {
            return None;
        }
        Parameters::get(&self.params, name)
    }

    fn set(&mut self, name: &str, value: &Value) -> Result<()> {
        if !self.is_fixed(name) && Parameters::set(&mut self.params, name, value)? {
            return Ok(());
        }
        Err(no_parameter(&self.table(), name))
    }
}

impl<P: Editor> RowEditor for ReadyEditor<P> {
    fn card(&self) -> &'static EditorCard {
        self.card
    }

    fn check(&self) -> Result<()> {
        self.params.check()
    }

    fn edit(&self, data: &Dataset) -> Result<Edit> {
        self.params.edit(data)
    }

    fn duplicate(&self) -> Box<dyn RowEditor> {
        Box::new(self.clone())
    }

    fn describe(&self) -> Vec<(String, String)> {
        describe(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hedgerow::clean::Purpose;

    #[test]
    fn what_a_card_fixes_is_a_parameter_with_that_value() {
        for method in editors() {
            for (name, text) in method.card.preset {
                let mut all = method.defaults();
                assert!(all.get(name).is_none(), "{}: {name}", method.card.name);
                let refused = all.set(name, &Value::Text((*text).to_owned()));
                assert!(refused.is_err(), "{}: {name}", method.card.name);
            }
            assert!(method.defaults().check().is_ok(), "{}", method.card.name);
        }
    }

    #[test]
    fn names_are_distinct() {
        let mut names: Vec<&str> = editors().iter().map(|method| method.card.name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), editors().len());
        let cleans = |method: &&EditorMethod| method.card.purpose == Purpose::Clean;
        assert!(editors().iter().filter(cleans).count() >= 7);
    }
}
