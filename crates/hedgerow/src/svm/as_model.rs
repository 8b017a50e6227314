//! What exact SVMs tell of themselves.

use super::{OneClassSvm, SvmClassifier, SvmRegressor};
use crate::Model;
use crate::capability::{ExpansionView, Facts};
use crate::kernel::{Expansion, ROWS_OF_A_TASK};
use crate::machines::Multiclass;
use crate::params::Value;

fn expansion_facts(expansion: &Expansion) -> Facts {
    vec![
        ("kernel", expansion.kernel.to_string().into()),
        ("machines", expansion.machines.len().into()),
        ("support_vectors", expansion.support_vectors.n_rows().into()),
    ]
}

/// A machine without classes.
fn single(expansion: &Expansion) -> ExpansionView<'_> {
    ExpansionView {
        expansion,
        classes: None,
        support_counts: &[],
        multiclass: Multiclass::OneVsOne,
        sigmoids: None,
    }
}

impl Model for SvmClassifier {
    fn facts(&self) -> Facts {
        let view = self.view();
        let mut facts = expansion_facts(view.expansion);
        let classes = view.classes.unwrap_or_default();
        let counts = classes.iter().zip(view.support_counts);
        let counts = counts.map(|(class, &count)| (class.to_string(), count.into()));
        facts.push(("support_vectors_of_classes", Value::Table(counts.collect())));
        facts.push(("probability", self.has_probabilities().into()));
        facts
    }

    fn score_scheme(&self) -> Multiclass {
        self.multiclass()
    }

    fn has_probabilities(&self) -> bool {
        self.view().sigmoids.is_some()
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn as_expansion(&self) -> Option<ExpansionView<'_>> {
        Some(self.view())
    }
}

impl Model for OneClassSvm {
    fn facts(&self) -> Facts {
        expansion_facts(self.parts())
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn as_expansion(&self) -> Option<ExpansionView<'_>> {
        Some(single(self.parts()))
    }
}

impl Model for SvmRegressor {
    fn facts(&self) -> Facts {
        expansion_facts(self.parts())
    }

    fn answers_alone(&self, n_rows: usize) -> bool {
        n_rows <= ROWS_OF_A_TASK
    }

    fn as_expansion(&self) -> Option<ExpansionView<'_>> {
        Some(single(self.parts()))
    }
}
