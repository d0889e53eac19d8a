//! The model of a rail: what the checks make of the user's attribute and item, and the expansion is made of.

use std::collections::HashSet;
use std::time::Duration;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprPath, Generics, Ident, LitStr, Path, Type, Visibility};

use super::args::OnFault;
use crate::paths::Library;

/// A rail: what is known of it when every check has passed, and what could be made out when not.
pub(super) struct Rail {
    pub library: Library,
    /// The type that is the rail: made beside a function, the user's own for an `impl` block.
    pub subject: Subject,
    pub name: String,
    /// Where errors about the rail as a whole point, and where it is declared.
    pub span: Span,
    pub priority: Option<Expr>,
    /// The rails that it runs after, and those that it runs before.
    pub after: Vec<Path>,
    pub before: Vec<Path>,
    /// The set that its tools have to be in.
    pub tools: Option<Path>,
    /// What it does, one for each function or method.
    pub handlers: Vec<Handler>,
}

pub(super) enum Subject {
    /// (e.g. `block_dangerous`): a type of this name has to be made.
    Function { ident: Ident, vis: Visibility, attrs: Vec<Attribute>, apart: Option<Apart> },
    /// (e.g. `RateLimit<S>`).
    Type { ty: Box<Type>, generics: Generics },
}

/// Where the type beside a function stands, when the crate has another of the name: see [`crate::apart`].
pub(super) struct Apart {
    pub module: Ident,
    /// The first and the last token of the function. rustc reports a name that is taken once at one place.
    pub place: (Span, Span),
}

/// A function or method on one event or more.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Handler {
    pub events: Vec<Path>,
    /// Where errors about it as a whole point: its name.
    pub span: Span,
    /// What to call: (e.g. `block_dangerous`, `Self::prompt`).
    pub callee: TokenStream,
    pub takes_self: bool,
    pub params: Vec<Param>,
    pub output: Type,
    pub is_async: bool,
    /// The one tool that it is called for.
    pub tool: Option<ToolName>,
    /// The values that it provides, and those that it needs.
    pub provides: Vec<Path>,
    pub needs: Vec<Path>,
    /// Whether it is called also when a rail before it has stopped the event.
    pub always: bool,
    /// How long it may take.
    pub timeout: Option<Timeout>,
    /// Whether a panic of it is a fault.
    pub catches_panics: bool,
    /// What a fault of it does, and the tokens that say so.
    pub on_fault: Option<(LitStr, OnFault)>,
    /// Whether it can run beside others.
    pub concurrent: bool,
    /// How many characters of a streamed answer it has to see together: an expression on the rail.
    pub window: Option<Expr>,
    /// What it takes, when it surrounds the operation that its event begins.
    pub around: Option<Vec<Surrounded>>,
}

/// A parameter of a rail around an operation.
pub(super) enum Surrounded {
    /// What the operation is called with: its type, by reference.
    Inputs(Box<Type>),
    /// The operation: `impl Next<ToolCall>`.
    Next,
}

/// The name of a tool.
pub(super) enum ToolName {
    /// (e.g. `"delete_file"`).
    Text(LitStr),
    /// (e.g. `DeleteFile::NAME`).
    Constant(ExprPath),
    /// That of the tool with these arguments.
    OfArgs(Box<Type>),
}

impl ToolName {
    /// What the name mentions: (e.g. the `T` of `T::NAME`).
    pub(super) fn mentioned(&self) -> TokenStream {
        match self {
            Self::Text(text) => text.to_token_stream(),
            Self::Constant(constant) => constant.to_token_stream(),
            Self::OfArgs(args) => args.to_token_stream(),
        }
    }
}

/// How long a rail may take.
pub(super) enum Timeout {
    Literal(Duration),
    /// A `Duration` (e.g. `self.limit`).
    Expr(Box<Expr>),
}

/// A parameter.
pub(super) struct Param {
    /// Its type, without the lifetimes.
    pub ty: Type,
    pub source: Source,
}

