//! The model of a rail. The checks make it from the user's attribute and item, and the expansion writes its items.

use std::collections::HashSet;
use std::time::Duration;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Attribute, Expr, ExprPath, Generics, Ident, LitStr, Path, Type, Visibility};

use crate::paths::Library;

/// A rail that has passed all checks. For a rail with mistakes, the parts that could be read.
pub(super) struct Rail {
    pub library: Library,
    /// The type of the rail: a type beside a function, or the user's type of an `impl` block.
    pub subject: Subject,
    pub name: String,
    /// The place of the rail, for errors about the rail as a whole and for its declaration.
    pub span: Span,
    pub priority: Option<Expr>,
    /// The rails that this rail runs after, and the rails that it runs before.
    pub after: Vec<Path>,
    pub before: Vec<Path>,
    /// The tool set that must contain the tools of the rail.
    pub tools: Option<Path>,
    /// The functions or methods of the rail.
    pub handlers: Vec<Handler>,
}

pub(super) enum Subject {
    /// A function such as `block_dangerous`. The expansion makes a type of this name.
    Function { ident: Ident, vis: Visibility, attrs: Vec<Attribute>, apart: Option<Apart> },
    /// A type such as `RateLimit<S>`.
    Type { ty: Box<Type>, generics: Generics },
}

/// The place of the type beside a function, if the crate has another type of this name: see [`crate::apart`].
pub(super) struct Apart {
    pub module: Ident,
    /// The spans of the first and the last token of the function. rustc reports a duplicate name once at one place.
    pub place: (Span, Span),
}

/// A function or a method on one or more events.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Handler {
    pub events: Vec<Path>,
    /// The name of the function, for errors about it as a whole.
    pub span: Span,
    /// The path to call, such as `block_dangerous` or `Self::prompt`.
    pub callee: TokenStream,
    pub takes_self: bool,
    pub params: Vec<Param>,
    pub output: Type,
    pub is_async: bool,
    /// The only tool that the rail is called for.
    pub tool: Option<ToolName>,
    /// The values that the rail provides, and the values that it needs.
    pub provides: Vec<Path>,
    pub needs: Vec<Path>,
    /// Whether the rail is called even if an earlier rail has stopped the event.
    pub always: bool,
    /// The time limit.
    pub timeout: Option<Timeout>,
    /// Whether a panic is a fault.
    pub catches_panics: bool,
    /// The effect of a fault, and the tokens that set it.
    pub on_fault: Option<(LitStr, OnFault)>,
    /// Whether the rail can run concurrently with other rails.
    pub concurrent: bool,
    /// The number of characters of a streamed answer that the rail must see together. The expression may use the rail.
    pub window: Option<Expr>,
    /// The parameters, if the rail surrounds the operation that its event begins.
    pub around: Option<Vec<Surrounded>>,
}

/// A parameter of a rail around an operation.
pub(super) enum Surrounded {
    /// The inputs of the operation: their type, without the reference.
    Inputs(Box<Type>),
    /// The operation: `impl Next<ToolCall>`.
    Next,
}

/// The name of a tool.
pub(super) enum ToolName {
    /// A text such as `"delete_file"`.
    Text(LitStr),
    /// A constant such as `DeleteFile::NAME`.
    Constant(ExprPath),
    /// The name of the tool with these arguments.
    OfArgs(Box<Type>),
}

impl ToolName {
    /// Returns the tokens of the name, in which a parameter may occur, such as the `T` in `T::NAME`.
    pub(super) fn mentioned(&self) -> TokenStream {
        match self {
            Self::Text(text) => text.to_token_stream(),
            Self::Constant(constant) => constant.to_token_stream(),
            Self::OfArgs(args) => args.to_token_stream(),
        }
    }
}

/// The time limit of a rail.
pub(super) enum Timeout {
    Literal(Duration),
    /// An expression of the type `Duration`, such as `self.limit`.
    Expr(Box<Expr>),
}

/// The effect of a fault.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OnFault {
    Abort,
    Skip,
    Continue,
}

/// A parameter.
pub(super) struct Param {
    /// The type, without the lifetimes.
    pub ty: Type,
    pub source: Source,
}

/// The source of a parameter.
pub(super) enum Source {
    /// A part of the payload, the union of all payloads, or the context. The type decides which.
    Event,
    /// All parts of the payload, to read: `&Inputs<'_>`.
    Whole,
    /// The arguments of the tool, as a value of this type.
    Args(Box<Type>),
    /// A value that another rail provides, as the user listed it.
    Value(Box<Path>),
}

