//! What conditions, prompts and lists read of the contexts.

use exo_rails_dygram::syntax::holes;
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Error, Expr, ExprPath, Ident, Lit, LitStr, Macro, Member, Result};

use super::tree::{Annotation, Argument};

/// A place in an expression that reads a context.
pub(super) struct Read {
    pub(super) context: Ident,
    /// The field. `None` means that the expression takes the whole context.
    pub(super) field: Option<Ident>,
}

/// What an expression reads, and the macros in it, which nobody can look into.
#[derive(Default)]
pub(super) struct Reads {
    pub(super) all: Vec<Read>,
    pub(super) macros: Vec<Macro>,
}

impl Reads {
    /// Finds the names of contexts in an expression.
    pub(super) fn of(expression: &Expr, contexts: &[&Ident]) -> Self {
        let mut finder = Finder { contexts, reads: Self::default() };
        // The visitor changes nothing.
        finder.visit_expr_mut(&mut expression.clone());
        finder.reads
    }
}

struct Finder<'a> {
    contexts: &'a [&'a Ident],
    reads: Reads,
}

impl Finder<'_> {
    /// Returns the context that an expression names.
    fn context(&self, expression: &Expr) -> Option<Ident> {
        let Expr::Path(ExprPath { path, qself: None, .. }) = expression else { return None };
        let name = path.get_ident()?;
        self.contexts.contains(&name).then(|| name.clone())
    }
}

impl VisitMut for Finder<'_> {
    fn visit_expr_mut(&mut self, expression: &mut Expr) {
        if let Expr::Field(field) = expression
            && let (Some(context), Member::Named(name)) = (self.context(&field.base), &field.member)
        {
            self.reads.all.push(Read { context, field: Some(name.clone()) });
            return;
        }
        if let Some(context) = self.context(expression) {
            self.reads.all.push(Read { context, field: None });
        }
        visit_mut::visit_expr_mut(self, expression);
    }

    fn visit_macro_mut(&mut self, found: &mut Macro) {
        // `matches!` is the macro of conditions. Its first argument is an expression.
        let parsed = found.parse_body_with(|input: syn::parse::ParseStream<'_>| {
            let expression: Expr = input.parse()?;
            input.parse::<proc_macro2::TokenStream>()?;
            Ok(expression)
        });
        match parsed {
            Ok(mut expression) if found.path.is_ident("matches") => self.visit_expr_mut(&mut expression),
            _ => self.reads.macros.push(found.clone()),
        }
    }
}

/// The list of `@map(order.items)`.
pub(super) struct List {
    pub(super) context: Ident,
    /// The field, and the fields in it.
    pub(super) fields: Vec<Ident>,
}

impl List {
    /// Returns the list of an annotation, if its name is one of those for lists.
    pub(super) fn of(annotation: &Annotation) -> Option<Result<Self>> {
        if !["map", "foreach", "each"].iter().any(|name| annotation.name == name) {
            return None;
        }
        let wrong = |span: Span| {
            let message =
                format!("write the context and the field of a list, such as `@{}(order.items)`", annotation.name);
            Error::new(span, message)
        };
        let (names, span) = match annotation.value.as_ref()? {
            Argument::Names(names) => (Ok(names.clone()), names.first().map_or_else(Span::call_site, Ident::span)),
            Argument::Literal(Lit::Str(text)) => (names_in(text), text.span()),
            // The checks of the language report it.
            Argument::Literal(_) => return None,
        };
        Some(match names.as_deref() {
            Ok([context, fields @ ..]) if !fields.is_empty() => {
                Ok(Self { context: context.clone(), fields: fields.to_vec() })
            }
            _ => Err(wrong(span)),
        })
    }

    pub(super) fn read(self) -> Read {
        Read { context: self.context, field: self.fields.into_iter().next() }
    }
}

/// Returns the names in a text such as `order.items`, with its place.
fn names_in(text: &LitStr) -> Result<Vec<Ident>> {
    let names = text.value();
    names.split('.').map(|name| named(name.trim(), text.span())).collect()
}

fn named(name: &str, span: Span) -> Result<Ident> {
    let name: Ident = syn::parse_str(name)?;
    Ok(Ident::new(&name.to_string(), span))
}

impl Read {
    /// Returns the fields that the templates of a prompt read. A node is written like a context there.
    pub(super) fn of_prompt(prompt: &LitStr, contexts: &[&Ident]) -> Vec<Self> {
        let read = |path: &[String]| {
            let [context, field, ..] = path else { return None };
            let context = contexts.iter().find(|name| **name == context)?;
            let field = named(field, prompt.span()).ok()?;
            Some(Self { context: (*context).clone(), field: Some(field) })
        };
        holes(&prompt.value()).iter().filter_map(|hole| read(&hole.path)).collect()
    }

    pub(super) fn span(&self) -> Span {
        self.field.as_ref().map_or_else(|| self.context.span(), Spanned::span)
    }
}
