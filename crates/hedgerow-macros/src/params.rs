//! Structs of declared parameters.

use crate::fields::{Declared, Role};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::parse::{Parse, ParseStream};
use syn::{
    Data, DeriveInput, Expr, Fields, GenericArgument, Ident, LitStr, PathArguments, Result, Token,
    Type,
};

/// What stands in the parentheses of `#[params(…)]`.
#[derive(Default)]
pub(crate) struct Arguments {
    heading: Option<String>,
    check: Option<Ident>,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let mut arguments = Self::default();
        while !input.is_empty() {
            let word: Ident = input.parse()?;
            input.parse::<Token![=]>()?;
            match word.to_string().as_str() {
                "heading" => arguments.heading = Some(input.parse::<LitStr>()?.value()),
                "check" => arguments.check = Some(input.parse()?),
                _ => return Err(syn::Error::new(word.span(), "expected heading or check")),
            }
            if !input.is_empty() {
                input.parse::<Token![,]>()?;
            }
        }
        Ok(arguments)
    }
}

pub(crate) fn expand(arguments: &Arguments, mut item: DeriveInput) -> Result<TokenStream> {
    let name = item.ident.clone();
    let Data::Struct(body) = &mut item.data else {
        return Err(syn::Error::new_spanned(&item, "parameters are a struct"));
    };
    let Fields::Named(named) = &mut body.fields else {
        return Err(syn::Error::new_spanned(&name, "parameters have names"));
    };
    let mut fields = Vec::new();
    for field in &mut named.named {
        let declared = Declared::take(field)?;
        if let Some(note) = note(&declared) {
            field.attrs.push(syn::parse_quote!(#[doc = ""]));
            field.attrs.push(syn::parse_quote!(#[doc = #note]));
        }
        fields.push(declared);
    }
    let default = default(&name, &fields);
    let inherent = inherent(&name, &fields, arguments.check.as_ref());
    let heading = arguments.heading.as_deref().unwrap_or("Model");
    let parameters = parameters(&name, &fields, heading);
    Ok(quote!(#item #default #inherent #parameters))
}

/// What the table says of a field, for its documentation.
fn note(field: &Declared) -> Option<String> {
    if field.role != Role::Parameter {
        return None;
    }
    let mut parts = Vec::new();
    match (&field.default, &field.unless) {
        (Some(value), _) => parts.push(format!("Default: `{}`.", spaceless(value))),
        (None, Some(unless)) => parts.push(format!("Default: none, {unless}.")),
        (None, None) => {}
    }
    if let Some(requirement) = field.requirement() {
        parts.push(format!("Must be {requirement}."));
    }
    if let Some(letter) = field.short.as_ref().or(field.switch.as_ref()) {
        parts.push(format!("Program: `-{}`.", letter.value()));
    }
    if let Some(python) = &field.python {
        parts.push(format!("Python: `{python}`."));
    }
    (!parts.is_empty()).then(|| parts.join(" "))
}

fn spaceless(value: &Expr) -> String {
    let text = quote!(#value).to_string();
    text.replace(" :: ", "::")
        .replace(" (", "(")
        .replace("( ", "(")
        .replace(" )", ")")
}

fn default(name: &Ident, fields: &[Declared]) -> TokenStream {
    let values = fields.iter().map(|field| {
        let ident = &field.name;
        if let Some(value) = &field.default {
            quote!(#ident: #value)
        } else {
            quote!(#ident: ::core::default::Default::default())
        }
    });
    quote! {
        impl ::core::default::Default for #name {
            fn default() -> Self {
                Self { #(#values),* }
            }
        }
    }
}

/// The `T` of an `Option<T>`.
fn inside_option(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last()?;
    if last.ident != "Option" {
        return None;
    }
    let PathArguments::AngleBracketed(arguments) = &last.arguments else {
        return None;
    };
    match arguments.args.first()? {
        GenericArgument::Type(inner) => Some(inner),
        _ => None,
    }
}

/// Builders and `check`.
fn inherent(name: &Ident, fields: &[Declared], more: Option<&Ident>) -> TokenStream {
    let builders = fields
        .iter()
        .filter(|field| !field.no_builder)
        .map(|field| {
            let ident = &field.name;
            let with = format_ident!("with_{}", ident);
            let of = &field.of;
            let about = format!("Sets [`Self::{ident}`]: {}", lower_first(&field.about));
            let (takes, gives) = if field.role == Role::Flatten {
                (quote!(impl Into<#of>), quote!(#ident.into()))
            } else if let Some(inner) = inside_option(of) {
                (quote!(#inner), quote!(Some(#ident)))
            } else {
                (quote!(#of), quote!(#ident))
            };
            quote! {
                #[doc = #about]
                pub fn #with(mut self, #ident: #takes) -> Self {
                    self.#ident = #gives;
                    self
                }
            }
        });
    let checks = fields.iter().filter_map(|field| {
        let ident = &field.name;
        if field.role == Role::Flatten {
            return Some(quote!(self.#ident.check()?;));
        }
        let requirement = field.requirement()?;
        let text = ident.to_string();
        let bound = |limit: &Option<Expr>| {
            if let Some(limit) = limit {
                quote!(Some((#limit) as f64))
            } else {
                quote!(None)
            }
        };
        let (above, least) = (bound(&field.above), bound(&field.least));
        let (below, most) = (bound(&field.below), bound(&field.most));
        Some(quote! {
            crate::params::Range {
                above: #above, least: #least, below: #below, most: #most,
                requirement: #requirement,
            }.check(#text, &self.#ident)?;
        })
    });
    let more = more.map(|check| quote!(self.#check()?;));
    quote! {
        impl #name {
            #(#builders)*

            /// An error that names the first parameter out of its range.
            pub fn check(&self) -> crate::Result<()> {
                #(#checks)*
                #more
                Ok(())
            }
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let Some(first) = letters.next() else {
        return String::new();
    };
    let rest = letters.as_str();
    // A symbol or an acronym keeps its capital.
    if rest.chars().next().is_some_and(char::is_lowercase) {
        first.to_lowercase().chain(rest.chars()).collect()
    } else {
        text.to_owned()
    }
}

/// The trait that the front ends see.
fn parameters(name: &Ident, fields: &[Declared], heading: &str) -> TokenStream {
    let rows = fields.iter().map(|field| match field.role {
        Role::Parameter => row(field, heading),
        Role::Flatten => {
            let of = &field.of;
            quote!(table.extend(<#of as crate::params::Parameters>::table());)
        }
        Role::Skip => TokenStream::new(),
    });
    let gets = fields.iter().filter_map(|field| {
        let ident = &field.name;
        let text = ident.to_string();
        (field.role == Role::Parameter).then(
            || quote!(#text => return Some(crate::params::ParameterType::show(&self.#ident)),),
        )
    });
    let inner_gets = fields
        .iter()
        .filter(|f| f.role == Role::Flatten)
        .map(|field| {
            let ident = &field.name;
            quote! {
                if let Some(value) = crate::params::Parameters::get(&self.#ident, name) {
                    return Some(value);
                }
            }
        });
    let sets = fields.iter().filter_map(|field| {
        let ident = &field.name;
        let text = ident.to_string();
        let aliases = &field.aliases;
        let action = if let Some(method) = &field.set_with {
            quote!(self.#method(value)?)
        } else {
            quote!(self.#ident = crate::params::read_as(#text, value)?)
        };
        (field.role == Role::Parameter)
            .then(|| quote!(#text #(| #aliases)* => { #action; return Ok(true); }))
    });
    let inner_sets = fields
        .iter()
        .filter(|f| f.role == Role::Flatten)
        .map(|field| {
            let ident = &field.name;
            let call = if let Some(method) = &field.set_with {
                quote!(self.#method(name, value)?)
            } else {
                quote!(crate::params::Parameters::set(&mut self.#ident, name, value)?)
            };
            quote!(if #call { return Ok(true); })
        });
    quote! {
        impl crate::params::Parameters for #name {
            fn table() -> Vec<crate::params::Parameter> {
                let mut table = Vec::new();
                #(#rows)*
                table
            }

            fn get(&self, name: &str) -> Option<crate::params::Value> {
                match name { #(#gets)* _ => {} }
                #(#inner_gets)*
                None
            }

            fn set(&mut self, name: &str, value: &crate::params::Value) -> crate::Result<bool> {
                match name { #(#sets)* _ => {} }
                #(#inner_sets)*
                Ok(false)
            }
        }
    }
}

/// The literal, as an option.
fn option_of(literal: Option<&impl quote::ToTokens>) -> TokenStream {
    if let Some(literal) = literal {
        quote!(Some(#literal))
    } else {
        quote!(None)
    }
}

/// One row of the table.
fn row(field: &Declared, heading: &str) -> TokenStream {
    let of = &field.of;
    let name = field.name.to_string();
    let about = &field.about;
    let maybe = |text: &Option<String>| option_of(text.as_ref());
    let letter = |letter: &Option<syn::LitChar>| option_of(letter.as_ref());
    let requirement = maybe(&field.requirement());
    let unless = maybe(&field.unless);
    let (short, switch) = (letter(&field.short), letter(&field.switch));
    let aliases = &field.aliases;
    let option = match (field.no_option, &field.option) {
        (true, _) => quote!(None),
        (false, Some(option)) => quote!(Some(#option)),
        (false, None) => quote!(Some(#name)),
    };
    let python = if field.no_python {
        quote!(None)
    } else {
        let spelled = field.python.as_ref().unwrap_or(&name);
        let (default, none) = (maybe(&field.python_default), maybe(&field.python_none));
        quote!(Some(crate::params::Python { name: #spelled, default: #default, none: #none }))
    };
    let heading = field.heading.as_deref().unwrap_or(heading);
    let (tunable, unsaid) = (field.tunable, field.unsaid);
    quote! {
        table.push(crate::params::Parameter {
            name: #name,
            about: #about,
            kind: <#of as crate::params::ParameterType>::KIND,
            requirement: #requirement,
            unless: #unless,
            short: #short,
            switch: #switch,
            aliases: &[#(#aliases),*],
            option: #option,
            python: #python,
            heading: #heading,
            tunable: #tunable,
            unsaid: #unsaid,
        });
    }
}
