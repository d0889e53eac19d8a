//! What stands in `rail_chain!`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, Ident, Lifetime, Path, Token, Type, Visibility, braced};

use super::requirements::{self, Requirement, WORDS};
use crate::errors::{Errors, expected, refuse_cfg, shown};
use crate::options::{self, once, separator, skip_value};
use crate::paths::{EVENTS, Library};
use crate::rail;

/// A chain, named or not.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Chain {
    pub library: Library,
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    /// The name of the struct; an unnamed chain is an expression.
    pub ident: Option<Ident>,
    pub span: Span,
    pub priority: Option<Expr>,
    /// Whether no two rails of one event may have the same priority.
    pub unique_priorities: bool,
    pub requirements: Vec<Requirement>,
    pub policies: Vec<Path>,
    /// The set that the tools of its rails have to be in.
    pub tools: Option<Path>,
    /// The events that it names, because they are the user's own or because many of its rails are on them.
    pub events: Vec<Path>,
    /// Whether rails run in the reverse of their order at events that tell of what has happened.
    pub onion: bool,
    /// Whether the rails of an event run at once.
    pub concurrent: bool,
    /// Whether there is a span around each rail.
    pub trace: bool,
    pub rails: Vec<Listed>,
}

impl Chain {
    /// A chain of these rails, without options.
    fn of(rails: Vec<Listed>) -> Self {
        Self {
            library: Library::default(),
            attrs: Vec::new(),
            vis: Visibility::Inherited,
            ident: None,
            span: Span::call_site(),
            priority: None,
            unique_priorities: false,
            requirements: Vec::new(),
            policies: Vec::new(),
            tools: None,
            events: Vec::new(),
            onion: false,
            concurrent: false,
            trace: false,
            rails,
        }
    }

    /// Reads its options.
    fn options(&mut self, attrs: &[Attribute], errors: &mut Errors) {
        for attr in attrs {
            let result = attr.parse_args_with(|input: ParseStream<'_>| chain_options(self, input, errors));
            errors.keep(result);
        }
    }
}

/// A rail in the list.
pub(super) enum Listed {
    /// (e.g. `block_dangerous`).
    Path { path: Path, priority: Option<Expr> },
    /// A rail with state: (e.g. `content_filter: ContentFilter`).
    Field { attrs: Vec<Attribute>, vis: Visibility, ident: Ident, ty: Box<Type>, priority: Option<Expr> },
}

impl Listed {
    /// The type of the rail.
    pub(super) fn ty(&self) -> TokenStream {
        match self {
            Self::Path { path, .. } => path.to_token_stream(),
            Self::Field { ty, .. } => ty.to_token_stream(),
        }
    }
}

pub(super) fn chain(input: TokenStream) -> syn::Result<Chain> {
    parse_chain.parse2(input)
}

fn parse_chain(input: ParseStream<'_>) -> syn::Result<Chain> {
    let attrs = input.call(Attribute::parse_outer)?;
    let (options, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|attr| attr.path().is_ident("chain"));
    let named_like = input.peek(Token![enum]) || input.peek(Token![union]) && input.peek2(Ident);
    if named_like || input.peek(Token![pub]) || input.peek(Token![struct]) || !attrs.is_empty() {
        named(input, &options, attrs)
    } else {
        unnamed(input, &options)
    }
}

/// `rail_chain![block_dangerous, redact]`, or with options, `rail_chain![#[chain(onion)] block_dangerous]`.
fn unnamed(input: ParseStream<'_>, options: &[Attribute]) -> syn::Result<Chain> {
    let mut errors = Errors::default();
    let mut library = None;
    if input.peek(Token![crate]) && input.peek2(Token![=]) {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        library = Some(Library::at(input.call(Path::parse_mod_style)?));
        input.parse::<Token![;]>()?;
    }
    let rails: Vec<_> = Punctuated::<Listed, Token![,]>::parse_terminated_with(input, listed)?.into_iter().collect();
    for rail in &rails {
        if let Listed::Field { ident, .. } = rail {
            errors.at(ident, "an unnamed chain has no fields; name the chain to give it a rail with state: `rail_chain! { struct MyRails { … } }`");
        }
    }
    distinct(&rails, &mut errors);
    let mut chain = Chain::of(rails);
    chain.options(options, &mut errors);
    chain.library = library.unwrap_or(chain.library);
    errors.finish(chain)
}

/// `rail_chain! { pub struct SupportRails { … } }`.
fn named(input: ParseStream<'_>, options: &[Attribute], attrs: Vec<Attribute>) -> syn::Result<Chain> {
    let mut errors = Errors::default();
    refuse_cfg(
        &attrs,
        "`#[cfg]` stands above the whole `rail_chain!`: what it makes is more than the struct",
        &mut errors,
    );
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("rail")) {
        errors.at(attr, "the options of a chain stand in `#[chain(…)]`: write `#[chain(priority = 20)]`");
    }
    let vis = input.parse()?;
    input.parse::<Token![struct]>().map_err(|error| {
        syn::Error::new(error.span(), "a chain is a struct: `rail_chain! { struct MyRails { … } }`")
    })?;
    let ident: Ident = input.parse()?;
    let mut has_lifetime = false;
    if input.peek(Token![<]) {
        let generics: syn::Generics = input.parse()?;
        let message = "a chain has no generic parameters: its order is a constant";
        if generics.lifetimes().next().is_some() {
            errors.at(&generics, format_args!("{message}. {OWNED}"));
        }
        if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
            let advice = "Name its rails with concrete types: `limit: RateLimit<MemoryStore>`";
            errors.at(&generics, format_args!("{message}. {advice}"));
        }
        has_lifetime = generics.lifetimes().next().is_some();
    }
    if !input.peek(syn::token::Brace) {
        return Err(input.error("a chain lists its rails in braces: `struct MyRails { block_dangerous, redact }`"));
    }
    let body;
    braced!(body in input);
    let rails: Vec<_> = Punctuated::<Listed, Token![,]>::parse_terminated_with(&body, listed)?.into_iter().collect();
    if !input.is_empty() {
        errors.push(input.error("a chain ends here: one `rail_chain!` makes one chain"));
    }
    distinct(&rails, &mut errors);
    if !has_lifetime {
        own_their_state(&rails, &mut errors);
    }
    not_itself(&rails, &ident, &mut errors);
    let mut chain = Chain { attrs, vis, span: ident.span(), ident: Some(ident), ..Chain::of(rails) };
    chain.options(options, &mut errors);
    errors.finish(chain)
}