impl Handler {
    /// Returns `true` if the rail can change the payload, as far as its parameters show it.
    pub(super) fn rewrites(&self) -> bool {
        let changes = |ty: &Type| is_mutable(ty) && !ends_with(target(ty), "RailContext");
        // By value, the union of payloads contains every part that the event carries by `&mut`.
        self.params.iter().any(|param| changes(&param.ty) || !matches!(param.ty, Type::Reference(_)))
    }

    /// Returns the window of the rail, if the event has one.
    pub(super) fn window_at(&self, event: &Path) -> Option<&Expr> {
        self.window.as_ref().filter(|_| is_chunk(event))
    }

    /// Returns `true` if the call only picks the parameters and calls the function.
    pub(super) fn is_plain(&self) -> bool {
        self.tool.is_none()
            && !self.always
            && self.timeout.is_none()
            && !self.catches_panics
            && self.provides.is_empty()
            && self.params.iter().all(|param| matches!(param.source, Source::Event))
    }

    /// Returns the types of the parameters that are picked out of the payload.
    pub(super) fn picked(&self) -> Vec<&Type> {
        let picked = self.params.iter().filter(|param| matches!(param.source, Source::Event));
        picked.map(|param| &param.ty).collect()
    }
}

impl Rail {
    /// Returns the type of the rail.
    pub(super) fn self_ty(&self) -> TokenStream {
        match &self.subject {
            Subject::Function { ident, apart: Some(Apart { module, .. }), .. } => quote!(#module::#ident),
            Subject::Function { ident, .. } => ident.to_token_stream(),
            Subject::Type { ty, .. } => ty.to_token_stream(),
        }
    }

    /// Puts the type beside a function into a module, if the crate has another type of this name.
    pub(super) fn stand_apart(&mut self, place: (Span, Span)) {
        if let Subject::Function { ident, apart, .. } = &mut self.subject {
            *apart = crate::apart::module(ident).map(|module| Apart { module, place });
        }
    }

    /// Returns the attribute that a deprecated function needs, so that the expansion itself does not cause a warning.
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

    /// Returns `true` if a type or a constant is or contains a parameter of the rail's `impl` block.
    pub(super) fn is_generic_in(&self, tokens: &impl ToTokens) -> bool {
        let generics = self.generics();
        let types = generics.type_params().map(|param| &param.ident);
        let params: HashSet<_> = types.chain(generics.const_params().map(|param| &param.ident)).collect();
        idents(tokens.to_token_stream()).iter().any(|ident| params.contains(ident) || ident == "Self")
    }

    /// Returns `true` if a constant can check the return type of a function. A constant cannot name a type of the `impl`
    /// block.
    pub(super) fn can_check(&self, handler: &Handler) -> bool {
        handler.is_plain() && !self.is_generic_in(&handler.output)
    }

    pub(super) fn events(&self) -> impl Iterator<Item = &Path> {
        self.handlers.iter().flat_map(|handler| &handler.events)
    }
}

/// Returns `true` for the event of a streamed answer.
pub(super) fn is_chunk(event: &Path) -> bool {
    event.segments.last().is_some_and(|last| last.ident == "LlmChunk")
}

/// Returns the type itself. A type from a `macro_rules!` comes in an invisible group.
pub(super) fn ungrouped(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => ungrouped(&group.elem),
        Type::Paren(paren) => ungrouped(&paren.elem),
        other => other,
    }
}

/// Returns the type behind a reference.
pub(super) fn target(ty: &Type) -> &Type {
    match ty {
        Type::Reference(reference) => ungrouped(&reference.elem),
        other => other,
    }
}

/// Returns `true` for a `&mut` reference.
pub(super) fn is_mutable(ty: &Type) -> bool {
    matches!(ty, Type::Reference(reference) if reference.mutability.is_some())
}

pub(super) fn ends_with(ty: &Type, name: &str) -> bool {
    matches!(ungrouped(ty), Type::Path(path) if path.path.segments.last().is_some_and(|segment| segment.ident == name))
}

/// Returns all names in the tokens.
pub(super) fn idents(tokens: TokenStream) -> Vec<Ident> {
    let of_token = |token| match token {
        TokenTree::Ident(ident) => vec![ident],
        TokenTree::Group(group) => idents(group.stream()),
        _ => Vec::new(),
    };
    tokens.into_iter().flat_map(of_token).collect()
}
