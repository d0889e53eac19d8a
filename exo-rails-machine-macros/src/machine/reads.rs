//! What an expression reads of the contexts.

use syn::spanned::Spanned;
use syn::visit_mut::{self, VisitMut};
use syn::{Expr, ExprPath, Ident, Macro, Member};

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

impl Read {
    pub(super) fn span(&self) -> proc_macro2::Span {
        self.field.as_ref().map_or_else(|| self.context.span(), Spanned::span)
    }
}
