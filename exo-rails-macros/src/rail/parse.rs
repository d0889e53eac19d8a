//! Reads the item under `#[rail]`.
//!
//! Bodies stay unparsed. An incomplete body must not break the rest of the expansion, and no check needs the body.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Generics, Ident, Signature, Token, Type, Visibility};

use crate::errors::{Errors, refuse_cfg};

/// The item under `#[rail]`.
pub(super) enum Item {
    Function(Function),
    Impl(ImplBlock),
}

/// A function, such as `async fn block(call: &ToolCallInputs) -> RailAction { … }`.
pub(super) struct Function {
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    pub sig: Signature,
}

/// An inherent `impl` block, such as `impl<S: Store> RateLimit<S> { … }`.
pub(super) struct ImplBlock {
    pub span: Span,
    pub generics: Generics,
    pub self_ty: Type,
    /// Whether the block has an `#[on(…)]`, correct or wrong.
    pub has_on: bool,
    /// The methods with `#[on(…)]`.
    pub methods: Vec<Method>,
}

/// A method with `#[on(…)]`.
pub(super) struct Method {
    pub on: Vec<Attribute>,
    pub sig: Signature,
}

/// Returns the item's own tokens for the output, without `#[on]`, and the parsed item.
pub(super) fn item(tokens: TokenStream, errors: &mut Errors) -> (TokenStream, Option<Item>) {
    let parse = |input: ParseStream<'_>| parse_item(input, errors);
    match parse.parse2(tokens.clone()) {
        Ok((tokens, item)) => (tokens, Some(item)),
        Err(error) => {
            errors.push(error);
            (without_on(tokens), None)
        }
    }
}

/// Returns the tokens of an `impl` block that cannot be read yet, without its `#[on(…)]`. A remaining `#[on]` would
/// report that the block has no `#[rail]`.
pub(crate) fn without_on(tokens: TokenStream) -> TokenStream {
    let is_impl = tokens.clone().into_iter().any(|token| matches!(&token, TokenTree::Ident(word) if word == "impl"));
    if !is_impl {
        return tokens;
    }
    let members = |token| match token {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
            let mut members = Group::new(Delimiter::Brace, members_without_on(group.stream()));
            members.set_span(group.span());
            TokenTree::Group(members)
        }
        other => other,
    };
    tokens.into_iter().map(members).collect()
}

fn members_without_on(members: TokenStream) -> TokenStream {
    let mut kept = Vec::new();
    for token in members {
        let is_on = matches!(&token, TokenTree::Group(attr) if names_on(attr));
        match kept.last() {
            Some(TokenTree::Punct(hash)) if is_on && hash.as_char() == '#' => drop(kept.pop()),
            _ => kept.push(token),
        }
    }
    kept.into_iter().collect()
}

/// Returns `true` for the `[on(…)]` of an attribute, also with a path.
fn names_on(attr: &Group) -> bool {
    let is_name = |token: &TokenTree| !matches!(token, TokenTree::Group(_));
    let last = attr.stream().into_iter().take_while(is_name).last();
    attr.delimiter() == Delimiter::Bracket && matches!(last, Some(TokenTree::Ident(name)) if name == "on")
}

/// Returns the method with this statement at the start of its body. Returns `None` for a function without `self`, because it may be
/// outside of an `impl` block.
pub(super) fn with_statement(function: TokenStream, statement: TokenStream) -> Option<TokenStream> {
    let parse = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        let signature: Signature = input.parse()?;
        Ok((signature.receiver().is_some(), input.parse::<Group>()?))
    };
    let (is_method, body) = parse.parse2(function.clone()).ok()?;
    if !is_method || body.delimiter() != Delimiter::Brace {
        return None;
    }
    let mut checked = Group::new(Delimiter::Brace, [statement, body.stream()].into_iter().collect());
    checked.set_span(body.span());
    let mut tokens: Vec<_> = function.into_iter().collect();
    tokens.pop();
    Some(tokens.into_iter().chain([TokenTree::Group(checked)]).collect())
}

