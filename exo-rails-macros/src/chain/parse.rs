//! The grammar of `rail_chain!`.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::spanned::Spanned;
use syn::{
    Attribute, Expr, GenericArgument, Ident, Lifetime, Path, PathArguments, Token, Type, TypeParamBound, Visibility,
    braced,
};

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

/// A rail in the list.
pub(super) struct Listed {
    pub rail: Rail,
    /// The priority of the rail in this chain.
    pub priority: Option<Expr>,
    /// The condition in the `#[cfg(…)]` of the rail.
    pub cfg: Option<TokenStream>,
}

/// The way in which a rail is listed.
pub(super) enum Rail {
    /// A path, such as `block_dangerous`.
    Path(Path),
    /// A field for a rail with state, such as `content_filter: ContentFilter`.
    Field { attrs: Vec<Attribute>, vis: Visibility, ident: Ident, ty: Box<Type> },
}

impl Listed {
    /// Returns the type of the rail.
    pub(super) fn ty(&self) -> TokenStream {
        match &self.rail {
            Rail::Path(path) => path.to_token_stream(),
            Rail::Field { ty, .. } => ty.to_token_stream(),
        }
    }

    /// Returns the name of the field.
    pub(super) const fn field(&self) -> Option<&Ident> {
        match &self.rail {
            Rail::Path(_) => None,
            Rail::Field { ident, .. } => Some(ident),
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
    let rails = rails(input, attrs)?;
    for ident in rails.iter().filter_map(Listed::field) {
        errors.at(ident, "an unnamed chain has no fields; name the chain to give it a rail with state: `rail_chain! { struct MyRails { … } }`");
    }
    distinct(&rails, &mut errors);
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
    let rails = rails(&body, Vec::new())?;
    if !input.is_empty() {
        errors.push(input.error("one `rail_chain!` declares one chain: write a second `rail_chain!`"));
    }
    distinct(&rails, &mut errors);
    if !has_lifetime {
        own_their_state(&rails, &mut errors);
    }
    not_itself(&rails, &ident, &mut errors);
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

const LISTED: &str = "a chain lists rails by their names: write `block_dangerous`, or `content_filter: ContentFilter` for a rail with state";

/// Reads all rails. `first` are the attributes of the first rail, which the caller has read.
fn rails(input: ParseStream<'_>, first: Vec<Attribute>) -> syn::Result<Vec<Listed>> {
    let (mut rails, mut attrs) = (Vec::new(), first);
    while !input.is_empty() || !attrs.is_empty() {
        attrs.extend(input.call(Attribute::parse_outer)?);
        rails.push(listed(input, std::mem::take(&mut attrs))?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(rails)
}

/// Returns the trait behind pointers and lists, such as the `Rail` of `Vec<Box<dyn Rail>>`.
fn behind_dyn(ty: &Type) -> Option<String> {
    let last = match ty {
        Type::TraitObject(object) => {
            let named = |bound: &TypeParamBound| match bound {
                TypeParamBound::Trait(bound) => bound.path.segments.last().map(|last| last.ident.to_string()),
                _ => None,
            };
            return object.bounds.iter().find_map(named);
        }
        Type::Path(path) => path.path.segments.last()?,
        _ => return None,
    };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return None };
    let holds = ["Arc", "Box", "Option", "Rc", "Vec"].iter().any(|name| last.ident == name);
    match args.args.first()? {
        GenericArgument::Type(inner) if holds => behind_dyn(inner),
        _ => None,
    }
}

/// Reports a rail behind `dyn`. rustc would report each constant of the trait.
fn known_when_compiled(ty: &Type) -> syn::Result<()> {
    let message = match &*behind_dyn(ty).unwrap_or_default() {
        "Rail" => {
            "a chain cannot list a rail behind `dyn`: write the type of the rail, or add rails that are chosen at run time to a `RailManager`"
        }
        "GuardSet" => "a chain cannot list a `dyn GuardSet`: write `DynGuardSet`",
        _ => return Ok(()),
    };
    Err(syn::Error::new_spanned(ty, message))
}

fn listed(input: ParseStream<'_>, attrs: Vec<Attribute>) -> syn::Result<Listed> {
    let cfg = predicate(&attrs)?;
    let (options, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|attr| attr.path().is_ident("rail"));
    let priority = listed_priority(&options)?;
    let vis: Visibility = input.parse()?;
    if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        let ident = input.parse()?;
        input.parse::<Token![:]>()?;
        let ty: Box<Type> = input.parse()?;
        known_when_compiled(&ty)?;
        return Ok(Listed { rail: Rail::Field { attrs, vis, ident, ty }, priority, cfg });
    }
    // A doc comment may explain why the rail is listed. The comment has no field to document.
    if let Some(attr) = attrs.iter().find(|attr| !attr.path().is_ident("doc") && !attr.path().is_ident("cfg")) {
        return Err(syn::Error::new_spanned(
            attr,
            "only a field can have this attribute: give the rail a field, like `content_filter: ContentFilter`",
        ));
    }
    if !matches!(vis, Visibility::Inherited) {
        return Err(syn::Error::new_spanned(
            vis,
            "only a field can have a visibility: write the name of the rail alone",
        ));
    }
    let path: Path = input.parse().map_err(|error| syn::Error::new(error.span(), LISTED))?;
    let ends = input.is_empty() || input.peek(Token![,]);
    if ends { Ok(Listed { rail: Rail::Path(path), priority, cfg }) } else { Err(input.error(LISTED)) }
}

/// Returns the conditions in the `#[cfg(…)]` of these attributes. All of them must hold.
pub(super) fn predicate(attrs: &[Attribute]) -> syn::Result<Option<TokenStream>> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let mut predicates: Vec<_> = cfgs.map(Attribute::parse_args::<TokenStream>).collect::<syn::Result<_>>()?;
    Ok(match predicates.len() {
        0 => None,
        1 => predicates.pop(),
        _ => Some(quote!(all(#(#predicates),*))),
    })
}

/// Returns the priority in the `#[rail(priority = 5)]` of a listed rail.
fn listed_priority(options: &[Attribute]) -> syn::Result<Option<Expr>> {
    let mut errors = Errors::default();
    let (mut priority, mut seen) = (None, Vec::new());
    for attr in options {
        let result = attr.parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() {
                let key = input.call(Ident::parse_any)?;
                once(&key, &mut seen, &mut errors);
                if key != "priority" {
                    let message = "a listed rail takes only a `priority`: write `#[rail(priority = 5)]`";
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

/// Reports a rail that is listed twice under one name. If the list has two different names for the rail, and no field,
/// the compiler reports it.
fn distinct(rails: &[Listed], errors: &mut Errors) {
    let name = |rail: &Listed| rail.ty().to_string().trim_start_matches("self :: ").to_owned();
    // Only the compiler knows which rails with a `#[cfg]` exist.
    let rails: Vec<_> = rails.iter().filter(|rail| rail.cfg.is_none()).collect();
    let types: Vec<_> = rails.iter().map(|rail| (name(rail), rail.field().is_some())).collect();
    for (i, rail) in rails.iter().enumerate() {
        let (name, is_field) = &types[i];
        // Two fields of one type are two rails.
        if types[..i].iter().any(|(other, other_is_field)| other == name && !(*is_field && *other_is_field)) {
            let (ty, message) = (rail.ty(), "list it once. To run it twice, give each a field");
            errors.at(&ty, format_args!("the rail `{}` is listed twice: {message}", shown(&ty)));
        }
    }
    let mut fields: Vec<&Ident> = Vec::new();
    for ident in rails.iter().filter_map(|rail| rail.field()) {
        if fields.contains(&ident) {
            errors.at(ident, format_args!("the chain has two fields with the name `{ident}`: rename one"));
        }
        fields.push(ident);
    }
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

const OWNED: &str = "Let rails own or share their state: write `Arc<str>`, not `&'a str`";

/// Reports rails with a lifetime. A chain has no lifetime that its rails could name.
fn own_their_state(rails: &[Listed], errors: &mut Errors) {
    for rail in rails {
        if let Some(lifetime) = lifetime(rail.ty()) {
            errors.at(&lifetime, format_args!("a rail in a chain cannot borrow for `{lifetime}`. {OWNED}"));
        }
    }
}

/// Returns the first lifetime in the tokens that is neither `'static` nor introduced by a `for`.
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

/// Reports a chain that lists itself. The compiler would report a cycle of constants.
fn not_itself(rails: &[Listed], ident: &Ident, errors: &mut Errors) {
    for ty in rails.iter().map(Listed::ty).filter(|ty| *ident == ty.to_string()) {
        errors.at(ty, "a chain cannot list itself: leave it out");
    }
}