const OPTIONS: [&str; 13] = [
    "priority",
    "crate",
    "unique_priorities",
    "onion",
    "concurrent",
    "trace",
    "events",
    "policy",
    "tools",
    WORDS[0],
    WORDS[1],
    WORDS[2],
    WORDS[3],
];

/// How many rails run at once at the most.
const MOST_CONCURRENT: usize = 16;

/// Those that have no value.
const FLAGS: [&str; 4] = ["unique_priorities", "onion", "concurrent", "trace"];

/// What stands in `#[chain(…)]`: (e.g. `priority = 20, require(permission_check on PreToolCall)`).
fn chain_options(chain: &mut Chain, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    let mut seen = Vec::new();
    while !input.is_empty() {
        let key = input.call(Ident::parse_any)?;
        let name = key.to_string();
        // A chain may have several requirements and follow several policies.
        if name != "policy" && !WORDS.contains(&name.as_str()) {
            once(&key, &mut seen, errors);
        }
        if OPTIONS.contains(&name.as_str()) {
            option(chain, &key, &name, input, errors)?;
        } else {
            errors.at(&key, format_args!("`#[chain]` has no option `{name}`; {}", expected(&name, &OPTIONS)));
            skip_value(input)?;
        }
        separator(input, errors);
    }
    Ok(())
}

