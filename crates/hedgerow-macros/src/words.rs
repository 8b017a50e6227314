//! Enums as choices of words.

use crate::fields::first_paragraph;
use proc_macro2::TokenStream;
use quote::quote;
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Fields, LitStr, Result, Token, Variant};

pub(crate) fn expand(item: &DeriveInput) -> Result<TokenStream> {
    let Data::Enum(body) = &item.data else {
        return Err(syn::Error::new_spanned(
            item,
            "words are variants of an enum",
        ));
    };
    let name = &item.ident;
    let mut entries = Vec::new();
    let mut reads = Vec::new();
    let mut shows = Vec::new();
    for variant in &body.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(syn::Error::new_spanned(variant, "a word carries no data"));
        }
        let ident = &variant.ident;
        let spellings = spellings(variant)?;
        let word = &spellings[0];
        let others = &spellings[1..];
        let about = first_paragraph(&variant.attrs);
        entries.push(quote!(crate::params::Word {
            name: #word, about: #about, others: &[#(#others),*]
        }));
        reads.push(quote!(#(#spellings)|* => Some(Self::#ident)));
        shows.push(quote!(Self::#ident => #word));
    }
    Ok(quote! {
        impl #name {
            /// The words for the variants, in their order.
            pub const WORDS: &'static [crate::params::Word] = &[#(#entries),*];

            /// The variant that a word names.
            pub fn from_word(word: &str) -> Option<Self> {
                match crate::params::spelled(word).as_str() {
                    #(#reads,)*
                    _ => None,
                }
            }

            /// The word.
            pub fn word(self) -> &'static str {
                match self { #(#shows),* }
            }
        }

        impl crate::params::ParameterType for #name {
            const KIND: crate::params::Kind = crate::params::Kind::Words(Self::WORDS);

            fn read(value: &crate::params::Value) -> Option<Self> {
                value.text().and_then(Self::from_word)
            }

            fn show(&self) -> crate::params::Value {
                crate::params::Value::Text((*self).word().to_owned())
            }
        }
    })
}

/// The spellings of a variant, the first being the one that is shown.
fn spellings(variant: &Variant) -> Result<Vec<String>> {
    for attribute in &variant.attrs {
        if attribute.path().is_ident("word") {
            let all =
                attribute.parse_args_with(Punctuated::<LitStr, Token![,]>::parse_terminated)?;
            return Ok(all.iter().map(LitStr::value).collect());
        }
    }
    let mut word = String::new();
    for letter in variant.ident.to_string().chars() {
        if letter.is_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.extend(letter.to_lowercase());
    }
    Ok(vec![word])
}
