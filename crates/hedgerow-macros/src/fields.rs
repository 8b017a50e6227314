//! What the attribute of one field says.

use syn::spanned::Spanned;
use syn::{Attribute, Expr, Field, Ident, Lit, LitChar, LitStr, Result, Type};

/// A field of a struct of parameters.
#[allow(
    clippy::struct_excessive_bools,
    reason = "words of an attribute that are there or not"
)]
pub(crate) struct Declared {
    pub(crate) name: Ident,
    pub(crate) of: Type,
    /// The first paragraph of its documentation, in one line.
    pub(crate) about: String,
    pub(crate) role: Role,
    pub(crate) default: Option<Expr>,
    pub(crate) above: Option<Expr>,
    pub(crate) least: Option<Expr>,
    pub(crate) below: Option<Expr>,
    pub(crate) most: Option<Expr>,
    pub(crate) unless: Option<String>,
    pub(crate) short: Option<LitChar>,
    pub(crate) switch: Option<LitChar>,
    pub(crate) aliases: Vec<String>,
    pub(crate) option: Option<String>,
    pub(crate) python: Option<String>,
    pub(crate) python_default: Option<String>,
    pub(crate) python_none: Option<String>,
    pub(crate) no_python: bool,
    pub(crate) no_option: bool,
    pub(crate) heading: Option<String>,
    pub(crate) tunable: bool,
    pub(crate) unsaid: bool,
    pub(crate) no_builder: bool,
    pub(crate) set_with: Option<Ident>,
}

/// What kind of field it is.
#[derive(PartialEq)]
pub(crate) enum Role {
    /// One parameter.
    Parameter,
    /// A struct of parameters.
    Flatten,
    /// None.
    Skip,
}

impl Declared {
    /// Reads and removes the attribute `param` of a field.
    pub(crate) fn take(field: &mut Field) -> Result<Self> {
        let name = field
            .ident
            .clone()
            .ok_or_else(|| syn::Error::new(field.span(), "parameters have names"))?;
        let mut declared = Self::plain(name, field);
        let mut found = false;
        for attribute in &field.attrs {
            if attribute.path().is_ident("param") {
                found = true;
                declared.read(attribute)?;
            }
        }
        if !found {
            let message = "say what the field is: #[param(…)], #[param(flatten)] or #[param(skip)]";
            return Err(syn::Error::new(field.span(), message));
        }
        field.attrs.retain(|one| !one.path().is_ident("param"));
        Ok(declared)
    }

    fn plain(name: Ident, field: &Field) -> Self {
        Self {
            name,
            of: field.ty.clone(),
            about: first_paragraph(&field.attrs),
            role: Role::Parameter,
            default: None,
            above: None,
            least: None,
            below: None,
            most: None,
            unless: None,
            short: None,
            switch: None,
            aliases: Vec::new(),
            option: None,
            python: None,
            python_default: None,
            python_none: None,
            no_python: false,
            no_option: false,
            heading: None,
            tunable: false,
            unsaid: false,
            no_builder: false,
            set_with: None,
        }
    }

    fn read(&mut self, attribute: &Attribute) -> Result<()> {
        attribute.parse_nested_meta(|meta| {
            let word = meta
                .path
                .get_ident()
                .map(ToString::to_string)
                .unwrap_or_default();
            let text = |meta: &syn::meta::ParseNestedMeta<'_>| -> Result<String> {
                Ok(meta.value()?.parse::<LitStr>()?.value())
            };
            match word.as_str() {
                "default" => self.default = Some(meta.value()?.parse()?),
                "above" => self.above = Some(meta.value()?.parse()?),
                "least" => self.least = Some(meta.value()?.parse()?),
                "below" => self.below = Some(meta.value()?.parse()?),
                "most" => self.most = Some(meta.value()?.parse()?),
                "unless" => self.unless = Some(text(&meta)?),
                "short" => self.short = Some(meta.value()?.parse()?),
                "switch" => self.switch = Some(meta.value()?.parse()?),
                "alias" => {
                    let all = text(&meta)?;
                    self.aliases = all.split(',').map(|one| one.trim().to_owned()).collect();
                }
                "option" => self.option = Some(text(&meta)?),
                "python" => self.python = Some(text(&meta)?),
                "python_default" => self.python_default = Some(text(&meta)?),
                "python_none" => self.python_none = Some(text(&meta)?),
                "no_python" => self.no_python = true,
                "no_option" => self.no_option = true,
                "heading" => self.heading = Some(text(&meta)?),
                "tunable" => self.tunable = true,
                "unsaid" => self.unsaid = true,
                "no_builder" => self.no_builder = true,
                "set_with" => self.set_with = Some(meta.value()?.parse()?),
                "flatten" => self.role = Role::Flatten,
                "skip" => self.role = Role::Skip,
                _ => return Err(meta.error("no word of a parameter's declaration")),
            }
            Ok(())
        })
    }

    /// True if the lower bound is written as a whole number.
    fn is_whole(&self) -> bool {
        let bound = self.least.as_ref().or(self.most.as_ref());
        bound.is_some_and(|bound| matches!(bound, Expr::Lit(one) if matches!(one.lit, Lit::Int(_))))
    }

    /// The range in words, if there is one.
    pub(crate) fn requirement(&self) -> Option<String> {
        let bound = |words: &str, limit: &Option<Expr>| {
            limit
                .as_ref()
                .map(|limit| format!("{words} {}", number(limit)))
        };
        if let (Some(least), Some(most)) = (&self.least, &self.most) {
            return Some(format!("from {} to {}", number(least), number(most)));
        }
        let low = bound("greater than", &self.above).or_else(|| bound("at least", &self.least));
        let high = bound("less than", &self.below).or_else(|| bound("at most", &self.most));
        match (low, high) {
            (Some(low), Some(high)) => Some(format!("{low} and {high}")),
            (Some(only), None) | (None, Some(only)) if self.is_whole() => Some(only),
            (Some(_), None) if self.least.is_some() => {
                bound("a finite number not less than", &self.least)
            }
            (Some(only), None) | (None, Some(only)) => Some(format!("a finite number {only}")),
            (None, None) => None,
        }
    }
}

/// A bound as people write it.
fn number(limit: &Expr) -> String {
    if let Expr::Lit(literal) = limit
        && let Lit::Float(float) = &literal.lit
    {
        let digits = float.base10_digits();
        return digits.strip_suffix(".0").unwrap_or(digits).to_owned();
    }
    quote::quote!(#limit).to_string()
}

/// The first paragraph of doc comments, its lines joined.
pub(crate) fn first_paragraph(attributes: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attribute in attributes {
        if !attribute.path().is_ident("doc") {
            continue;
        }
        if let syn::Meta::NameValue(pair) = &attribute.meta
            && let Expr::Lit(literal) = &pair.value
            && let Lit::Str(text) = &literal.lit
        {
            let line = text.value().trim().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
    }
    lines.join(" ")
}