fn option(chain: &mut Chain, key: &Ident, name: &str, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    if WORDS.contains(&name) {
        chain.requirements.extend(errors.keep(requirements::parse(key, input)).into_iter().flatten());
        return Ok(());
    }
    if FLAGS.contains(&name) {
        let flag = match name {
            "onion" => &mut chain.onion,
            "concurrent" => &mut chain.concurrent,
            "trace" => &mut chain.trace,
            _ => &mut chain.unique_priorities,
        };
        *flag = true;
        if chain.concurrent && chain.rails.len() > MOST_CONCURRENT {
            let message = "rails at most: put some of them into a chain of their own, and list both in a third";
            errors.at(key, format_args!("a chain with `concurrent` has {MOST_CONCURRENT} {message}"));
        }
        return options::flag(key, input, errors);
    }
    if input.parse::<Token![=]>().is_err() {
        let example = match name {
            "crate" => "crate = ::exo_rails",
            "policy" => "policy = MyPolicy",
            "tools" => "tools = SupportTools",
            "events" => EVENTS_EXAMPLE,
            _ => "priority = 10",
        };
        return Err(syn::Error::new_spanned(key, format_args!("`{name}` needs a value: `{example}`")));
    }
    match name {
        "priority" => chain.priority = Some(rail::priority(input.parse()?, errors)),
        "policy" => chain.policies.extend(policy(input, errors)?),
        "events" => chain.events = events(input, errors)?,
        "tools" => {
            let message = "`tools` cannot be read: write it like `tools = SupportTools`";
            chain.tools = Some(input.parse().map_err(|error| syn::Error::new(error.span(), message))?);
        }
        _ => chain.library = Library::at(input.call(Path::parse_mod_style)?),
    }
    Ok(())
}

/// The name of a policy.
fn policy(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Path>> {
    let written = options::value(&input.fork())?;
    let path = input.call(Path::parse_mod_style).ok().filter(|_| input.is_empty() || input.peek(Token![,]));
    if path.is_some() {
        return Ok(path);
    }
    let meant: Vec<_> =
        options::names_in(written.clone()).iter().map(|name| format!("policy = {}", shown(name))).collect();
    let meant = if meant.is_empty() { "policy = MyPolicy".to_owned() } else { meant.join(", ") };
    errors.at(written, format_args!("a policy is the name of a type, without quotes or brackets: `{meant}`"));
    skip_value(input)?;
    Ok(None)
}

const EVENTS_EXAMPLE: &str = "events = [CheckpointSaved]";

/// The events in `events = [CheckpointSaved]`.
fn events(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let names = options::names_in(options::value(&input.fork())?);
    let example =
        if names.is_empty() { EVENTS_EXAMPLE.to_owned() } else { format!("events = {}", options::list_of(&names)) };
    let wrong = |span| syn::Error::new(span, format_args!("`events` takes a list of events: `{example}`"));
    let events = options::paths(input)?.ok_or_else(|| wrong(input.span()))?;
    let events = events.map_err(|error| wrong(error.span()))?;
    for (i, event) in events.iter().enumerate() {
        let name = shown(event);
        if events[..i].iter().any(|other| rail::same_event(other, event)) {
            errors.at(event, format_args!("the event `{name}` is listed twice"));
        }
    }
    Ok(events)
}

/// The event of the library that a path names.
pub(super) fn known(event: &Path) -> Option<&'static str> {
    let last = &event.segments.last()?.ident;
    EVENTS.into_iter().find(|name| last == name)
}

/// The order is a constant of all rails in the list, so none of them can come and go.
fn not_under_cfg(attrs: &[Attribute]) -> syn::Result<()> {
    let mut errors = Errors::default();
    let advice =
        "`#[cfg]` cannot stand on a rail in a chain: write two chains, each under a `#[cfg]` above its `rail_chain!`";
    refuse_cfg(attrs, advice, &mut errors);
    errors.finish(())
}

const LISTED: &str =
    "a chain lists rails by their names: `block_dangerous`, or `content_filter: ContentFilter` for one with state";

fn listed(input: ParseStream<'_>) -> syn::Result<Listed> {
    let attrs = input.call(Attribute::parse_outer)?;
    not_under_cfg(&attrs)?;
    let (options, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|attr| attr.path().is_ident("rail"));
    let priority = listed_priority(&options)?;
    let vis: Visibility = input.parse()?;
    if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        let ident = input.parse()?;
        input.parse::<Token![:]>()?;
        return Ok(Listed::Field { attrs, vis, ident, ty: input.parse()?, priority });
    }
    // A doc comment says why the rail is there; it has no field to be on.
    if let Some(attr) = attrs.iter().find(|attr| !attr.path().is_ident("doc")) {
        return Err(syn::Error::new_spanned(
            attr,
            "attributes stand on rails with a field, like `content_filter: ContentFilter`; this rail has none",
        ));
    }
    if !matches!(vis, Visibility::Inherited) {
        return Err(syn::Error::new_spanned(vis, "a rail without a field has no visibility: list its name alone"));
    }
    let path: Path = input.parse().map_err(|error| syn::Error::new(error.span(), LISTED))?;
    let ends = input.is_empty() || input.peek(Token![,]);
    if ends { Ok(Listed::Path { path, priority }) } else { Err(input.error(LISTED)) }
}