/// Returns the first token of an item after its attributes, and the last token.
pub(super) fn first_and_last(item: &TokenStream) -> (Span, Span) {
    let mut tokens = item.clone().into_iter().peekable();
    while tokens.next_if(|token| matches!(token, TokenTree::Punct(hash) if hash.as_char() == '#')).is_some() {
        tokens.next();
    }
    let first = tokens.peek().map_or_else(Span::call_site, TokenTree::span);
    let last = tokens.last().map_or(first, |token| match token {
        TokenTree::Group(body) => body.span_close(),
        other => other.span(),
    });
    (first, last)
}

/// Returns the visibility and the name of a function with an incomplete signature, such as `pub async fn block(call) { …
/// }`.
pub(super) fn half_typed(tokens: TokenStream) -> Option<(Visibility, Ident)> {
    let parse = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        let vis = input.parse()?;
        if !starts_function(input) {
            return Err(input.error(NOT_A_RAIL));
        }
        while input.parse::<Option<Token![fn]>>()?.is_none() {
            input.parse::<TokenTree>()?;
        }
        let ident = input.parse()?;
        input.parse::<TokenStream>()?;
        Ok((vis, ident))
    };
    parse.parse2(tokens).ok()
}

/// Returns the name and the parameters of a struct or an enum.
pub(super) fn declared_type(tokens: TokenStream) -> Option<(Ident, Generics)> {
    let parse = |input: ParseStream<'_>| {
        input.call(Attribute::parse_outer)?;
        input.parse::<Visibility>()?;
        if input.parse::<Option<Token![struct]>>()?.is_none() {
            input.parse::<Token![enum]>()?;
        }
        let (ident, mut generics): (Ident, Generics) = (input.parse()?, input.parse()?);
        generics.where_clause = if input.peek(Token![where]) { input.parse()? } else { None };
        input.parse::<TokenStream>()?;
        Ok((ident, generics))
    };
    parse.parse2(tokens).ok()
}

