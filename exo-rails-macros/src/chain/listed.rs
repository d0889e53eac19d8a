//! The rails that a chain lists.

use proc_macro2::{TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{
    Attribute, Expr, GenericArgument, Ident, Lifetime, Path, PathArguments, Token, Type, TypeParamBound, Visibility,
    token,
};

use crate::custom_event::snake_case;
use crate::errors::{Errors, shown};
use crate::options::{once, separator, skip_value};
use crate::rail;

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

const LISTED: &str = "a chain lists rails by their names: write `block_dangerous`, or `content_filter: ContentFilter` for a rail with state";

const NOT_VALUES: &str = "a chain lists rails by their names, and not values: give the value a field of a named chain, as in \
    `struct Rails { content_filter: ContentFilter }`, or `Option<ContentFilter>` if it may be absent";

/// The message about a field in an unnamed chain.
pub(super) const NO_FIELDS: &str = "an unnamed chain has no fields; name the chain to give it a rail with state: `rail_chain! { struct MyRails { … } }`";

const SEPARATED: &str = "a chain separates rails by commas: write `,` here";

/// Reads all rails of the named or unnamed chain. `first` are the attributes of the first rail, which the caller has read.
pub(super) fn rails(input: ParseStream<'_>, chain: Option<&Ident>, first: Vec<Attribute>) -> syn::Result<Vec<Listed>> {
    let (mut rails, mut attrs) = (Vec::new(), first);
    while !input.is_empty() || !attrs.is_empty() {
        attrs.extend(input.call(Attribute::parse_outer)?);
        rails.push(listed(input, chain, std::mem::take(&mut attrs))?);
        if !input.is_empty() {
            input.parse::<Token![,]>().map_err(|error| syn::Error::new(error.span(), SEPARATED))?;
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
        _ => return unboxed(ty),
    };
    Err(syn::Error::new_spanned(ty, message))
}

/// Reports a rail in a `Box` or an `Rc`. The library cannot implement `Rail` for every `Box`, because rustc assumes that other
/// crates do so for a `Box` of their types. Threads cannot share an `Rc`.
fn unboxed(ty: &Type) -> syn::Result<()> {
    let Type::Path(path) = ty else { return Ok(()) };
    let Some(last) = path.path.segments.last() else { return Ok(()) };
    let PathArguments::AngleBracketed(args) = &last.arguments else { return Ok(()) };
    let Some(GenericArgument::Type(inner)) = args.args.first() else { return Ok(()) };
    let inner = shown(inner);
    let message = if last.ident == "Box" {
        format!("a chain cannot list a `Box`: write `{inner}`, or `Arc<{inner}>`")
    } else if last.ident == "Rc" {
        format!("threads share a chain, and they cannot share an `Rc`: write `Arc<{inner}>`")
    } else {
        return Ok(());
    };
    Err(syn::Error::new_spanned(ty, message))
}

fn listed(input: ParseStream<'_>, chain: Option<&Ident>, attrs: Vec<Attribute>) -> syn::Result<Listed> {
    let cfg = predicate(&attrs)?;
    let (options, attrs): (Vec<_>, Vec<_>) = attrs.into_iter().partition(|attr| attr.path().is_ident("rail"));
    if let Some(attr) = attrs.iter().find(|attr| attr.path().is_ident("chain")) {
        return Err(syn::Error::new_spanned(attr, OF_LISTED));
    }
    let priority = listed_priority(&options)?;
    let vis: Visibility = input.parse()?;
    if input.peek(Ident) && input.peek2(Token![:]) && !input.peek2(Token![::]) {
        let ident = input.parse()?;
        input.parse::<Token![:]>()?;
        not_a_value_of_a_field(&ident, chain, input)?;
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
    not_a_keyword(input)?;
    not_a_value(input)?;
    let path: Path = input.parse().map_err(|error| syn::Error::new(error.span(), LISTED))?;
    not_a_method(&path)?;
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Listed { rail: Rail::Path(path), priority, cfg });
    }
    let is_a_separator_missing = input.peek(Ident) || input.peek(Token![;]) || input.peek(Token![#]);
    Err(input.error(if is_a_separator_missing { SEPARATED } else { LISTED }))
}

/// Reports a value in the place of the type of a field, such as `limit: Limit(3)`. The value belongs to the place where
/// the user makes the chain.
fn not_a_value_of_a_field(field: &Ident, chain: Option<&Ident>, input: ParseStream<'_>) -> syn::Result<()> {
    let ahead = input.fork();
    let is_type = ahead.parse::<Type>().is_ok();
    if is_type && !ahead.peek(token::Paren) && !ahead.peek(token::Brace) && !ahead.peek(Token![=]) {
        return Ok(());
    }
    let Ok(written) = input.fork().parse::<Expr>() else { return Ok(()) };
    let value = match &written {
        Expr::Assign(assign) => &*assign.right,
        other => other,
    };
    let Some(chain) = chain else { return Err(syn::Error::new_spanned(field, NO_FIELDS)) };
    let ty = type_of(value).map_or_else(|| "…".to_owned(), shown);
    let made = format!("{chain} {{ {field}: {} }}", shown(value));
    let message = format!(
        "a field of a chain has a type: write `{field}: {ty}`, and give the value where you make the chain: `{made}`"
    );
    Err(syn::Error::new_spanned(written, message))
}

/// Returns the type in a value such as `Limit(3)`, `Limit::new()` or `Limit { calls: 3 }`, if the value names its type.
fn type_of(value: &Expr) -> Option<Path> {
    let mut path = match value {
        Expr::Struct(value) => value.path.clone(),
        Expr::Call(call) => match &*call.func {
            Expr::Path(func) => func.path.clone(),
            _ => return None,
        },
        _ => return None,
    };
    let is_type = |path: &Path| {
        path.segments.last().is_some_and(|last| last.ident.unraw().to_string().starts_with(char::is_uppercase))
    };
    if !is_type(&path) {
        path.segments.pop();
        path.segments.pop_punct();
    }
    is_type(&path).then_some(path)
}

/// Reports an expression that makes a rail, such as `is_strict.then_some(filter)`.
fn not_a_value(input: ParseStream<'_>) -> syn::Result<()> {
    match input.fork().parse() {
        Ok(
            value @ (Expr::Call(_)
            | Expr::Field(_)
            | Expr::If(_)
            | Expr::MethodCall(_)
            | Expr::Paren(_)
            | Expr::Reference(_)
            | Expr::Struct(_)),
        ) => Err(syn::Error::new_spanned(value, NOT_VALUES)),
        _ => Ok(()),
    }
}

/// Reports a field or a rail with the name of a keyword.
fn not_a_keyword(input: ParseStream<'_>) -> syn::Result<()> {
    let ahead = input.fork();
    let Ok(word) = ahead.call(Ident::parse_any) else { return Ok(()) };
    let in_paths = ["crate", "self", "super", "Self", "_"].iter().any(|name| word == name);
    let ends = ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Token![:]) && !ahead.peek(Token![::]);
    if input.peek(Ident) || in_paths || !ends {
        return Ok(());
    }
    Err(syn::Error::new(word.span(), format_args!("`{word}` is a keyword: write `r#{word}`, or choose another name")))
}

/// Reports a method, such as `ContentFilter::check`. rustc would look for a module with the name of the type.
fn not_a_method(path: &Path) -> syn::Result<()> {
    let mut names = path.segments.iter().rev().map(|segment| segment.ident.unraw().to_string());
    let (Some(_), Some(owner)) = (names.next(), names.next()) else { return Ok(()) };
    if !owner.starts_with(char::is_uppercase) || owner == "Self" {
        return Ok(());
    }
    let method = shown(path);
    let message = format!("`{method}` is a method: list its type, in a field: `{}: {owner}`", snake_case(&owner));
    Err(syn::Error::new_spanned(path, message))
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

const OF_LISTED: &str = "a listed rail takes only a `priority`: write `#[rail(priority = 5)]`";

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
                    errors.at(&key, OF_LISTED);
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
pub(super) fn distinct(rails: &[Listed], errors: &mut Errors) {
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

/// The advice about a rail that borrows its state.
pub(super) const OWNED: &str = "Let rails own or share their state: write `Arc<str>`, not `&'a str`";

/// Reports rails with a lifetime. A chain has no lifetime that its rails could name.
pub(super) fn own_their_state(rails: &[Listed], errors: &mut Errors) {
    for rail in rails {
        if let Some(lifetime) = lifetime(rail.ty()) {
            errors.at(&lifetime, format_args!("a rail in a chain cannot borrow for `{lifetime}`. {OWNED}"));
        }
    }
}

/// Returns the first lifetime in the tokens that is neither `'static` nor introduced by a `for`.
pub(crate) fn lifetime(tokens: TokenStream) -> Option<Lifetime> {
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
pub(super) fn not_itself(rails: &[Listed], ident: &Ident, errors: &mut Errors) {
    for ty in rails.iter().map(Listed::ty).filter(|ty| *ident == ty.to_string()) {
        errors.at(ty, "a chain cannot list itself: leave it out");
    }
}
