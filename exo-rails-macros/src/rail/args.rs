//! The arguments of `#[rail(…)]` and `#[on(…)]`.

use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Path, Token, UnOp, bracketed};

use crate::errors::{Errors, expected, shown};
use crate::paths::{EVENTS, Library, PAYLOADS};

/// What stands in `#[rail(…)]`: (e.g. `priority = 10, on = [PreToolCall, Start]`).
#[derive(Default)]
pub(super) struct Args {
    /// Any constant expression.
    pub priority: Option<Expr>,
    /// The events of a function; with the key, for errors that are about the list.
    pub on: Option<(Ident, Vec<Path>)>,
    /// Instead of the name of the function or type.
    pub name: Option<LitStr>,
    /// The rails that it runs after, and those that it runs before.
    pub after: Vec<Path>,
    pub before: Vec<Path>,
    pub library: Library,
}

const KEYS: [&str; 6] = ["on", "priority", "name", "after", "before", "crate"];

/// Parses all arguments; what is wrong with one does not hide what is wrong with the next.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Args::default();
    let mut seen = Vec::new();
    let result = (|input: ParseStream<'_>| {
        while !input.is_empty() {
            let key = input.call(Ident::parse_any)?;
            if seen.contains(&key) {
                errors.at(&key, format_args!("`{key}` is given twice: keep one of them"));
            }
            seen.push(key.clone());
            argument(&mut args, &key, input, errors)?;
            separator(input, errors);
        }
        Ok(())
    })
    .parse2(tokens);
    errors.keep(result);
    args
}

fn argument(args: &mut Args, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    let name = key.to_string();
    if EVENTS.contains(&name.as_str()) {
        errors.at(key, format_args!("the events of a rail stand in a list: `on = [{name}]`"));
        args.on = Some((key.clone(), Vec::new()));
        return skip_value(input);
    }
    if !KEYS.contains(&name.as_str()) {
        errors.at(key, format_args!("`#[rail]` has no argument `{name}`; {}", expected(&name, &KEYS)));
        return skip_value(input);
    }
    if name == "on" {
        // Even when the list is wrong: a rail with a wrong list is not also one without.
        args.on = Some((key.clone(), Vec::new()));
    }
    if input.parse::<Token![=]>().is_err() || input.is_empty() || input.peek(Token![,]) {
        errors.at(key, format_args!("`{name}` needs a value: `{}`", example(&name)));
        return skip_value(input);
    }
    match name.as_str() {
        "priority" => args.priority = Some(priority(input.parse()?, errors)),
        "on" => args.on = Some((key.clone(), events(input, key, errors)?)),
        "name" => args.name = errors.keep(rail_name(input.parse()?)),
        "after" => args.after = rails(input, key, errors)?,
        "before" => args.before = rails(input, key, errors)?,
        _ => args.library = Library::at(input.call(Path::parse_mod_style)?),
    }
    Ok(())
}

fn example(key: &str) -> &'static str {
    match key {
        "priority" => "priority = 10",
        "on" => "on = [PreToolCall]",
        "name" => "name = \"my_rail\"",
        "after" => "after = [permission_check]",
        "before" => "before = [audit_log]",
        _ => "crate = ::exo_rails",
    }
}

/// The comma between two arguments. Without one, what follows is read as the next argument all the same.
pub(crate) fn separator(input: ParseStream<'_>, errors: &mut Errors) {
    if !input.is_empty() && input.parse::<Token![,]>().is_err() {
        errors.push(input.error("expected `,` between two arguments"));
    }
}

/// Goes on behind the next comma.
pub(crate) fn skip_value(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<proc_macro2::TokenTree>()?;
    }
    Ok(())
}

/// What is wrong with a literal is said here, in better words than the type checker's.
pub(crate) fn priority(expr: Expr, errors: &mut Errors) -> Expr {
    let (literal, sign) = match &expr {
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => (&**expr, -1),
        other => (other, 1),
    };
    let Expr::Lit(ExprLit { lit, .. }) = literal else { return expr };
    let written = shown(&expr).replace("- ", "-");
    match lit {
        Lit::Int(int) if !matches!(int.suffix(), "" | "i32") => {
            errors.at(&expr, format_args!("a priority is an `i32`: write `{}`", int.base10_digits()));
        }
        Lit::Int(int) if int.base10_parse::<i64>().is_ok_and(|value| i32::try_from(sign * value).is_ok()) => {}
        Lit::Int(_) => errors.at(&expr, format_args!("a priority is an `i32`: `{written}` is out of its range")),
        _ => {
            errors.at(&expr, format_args!("a priority is an integer, like `priority = 10`; this is `{written}`"));
        }
    }
    expr
}

