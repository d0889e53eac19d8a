//! The grammar of `rail_chain!`.

use proc_macro2::{Span, TokenStream};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{Attribute, Expr, Ident, Path, Token, Visibility, braced};

use super::listed::{self, Listed, OWNED, Rail};
use super::requirements::{self, Requirement, WORDS};
use crate::errors::{Errors, expected, refuse_cfg, shown};
use crate::options::{self, once, separator, skip_value};
use crate::paths::{EVENTS, Library, OPERATIONS};
use crate::rail;

/// A chain, named or not.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub(super) struct Chain {
    pub library: Library,
    pub attrs: Vec<Attribute>,
    pub vis: Visibility,
    /// The name of the struct. `None` for an unnamed chain, which is an expression.
    pub ident: Option<Ident>,
    pub span: Span,
    pub priority: Option<Expr>,
    /// Whether two rails of one event must have different priorities.
    pub unique_priorities: bool,
    pub requirements: Vec<Requirement>,
    /// The values that the chain needs from an outer chain.
    pub needs: Vec<Path>,
    pub shared: Vec<Path>,
    /// The tool set that must contain the tools of the rails.
    pub tools: Option<Path>,
    /// The events in the option `events`: custom events, and events on which the chain has many rails.
    pub events: Vec<Path>,
    /// The custom operations that the chain guards. `events` has their events, by the names of [`Self::event_of`].
    pub operations: Vec<Path>,
    /// Whether rails run in the reverse order at events after an operation.
    pub onion: bool,
    /// Whether the rails of an event run concurrently.
    pub concurrent: bool,
    /// Whether each rail runs in a span.
    pub trace: bool,
    pub rails: Vec<Listed>,
}

