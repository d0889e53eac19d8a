//! The options in `#[tool(…)]` and `#[tools(…)]`.

use proc_macro2::TokenTree;
use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Attribute, Expr, ExprLit, Ident, Lit, LitStr, Token};

use crate::errors::{Errors, expected};
use crate::rail::separator;

/// An attribute with options, and how each is written: (e.g. `tool`, `[("name", "name = \"search\""), …]`).
#[derive(Clone, Copy)]
pub(crate) struct Options {
    pub attribute: &'static str,
    pub examples: &'static [(&'static str, &'static str)],
}

impl Options {
    /// Reads all options in attributes of this name; `value` reads what stands behind the `=`. What is wrong with one
    /// does not hide what is wrong with the next. Returns the names that stand there, the wrong ones as well.
    pub(crate) fn read(
        self,
        attrs: &[Attribute],
        errors: &mut Errors,
        mut value: impl FnMut(&str, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
    ) -> Vec<Ident> {
        let mut seen = Vec::new();
        for attr in attrs {
            if attr.meta.require_list().is_err() {
                let (attribute, (_, example)) = (self.attribute, self.examples[0]);
                errors.at(attr, format_args!("the options stand in parentheses: `#[{attribute}({example})]`"));
                continue;
            }
            let result = attr.parse_args_with(|input: ParseStream<'_>| {
                while !input.is_empty() {
                    self.one(input, &mut seen, errors, &mut value)?;
                    separator(input, errors);
                }
                Ok(())
            });
            errors.keep(result);
        }
        seen
    }

    fn one(
        self,
        input: ParseStream<'_>,
        seen: &mut Vec<Ident>,
        errors: &mut Errors,
        value: &mut impl FnMut(&str, ParseStream<'_>, &mut Errors) -> syn::Result<()>,
    ) -> syn::Result<()> {
        let (_, example) = self.examples[0];
        let key = input.call(Ident::parse_any).map_err(|error| {
            syn::Error::new(error.span(), format_args!("an option has a name: `#[{}({example})]`", self.attribute))
        })?;
        let name = key.to_string();
        if seen.contains(&key) {
            errors.at(&key, format_args!("`{name}` is given twice: keep one of them"));
        }
        seen.push(key.clone());
        let Some((_, example)) = self.examples.iter().find(|(known, _)| *known == name) else {
            let names: Vec<_> = self.examples.iter().map(|(name, _)| *name).collect();
            let expected = expected(&name, &names);
            errors.at(&key, format_args!("`#[{}]` has no option `{name}`; {expected}", self.attribute));
            return skip_value(input);
        };
        if input.parse::<Token![=]>().is_err() || input.is_empty() || input.peek(Token![,]) {
            errors.at(&key, format_args!("`{name}` needs a value: `{example}`"));
            return skip_value(input);
        }
        match value(&name, input, errors) {
            Ok(()) => Ok(()),
            Err(error) => {
                errors.push(error);
                skip_value(input)
            }
        }
    }
}

/// Goes on behind the next comma.
fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// The text that an expression is, be it handed in by a `macro_rules!`.
pub(crate) fn text(expr: &Expr) -> Option<&LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text),
        Expr::Group(group) => text(&group.expr),
        _ => None,
    }
}