fn parse_item(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(TokenStream, Item)> {
    let tokens = input.fork().parse::<TokenStream>()?;
    let attrs = input.call(Attribute::parse_outer)?;
    if input.peek(Token![impl]) || (input.peek(Token![unsafe]) && input.peek2(Token![impl])) {
        let (rest, block) = impl_block(input, errors)?;
        let attrs: TokenStream = attrs.iter().map(ToTokens::to_token_stream).collect();
        return Ok(([attrs, rest].into_iter().collect(), Item::Impl(block)));
    }
    let vis = input.parse()?;
    if !starts_function(input) {
        let message = match declared_type(tokens) {
            Some((ident, _)) => format!(
                "this cannot be a rail: write `#[rail]` above the block `impl {ident}`, whose methods have `#[on(…)]`"
            ),
            None => NOT_A_RAIL.to_owned(),
        };
        return Err(input.error(message));
    }
    let sig = input.parse()?;
    input.parse::<TokenStream>()?;
    Ok((tokens, Item::Function(Function { attrs, vis, sig })))
}

const NOT_A_RAIL: &str =
    "this cannot be a rail: write `#[rail]` above an `async fn`, a `fn`, or the `impl` block of a type";

fn starts_function(input: ParseStream<'_>) -> bool {
    // `const fn` begins a function, and `const NAME: …` does not.
    input.peek(Token![fn])
        || input.peek(Token![async])
        || input.peek(Token![unsafe])
        || input.peek(Token![extern])
        || (input.peek(Token![const]) && !input.peek2(Ident) && !input.peek2(Token![_]))
}

fn impl_block(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<(TokenStream, ImplBlock)> {
    let start = input.fork();
    if let Ok(keyword) = input.parse::<Token![unsafe]>() {
        errors.at(keyword, "the `impl` block of a rail cannot be `unsafe`: leave this out");
    }
    let span = input.parse::<Token![impl]>()?.span;
    let mut generics: Generics = if input.peek(Token![<]) { input.parse()? } else { Generics::default() };
    let mut self_ty: Type = input.parse()?;
    if input.parse::<Option<Token![for]>>()?.is_some() {
        errors.at(&self_ty, "`#[rail]` cannot be on the `impl` of a trait: write an `impl` block of the type itself");
        self_ty = input.parse()?;
    }
    generics.where_clause = input.parse()?;

    let header = tokens_between(&start, input)?;
    let body;
    let braces = syn::braced!(body in input);
    let Members { tokens, methods, has_on } = members(&body, errors)?;
    let mut group = Group::new(Delimiter::Brace, tokens);
    group.set_span(braces.span.join());
    let rest = header.into_iter().chain([TokenTree::Group(group)]).collect();
    Ok((rest, ImplBlock { span, generics, self_ty, has_on, methods }))
}

/// Returns the tokens between two places of the input.
fn tokens_between(start: ParseStream<'_>, end: ParseStream<'_>) -> syn::Result<Vec<TokenTree>> {
    let mut tokens = Vec::new();
    while start.cursor() != end.cursor() {
        tokens.push(start.parse()?);
    }
    Ok(tokens)
}

/// The members of an `impl` block without their `#[on]`, and the methods that had it.
#[derive(Default)]
struct Members {
    tokens: TokenStream,
    methods: Vec<Method>,
    has_on: bool,
}

fn members(body: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Members> {
    let inner = body.call(Attribute::parse_inner)?;
    let mut members = Members { tokens: inner.iter().map(ToTokens::to_token_stream).collect(), ..Members::default() };
    while !body.is_empty() {
        let (on, others): (Vec<_>, Vec<_>) = body.call(Attribute::parse_outer)?.into_iter().partition(is_on);
        members.tokens.extend(others.iter().map(ToTokens::to_token_stream));
        let member = body.fork();
        members.tokens.extend(member_tokens(body)?);
        if !on.is_empty() {
            members.has_on = true;
            refuse_cfg(&others, CFG_ON_METHOD, errors);
            members.methods.extend(errors.keep(method(&member, on)));
        }
    }
    Ok(members)
}

const CFG_ON_METHOD: &str = "a method with `#[on(…)]` cannot have a `#[cfg]`: write two `impl` blocks with `#[rail]`, \
    each under its own `#[cfg]`";

/// Returns `true` for `#[on(…)]`, also with a path.
fn is_on(attr: &Attribute) -> bool {
    attr.path().segments.last().is_some_and(|segment| segment.ident == "on")
}

fn method(input: ParseStream<'_>, on: Vec<Attribute>) -> syn::Result<Method> {
    input.parse::<Visibility>()?;
    if starts_function(input) {
        Ok(Method { on, sig: input.parse()? })
    } else {
        Err(syn::Error::new_spanned(&on[0], "only a method can have `#[on(…)]`: write it above a method"))
    }
}

/// Reads the tokens of one member, up to its body or its semicolon.
fn member_tokens(body: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    // Items such as `const X: [T; { N }] = { … };` end with a semicolon. Functions and macros end with braces.
    let ends_with_semicolon = body.peek(Token![type]) || (body.fork().parse::<Visibility>().is_ok() && is_const(body));
    while !body.is_empty() {
        let token: TokenTree = body.parse()?;
        let ends = match &token {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && !ends_with_semicolon,
            _ => false,
        };
        tokens.extend([token]);
        if ends {
            break;
        }
    }
    Ok(tokens)
}

fn is_const(body: ParseStream<'_>) -> bool {
    let body = body.fork();
    body.parse::<Visibility>().is_ok() && body.peek(Token![const]) && (body.peek2(Ident) || body.peek2(Token![_]))
}