impl Chain {
    /// Makes a chain of these rails, without options.
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
            needs: Vec::new(),
            shared: Vec::new(),
            tools: None,
            events: Vec::new(),
            operations: Vec::new(),
            onion: false,
            concurrent: false,
            trace: false,
            rails,
        }
    }

    /// Returns the name of an event of an operation in the expansion. The chain names only the operation.
    pub(super) fn event_of(operation: &Path, which: &str) -> Ident {
        let name = operation.segments.last().map(|last| last.ident.unraw().to_string()).unwrap_or_default();
        format_ident!("__{name}{which}", span = operation.span().resolved_at(Span::mixed_site()))
    }

    /// Reads the options of the chain.
    fn options(&mut self, attrs: &[Attribute], errors: &mut Errors) {
        for attr in attrs {
            let result = attr.parse_args_with(|input: ParseStream<'_>| chain_options(self, input, errors));
            errors.keep(result);
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
    let of_a_rail = |attr: &Attribute| ["cfg", "doc", "rail"].iter().any(|name| attr.path().is_ident(name));
    if named_like || input.peek(Token![pub]) || input.peek(Token![struct]) || !attrs.iter().all(of_a_rail) {
        named(input, &options, attrs)
    } else {
        unnamed(input, &options, attrs)
    }
}

/// Reads `rail_chain![block_dangerous, redact]`, or with options, `rail_chain![#[chain(onion)] block_dangerous]`.
///
/// `attrs` are the attributes of the first rail.
fn unnamed(input: ParseStream<'_>, options: &[Attribute], attrs: Vec<Attribute>) -> syn::Result<Chain> {
    let mut errors = Errors::default();
    let mut library = None;
    if input.peek(Token![crate]) && input.peek2(Token![=]) {
        input.parse::<Token![crate]>()?;
        input.parse::<Token![=]>()?;
        library = Some(Library::at(input.call(Path::parse_mod_style)?));
        input.parse::<Token![;]>()?;
    }
    let rails = listed::rails(input, None, attrs)?;
    for ident in rails.iter().filter_map(Listed::field) {
        errors.at(ident, listed::NO_FIELDS);
    }
    listed::distinct(&rails, &mut errors);
    let mut chain = Chain::of(rails);
    chain.options(options, &mut errors);
    chain.library = library.unwrap_or(chain.library);
    errors.finish(chain)
}

/// Reads `rail_chain! { pub struct SupportRails { … } }`.
fn named(input: ParseStream<'_>, options: &[Attribute], attrs: Vec<Attribute>) -> syn::Result<Chain> {
    let mut errors = Errors::default();
    refuse_cfg(&attrs, "`rail_chain!` makes more than the struct: write the `#[cfg]` above `rail_chain!`", &mut errors);
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("rail")) {
        errors
            .at(attr, "a chain takes its options in `#[chain(…)]`, not in `#[rail]`: write `#[chain(priority = 20)]`");
    }
    let vis = input.parse()?;
    input.parse::<Token![struct]>().map_err(|error| {
        syn::Error::new(error.span(), "a chain is a struct: `rail_chain! { struct MyRails { … } }`")
    })?;
    let ident: Ident = input.parse()?;
    let mut has_lifetime = false;
    if input.peek(Token![<]) {
        let generics: syn::Generics = input.parse()?;
        let message = "a chain cannot have generic parameters, because its order is a constant";
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
    let rails = listed::rails(&body, Some(&ident), Vec::new())?;
    if !input.is_empty() {
        errors.push(input.error("one `rail_chain!` declares one chain: write a second `rail_chain!`"));
    }
    listed::distinct(&rails, &mut errors);
    if !has_lifetime {
        listed::own_their_state(&rails, &mut errors);
    }
    listed::not_itself(&rails, &ident, &mut errors);
    let mut chain = Chain { attrs, vis, span: ident.span(), ident: Some(ident), ..Chain::of(rails) };
    chain.options(options, &mut errors);
    unambiguous(&chain, &mut errors);
    errors.finish(chain)
}

const OPTIONS: [&str; 15] = [
    "priority",
    "crate",
    "unique_priorities",
    "onion",
    "concurrent",
    "trace",
    "events",
    "operations",
    "requirements",
    "tools",
    "needs",
    WORDS[0],
    WORDS[1],
    WORDS[2],
    WORDS[3],
];

/// The largest number of rails that run concurrently.
const MOST_CONCURRENT: usize = 16;

/// The options without a value.
const FLAGS: [&str; 4] = ["unique_priorities", "onion", "concurrent", "trace"];

/// Reads the content of `#[chain(…)]`, such as `priority = 20, require(permission_check on PreToolCall)`.
fn chain_options(chain: &mut Chain, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    let mut seen = Vec::new();
    while !input.is_empty() {
        let key = input.call(Ident::parse_any)?;
        let name = key.to_string();
        // A chain may have several requirements of its own, and several shared ones.
        if name != "requirements" && !WORDS.contains(&name.as_str()) {
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
            let message = "rails: split the list into two chains, and list both in a third";
            errors.at(key, format_args!("a chain with `concurrent` has at most {MOST_CONCURRENT} {message}"));
        }
        return options::flag(key, input, errors);
    }
    if input.parse::<Token![=]>().is_err() {
        let example = match name {
            "crate" => "crate = ::exo_rails",
            "requirements" => "requirements = MyRequirements",
            "tools" => "tools = SupportTools",
            "events" => EVENTS_EXAMPLE,
            "operations" => OPERATIONS_EXAMPLE,
            "needs" => "needs = [RateLimitLeft]",
            _ => "priority = 10",
        };
        return Err(syn::Error::new_spanned(key, format_args!("`{name}` needs a value: `{example}`")));
    }
    match name {
        "priority" => chain.priority = Some(rail::priority(input.parse()?, errors)),
        "requirements" => {
            let shared = shared(input, errors)?;
            if let Some(shared) = shared.as_ref().filter(|shared| chain.shared.contains(shared)) {
                errors.at(shared, format_args!("`{}` is given twice: keep one of them", shown(shared)));
            }
            chain.shared.extend(shared);
        }
        "events" => chain.events.extend(events(input, errors)?),
        "operations" => {
            chain.operations = operations(input, errors)?;
            let events = |operation| EVENTS_OF_AN_OPERATION.map(|which| Chain::event_of(operation, which).into());
            chain.events.extend(chain.operations.iter().flat_map(events));
        }
        "needs" => chain.needs = rail::values(input, key, errors)?,
        "tools" => {
            let message = "`tools` takes the name of a set of tools: write `tools = SupportTools`";
            chain.tools = Some(input.parse().map_err(|error| syn::Error::new(error.span(), message))?);
        }
        _ => chain.library = Library::at(input.call(Path::parse_mod_style)?),
    }
    Ok(())
}

/// Reads the name of shared requirements.
fn shared(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Path>> {
    let written = options::value(&input.fork())?;
    let path = input.call(Path::parse_mod_style).ok().filter(|_| input.is_empty() || input.peek(Token![,]));
    if path.is_some() {
        return Ok(path);
    }
    let meant: Vec<_> =
        options::names_in(written.clone()).iter().map(|name| format!("requirements = {}", shown(name))).collect();
    let meant = if meant.is_empty() { "requirements = MyRequirements".to_owned() } else { meant.join(", ") };
    errors.at(written, format_args!("`requirements` takes the name of a type, without quotes or brackets: `{meant}`"));
    skip_value(input)?;
    Ok(None)
}

const EVENTS_EXAMPLE: &str = "events = [CheckpointSaved]";

const OPERATIONS_EXAMPLE: &str = "operations = [StoreDocument]";

/// The associated types of `Operation` for its events.
pub(super) const EVENTS_OF_AN_OPERATION: [&str; 3] = ["Pre", "Post", "Failed"];

/// Reads the operations in `operations = [StoreDocument]`.
fn operations(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let wrong =
        |span| syn::Error::new(span, format_args!("`operations` takes a list of operations: `{OPERATIONS_EXAMPLE}`"));
    let operations = options::paths(input)?.ok_or_else(|| wrong(input.span()))?;
    let operations = operations.map_err(|error| wrong(error.span()))?;
    for (i, operation) in operations.iter().enumerate() {
        let name = shown(operation);
        if operations[..i].contains(operation) {
            errors.at(operation, format_args!("the operation `{name}` is listed twice: list it once"));
        }
        if OPERATIONS.contains(&&*name) {
            errors.at(operation, format_args!("every chain guards `{name}`: list custom operations only"));
        }
    }
    Ok(operations)
}

/// Reads the events in `events = [CheckpointSaved]`.
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
            errors.at(event, format_args!("the event `{name}` is listed twice: list it once"));
        }
    }
    Ok(events)
}

/// Returns the event of the library that a path names.
pub(super) fn known(event: &Path) -> Option<&'static str> {
    let last = &event.segments.last()?.ident;
    EVENTS.into_iter().find(|name| last == name)
}

/// Reports a name in a requirement that is both a field and a rail.
fn unambiguous(chain: &Chain, errors: &mut Errors) {
    for name in chain.requirements.iter().flat_map(Requirement::rails).filter_map(Path::get_ident) {
        let field = chain.rails.iter().any(|rail| rail.field() == Some(name));
        let rail = chain.rails.iter().any(|rail| matches!(&rail.rail, Rail::Path(path) if path.is_ident(name)));
        if field && rail {
            errors.at(name, format_args!("the chain has a field `{name}` and a rail `{name}`: rename the field"));
        }
    }
}