/// What `#[rail(priority = 5)]` says of a listed rail.
fn listed_priority(options: &[Attribute]) -> syn::Result<Option<Expr>> {
    let mut errors = Errors::default();
    let (mut priority, mut seen) = (None, Vec::new());
    for attr in options {
        let result = attr.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                let key = input.call(Ident::parse_any)?;
                once(&key, &mut seen, &mut errors);
                if key != "priority" {
                    let message = "a listed rail takes a `priority` alone: `#[rail(priority = 5)]`";
                    errors.at(&key, message);
                    skip_value(input)?;
                } else if input.parse::<Token![=]>().is_err() {
                    return Err(syn::Error::new_spanned(key, "`priority` needs a value: `priority = 5`"));
                } else {
                    priority = Some(rail::priority(input.parse()?, &mut errors));
                }
                separator(input, &mut errors);
            }
            Ok(())
        });
        errors.keep(result);
    }
    errors.finish(priority)
}

/// The same rail under the same name. Under two names without a field, the compiler finds it.
fn distinct(rails: &[Listed], errors: &mut Errors) {
    let name = |rail: &Listed| rail.ty().to_string().trim_start_matches("self :: ").to_owned();
    let types: Vec<_> = rails.iter().map(|rail| (name(rail), matches!(rail, Listed::Field { .. }))).collect();
    for (i, rail) in rails.iter().enumerate() {
        let (name, is_field) = &types[i];
        // Two fields of one type are two rails.
        if types[..i].iter().any(|(other, other_is_field)| other == name && !(*is_field && *other_is_field)) {
            let (ty, message) = (rail.ty(), "a chain runs each rail once. To run it twice, give each a field");
            errors.at(&ty, format_args!("the rail `{}` is listed twice: {message}", shown(&ty)));
        }
    }
    let mut fields: Vec<&Ident> = Vec::new();
    for rail in rails {
        let Listed::Field { ident, .. } = rail else { continue };
        if fields.contains(&ident) {
            errors.at(ident, format_args!("the chain has two fields of the name `{ident}`"));
        }
        fields.push(ident);
    }
}

const OWNED: &str = "Its rails own their state, or share it: `Arc<str>` and not `&'a str`";

/// A chain has no lifetime that its rails could name.
fn own_their_state(rails: &[Listed], errors: &mut Errors) {
    for rail in rails {
        if let Some(lifetime) = lifetime(rail.ty()) {
            errors.at(&lifetime, format_args!("a rail in a chain does not borrow for `{lifetime}`. {OWNED}"));
        }
    }
}

/// The first lifetime in the tokens that is not `'static`, nor one that a `for` makes.
fn lifetime(tokens: TokenStream) -> Option<Lifetime> {
    let find = |input: ParseStream<'_>| {
        while !input.is_empty() && !input.peek(Token![for]) {
            if let Ok(lifetime) = input.parse::<Lifetime>() {
                if lifetime.ident != "static" {
                    input.parse::<TokenStream>()?;
                    return Ok(Some(lifetime));
                }
            } else if let TokenTree::Group(group) = input.parse()?
                && let Some(lifetime) = lifetime(group.stream())
            {
                input.parse::<TokenStream>()?;
                return Ok(Some(lifetime));
            }
        }
        input.parse::<TokenStream>()?;
        Ok(None)
    };
    find.parse2(tokens).ok().flatten()
}

/// A chain inside itself would be found by the compiler too, at the end of a cycle of constants.
fn not_itself(rails: &[Listed], ident: &Ident, errors: &mut Errors) {
    for ty in rails.iter().map(Listed::ty).filter(|ty| *ident == ty.to_string()) {
        errors.at(ty, "a chain cannot list itself");
    }
}