fn rail_name(expr: Expr) -> syn::Result<LitStr> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(name), .. }) if !name.value().trim().is_empty() => Ok(name),
        other => Err(syn::Error::new_spanned(other, "a rail's name is a text that is not blank: `name = \"my_rail\"`")),
    }
}

fn events(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    if !input.peek(syn::token::Bracket) {
        let value: TokenStream = value(input)?;
        errors.at(&value, format_args!("`on` takes a list of events: `on = [{value}]`"));
        return Ok(Vec::new());
    }
    let list;
    bracketed!(list in input);
    match list.call(Punctuated::<Path, Token![,]>::parse_terminated) {
        Ok(events) => Ok(distinct(events.into_iter().collect(), key, errors)),
        Err(error) => {
            errors.push(syn::Error::new(
                error.span(),
                "an event is the name of a type, without quotes: `on = [PreToolCall]`",
            ));
            list.parse::<TokenStream>()?;
            Ok(Vec::new())
        }
    }
}

/// The rails in `after = [permission_check]`.
fn rails(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    if !input.peek(syn::token::Bracket) {
        let value = value(input)?;
        errors.at(&value, format_args!("`{key}` takes a list of rails: `{key} = [{value}]`"));
        return Ok(Vec::new());
    }
    let list;
    bracketed!(list in input);
    match list.call(Punctuated::<Path, Token![,]>::parse_terminated) {
        Ok(rails) if rails.is_empty() => {
            errors.at(key, format_args!("`{key}` lists at least one rail: `{}`", example(&key.to_string())));
            Ok(Vec::new())
        }
        Ok(rails) => Ok(rails.into_iter().collect()),
        Err(error) => {
            let message = format!("a rail is listed by its name, without quotes: `{}`", example(&key.to_string()));
            errors.push(syn::Error::new(error.span(), message));
            list.parse::<TokenStream>()?;
            Ok(Vec::new())
        }
    }
}

fn value(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut tokens = TokenStream::new();
    while !input.is_empty() && !input.peek(Token![,]) {
        tokens.extend([input.parse::<proc_macro2::TokenTree>()?]);
    }
    Ok(tokens)
}

/// The events in `#[on(PreToolCall, Start)]`.
pub(super) fn on(attr: &Attribute, errors: &mut Errors) -> Vec<Path> {
    let events = attr.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    if let Ok(events) = events {
        distinct(events.into_iter().collect(), attr, errors)
    } else {
        errors.at(attr, "`#[on(…)]` lists the events of the method: `#[on(PreToolCall)]`");
        Vec::new()
    }
}

/// At least one event, and none twice.
fn distinct(events: Vec<Path>, list: impl ToTokens, errors: &mut Errors) -> Vec<Path> {
    if events.is_empty() {
        errors.at(list, "a rail guards at least one event, like `PreToolCall`: this list is empty");
    }
    for (i, event) in events.iter().enumerate() {
        known_mistake(event, errors);
        if events[..i].contains(event) {
            errors.at(event, format_args!("the event `{}` is listed twice", shown(event)));
        }
    }
    events
}

/// What is taken for an event most easily. Everything else that is none, the compiler finds.
fn known_mistake(event: &Path, errors: &mut Errors) {
    let mut names = event.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (name, before) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    if PAYLOADS.contains(&&*name) {
        let message = "is what events carry, and not an event: name the event, like `PreToolCall`";
        errors.at(event, format_args!("`{name}` {message}"));
    }
    let plain = |name: &str| name.replace('_', "").to_lowercase();
    if let Some(meant) = EVENTS.iter().find(|event| **event != name && plain(event) == plain(&name)) {
        errors.at(event, format_args!("there is no event `{name}`: did you mean `{meant}`?"));
    }
    if before == "HookPoint" {
        let message = "is a value, for what is known at run time only: name the event itself";
        errors.at(event, format_args!("`{}` {message}, `{name}`", shown(event)));
    }
}