/// Where a parameter comes from.
pub(super) enum Source {
    /// A part of what the event carries, the union of it all, or the context: its type decides.
    Event,
    /// All that the event carries, to be looked at: `&Inputs<'_>`.
    Whole,
    /// The arguments of the tool, as this type.
    Args(Box<Type>),
    /// A value that another rail provides, as it is listed.
    Value(Box<Path>),
}

impl Handler {
    /// Whether it can change what the event carries, as far as its parameters tell.
    pub(super) fn rewrites(&self) -> bool {
        let changes = |ty: &Type| is_mutable(ty) && !ends_with(target(ty), "RailContext");
        // The union of payloads, by value, has whatever the event carries by `&mut`.
        self.params.iter().any(|param| changes(&param.ty) || !matches!(param.ty, Type::Reference(_)))
    }

    /// Its window, at the event that has one.
    pub(super) fn window_at(&self, event: &Path) -> Option<&Expr> {
        self.window.as_ref().filter(|_| is_chunk(event))
    }

    /// Whether more is to be done than to pick the parameters and to call it.
    pub(super) fn is_plain(&self) -> bool {
        self.tool.is_none()
            && !self.always
            && self.timeout.is_none()
            && !self.catches_panics
            && self.provides.is_empty()
            && self.params.iter().all(|param| matches!(param.source, Source::Event))
    }

    /// The types of the parameters that are picked out of what the event carries.
    pub(super) fn picked(&self) -> Vec<&Type> {
        let picked = self.params.iter().filter(|param| matches!(param.source, Source::Event));
        picked.map(|param| &param.ty).collect()
    }
}

impl Rail {
    /// The type that is the rail.
    pub(super) fn self_ty(&self) -> TokenStream {
        match &self.subject {
            Subject::Function { ident, apart: Some(Apart { module, .. }), .. } => quote!(#module::#ident),
            Subject::Function { ident, .. } => ident.to_token_stream(),
            Subject::Type { ty, .. } => ty.to_token_stream(),
        }
    }

    /// Puts the type beside a function into a module, when the crate has another of the name.
    pub(super) fn stand_apart(&mut self, place: (Span, Span)) {
        if let Subject::Function { ident, apart, .. } = &mut self.subject {
            *apart = crate::apart::module(ident).map(|module| Apart { module, place });
        }
    }

    /// What a deprecated function needs, so that it is not itself the first to be warned of its use.
    pub(super) fn quiet(&self) -> Option<TokenStream> {
        let Subject::Function { attrs, .. } = &self.subject else { return None };
        attrs.iter().any(|attr| attr.path().is_ident("deprecated")).then(|| quote!(#[allow(deprecated)]))
    }

    pub(super) fn generics(&self) -> Generics {
        match &self.subject {
            Subject::Function { .. } => Generics::default(),
            Subject::Type { generics, .. } => generics.clone(),
        }
    }

    /// Whether a type or constant is, or has in it, a parameter of the rail's `impl` block.
    pub(super) fn is_generic_in(&self, tokens: &impl ToTokens) -> bool {
        let generics = self.generics();
        let types = generics.type_params().map(|param| &param.ident);
        let params: HashSet<_> = types.chain(generics.const_params().map(|param| &param.ident)).collect();
        idents(tokens.to_token_stream()).iter().any(|ident| params.contains(ident) || ident == "Self")
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Path> {
        self.handlers.iter().flat_map(|handler| &handler.events)
    }
}

/// Whether it is the event of a streamed answer.
pub(super) fn is_chunk(event: &Path) -> bool {
    event.segments.last().is_some_and(|last| last.ident == "LlmChunk")
}

/// The type itself: one that a `macro_rules!` passes on comes in an invisible group.
pub(super) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// The type behind a reference: what a parameter asks for.
pub(super) fn target(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => ungrouped(&reference.elem),
        other => other,
    }
}

/// Whether it is a `&mut` reference.
pub(super) fn is_mutable(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

pub(super) fn ends_with(ty: &Type, name: &str) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// All names in the tokens.
pub(super) fn idents(tokens: TokenStream) -> Vec<Ident> {
    let of_token = |token| match token {
        TokenTree::Ident(ident) => vec![ident],
        TokenTree::Group(group) => idents(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(of_token).collect()
}
