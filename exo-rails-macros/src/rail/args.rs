//! Reads the arguments of `#[rail(…)]` and `#[on(…)]`.

use std::time::Duration;

use exo_rails_text::names::{distance, nearest};
use proc_macro2::TokenStream;
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::parse::{ParseStream, Parser};
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitStr, Meta, Path, Token, UnOp};

use super::model::{OnFault, Timeout, ToolName};
use crate::errors::{Errors, expected, shown};
use crate::options::{self, flag, list_of, literal, once, separator, skip_value, text, value, word};
use crate::paths::{EVENTS, Library, PAYLOADS};

/// The arguments of `#[rail(…)]`, such as `priority = 10, on = [PreToolCall, Start]`.
#[derive(Default)]
pub(super) struct Args {
    /// Any constant expression.
    pub priority: Option<Expr>,
    /// The events of a function. With the key, for errors about the list.
    pub on: Option<(Ident, Vec<Path>)>,
    /// The name of the rail, if it is not the name of the function or type.
    pub name: Option<LitStr>,
    /// The rails that this rail runs after, and the rails that it runs before.
    pub after: Vec<Path>,
    pub before: Vec<Path>,
    /// The tool set of the agent.
    pub tools: Option<Path>,
    pub library: Library,
    /// The options of a function. The options of a method are in its `#[on(…)]`.
    pub options: Options,
}

/// The options of a function or a method, besides its events. For example, `tool = "delete_file", needs = [Caller]`.
#[derive(Default)]
pub(super) struct Options {
    /// The only tool that the rail is called for.
    pub tool: Option<ToolName>,
    /// The values that the rail provides, and the values that it needs. With the keys, for errors about the lists.
    pub provides: Option<(Ident, Vec<Path>)>,
    pub needs: Option<(Ident, Vec<Path>)>,
    /// Whether the rail is called even if an earlier rail has stopped the event.
    pub always: Option<Ident>,
    /// The time limit of the rail, and the tokens that set it.
    pub timeout: Option<(Expr, Timeout)>,
    /// Whether a panic of the rail is a fault.
    pub on_panic: Option<LitStr>,
    /// The effect of a fault of the rail.
    pub on_fault: Option<(LitStr, OnFault)>,
    /// Whether the rail can run concurrently with other rails.
    pub concurrent: Option<Ident>,
    /// Whether the rail surrounds the operation that its event begins.
    pub around: Option<Ident>,
    /// The number of characters of a streamed answer that the rail must see together. With the key, for errors about the
    /// events.
    pub window: Option<(Ident, Expr)>,
    /// Whether these are the options of a method, in its `#[on(…)]`.
    pub of_method: bool,
    /// All keys, including the keys of wrong options.
    pub keys: Vec<Ident>,
    /// Whether an option is unknown or at the wrong place. The user may have meant it as an option that seems to be
    /// missing.
    pub unclear: bool,
}

impl Options {
    /// Returns `true` if the options name a tool, even a wrong one.
    pub(super) fn names_tool(&self) -> bool {
        self.unclear || self.keys.iter().any(|key| key == "tool")
    }
}

const KEYS: [&str; 17] = [
    "on",
    "priority",
    "name",
    "after",
    "before",
    "tool",
    "tools",
    "provides",
    "needs",
    "always",
    "timeout",
    "on_panic",
    "on_fault",
    "window",
    "concurrent",
    "around",
    "crate",
];

/// The options of a method.
const OPTIONS: [&str; 10] =
    ["tool", "provides", "needs", "always", "timeout", "on_panic", "on_fault", "window", "concurrent", "around"];

/// The options without a value.
const FLAGS: [&str; 3] = ["always", "concurrent", "around"];

/// The options whose value is a list.
const LISTS: [&str; 5] = ["on", "after", "before", "provides", "needs"];

/// Parses all arguments. A mistake in one argument does not hide a mistake in the next.
pub(super) fn parse(tokens: TokenStream, errors: &mut Errors) -> Args {
    let mut args = Args::default();
    let mut seen = Vec::new();
    let result = (|input: ParseStream<'_>| {
        while !input.is_empty() {
            let Some(key) = key(input, errors)? else { continue };
            once(&key, &mut seen, errors);
            argument(&mut args, &key, input, errors)?;
            separator(input, errors);
        }
        Ok(())
    })
    .parse2(tokens);
    errors.keep(result);
    args
}

/// Reads the name of the next argument. If there is something else, skips it and returns `None`.
fn key(input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<Option<Ident>> {
    if let Ok(key) = input.call(Ident::parse_any) {
        return Ok(Some(key));
    }
    if input.peek(Token![,]) {
        errors.push(input.error("there are two `,` between two arguments: leave one out"));
        input.parse::<Token![,]>()?;
        return Ok(None);
    }
    errors.push(input.error("an argument needs a name: write `#[rail(priority = 10, on = [PreToolCall])]`"));
    skip_value(input)?;
    input.parse::<Option<Token![,]>>()?;
    Ok(None)
}

fn argument(args: &mut Args, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    let name = key.to_string();
    if EVENTS.contains(&name.as_str()) {
        errors.at(key, format_args!("write the events of a rail in a list: `on = [{name}]`"));
        args.on = Some((key.clone(), Vec::new()));
        return skip_value(input);
    }
    if OPTIONS.contains(&name.as_str()) {
        return option(&mut args.options, key, input, errors);
    }
    if ["event", "events"].contains(&name.as_str()) {
        args.on = Some((key.clone(), Vec::new()));
        input.parse::<Option<Token![=]>>()?;
        let example = listed_example(&Ident::new("on", key.span()), value(input)?);
        errors.at(key, format_args!("`#[rail]` has no argument `{name}`; did you mean `on`? Write `{example}`"));
        return Ok(());
    }
    if !KEYS.contains(&name.as_str()) {
        errors.at(key, format_args!("`#[rail]` has no argument `{name}`; {}", expected(&name, &KEYS)));
        args.options.unclear = true;
        return skip_value(input);
    }
    if name == "on" {
        // Even a wrong list counts as a list, so a rail with a wrong list is not also reported as a rail without one.
        args.on = Some((key.clone(), Vec::new()));
    }
    if !has_value(key, input, errors)? {
        return Ok(());
    }
    let result = (|| {
        match name.as_str() {
            "priority" => args.priority = Some(priority(input.parse()?, errors)),
            "on" => args.on = Some((key.clone(), events(input, key, errors)?)),
            "name" => args.name = errors.keep(options::name(&input.parse()?, NAME)),
            "after" => args.after = rails(input, key, errors)?,
            "before" => args.before = rails(input, key, errors)?,
            "tools" => args.tools = Some(input.parse()?),
            _ => args.library = Library::at(input.call(Path::parse_mod_style)?),
        }
        Ok(())
    })();
    not_read(result, key, input, errors)
}

/// Reads an option that a method may have too.
fn option(options: &mut Options, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    options.keys.push(key.clone());
    if FLAGS.iter().any(|flag| key == flag) {
        let option = match key.to_string().as_str() {
            "always" => &mut options.always,
            "concurrent" => &mut options.concurrent,
            _ => &mut options.around,
        };
        *option = Some(key.clone());
        return flag(key, input, errors);
    }
    if !has_value(key, input, errors)? {
        return Ok(());
    }
    let result = (|| {
        match key.to_string().as_str() {
            "tool" => options.tool = errors.keep(tool(&input.parse()?)),
            "timeout" => options.timeout = errors.keep(timeout(input.parse()?)),
            "on_panic" => options.on_panic = errors.keep(on_panic(&input.parse()?)),
            "on_fault" => options.on_fault = errors.keep(on_fault(&input.parse()?)),
            "window" => options.window = errors.keep(window(input.parse()?)).map(|window| (key.clone(), window)),
            "provides" => options.provides = Some((key.clone(), values(input, key, errors)?)),
            _ => options.needs = Some((key.clone(), values(input, key, errors)?)),
        }
        Ok(())
    })();
    not_read(result, key, input, errors)
}

/// Returns `true` if an `=` and a value follow.
fn has_value(key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<bool> {
    if input.parse::<Token![=]>().is_ok() && !input.is_empty() && !input.peek(Token![,]) {
        return Ok(true);
    }
    let example = listed_example(key, value(input)?);
    errors.at(key, format_args!("`{key}` needs a value: `{example}`"));
    Ok(false)
}

/// Returns the correct form of a list, with the names that the user wrote.
fn listed_example(key: &Ident, written: TokenStream) -> String {
    let names = if key == "on" { meant(written) } else { options::names_in(written) };
    if names.is_empty() || !LISTS.iter().any(|list| key == list) {
        return example(&key.to_string()).to_owned();
    }
    format!("{key} = {}", list_of(&names))
}

/// Skips a value that cannot be read, so the arguments after it are still read.
fn not_read(result: syn::Result<()>, key: &Ident, input: ParseStream<'_>, errors: &mut Errors) -> syn::Result<()> {
    if let Err(error) = result {
        let message = format!("`{key}` cannot be read: write it like `{}`", example(&key.to_string()));
        errors.push(syn::Error::new(error.span(), message));
        skip_value(input)?;
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
        "tool" => "tool = \"delete_file\"",
        "tools" => "tools = SupportTools",
        "timeout" => "timeout = \"2s\"",
        "on_panic" => "on_panic = \"fault\"",
        "on_fault" => "on_fault = \"continue\"",
        "window" => "window = 64",
        "provides" => "provides = [RateLimitLeft]",
        "needs" => "needs = [RateLimitLeft]",
        _ => "crate = ::exo_rails",
    }
}

/// Reports mistakes in a literal. The type checker would report them in less clear words.
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
            errors.at(&expr, format_args!("`{written}` is not an integer: write a priority like `priority = 10`"));
        }
    }
    expr
}

const NAME: &str = "the name of a rail is a string that is not blank: write `name = \"my_rail\"`";

fn events(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let written = value(&input.fork())?;
    match options::paths(input)? {
        Some(Ok(events)) => Ok(distinct(events, key, errors)),
        Some(Err(error)) => {
            let message = "events are names of types, without quotes and with commas between them";
            errors.push(syn::Error::new(error.span(), format_args!("{message}: `on = {}`", list_of(&meant(written)))));
            Ok(Vec::new())
        }
        None => {
            let mut written = value(input)?;
            // `on = PreToolCall, PostToolCall`
            while input.peek(Token![,]) && input.peek2(Ident) && !input.peek3(Token![=]) && next_is_event(input) {
                written.extend(input.parse::<Token![,]>()?.to_token_stream());
                written.extend(value(input)?);
            }
            let list = list_of(&meant(written.clone()));
            errors.at(&written, format_args!("`on` takes a list of events: `on = {list}`"));
            Ok(Vec::new())
        }
    }
}

/// Returns `true` if an event follows the comma.
fn next_is_event(input: ParseStream<'_>) -> bool {
    let ahead = input.fork();
    ahead.parse::<Token![,]>().is_ok()
        && ahead.parse::<Ident>().is_ok_and(|name| EVENTS.iter().any(|event| name == event))
}

/// Returns the events that the user may have meant. The list is never empty, so a message can show it.
fn meant(written: TokenStream) -> Vec<Path> {
    let mut events: Vec<Path> = Vec::new();
    for name in options::names_in(written) {
        let Some(event) = meant_event(&name) else { continue };
        if !events.iter().any(|other| same_event(other, &event)) {
            events.push(event);
        }
    }
    if events.is_empty() { vec![syn::parse_quote!(PreToolCall)] } else { events }
}

/// Returns the event that the user may have meant with this name, if there is one.
fn meant_event(name: &Path) -> Option<Path> {
    let last = name.segments.last()?.ident.to_string();
    if let Some(event) = EVENTS.into_iter().find(|event| distance(event, &last) == Some(0)) {
        return syn::parse_str(if event == "Error" { "events::Error" } else { event }).ok();
    }
    let is_type = last.starts_with(char::is_uppercase);
    (is_type && !NO_EVENTS.contains(&&*last) && !PAYLOADS.contains(&&*last)).then(|| name.clone())
}

/// Names that users mistake for the type of the events.
const NO_EVENTS: [&str; 3] = ["Event", "Events", "HookPoint"];

/// Reads the rails in `after = [permission_check]`.
fn rails(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    list(input, key, ["rails", "at least one rail", "write the name of each rail, without quotes"], errors)
}

/// Reads the types in `needs = [RateLimitLeft]`. Each type may be given once.
pub(crate) fn values(input: ParseStream<'_>, key: &Ident, errors: &mut Errors) -> syn::Result<Vec<Path>> {
    let words = ["types", "at least one type", "write the type of each value, without quotes or `&`"];
    let values = list(input, key, words, errors)?;
    for (i, value) in values.iter().enumerate() {
        if values[..i].contains(value) {
            errors.at(value, format_args!("`{}` is listed twice: list it once", shown(value)));
        }
    }
    Ok(values)
}

/// Reads a list of paths. The texts describe the content of the list, its smallest length, and its form.
fn list(
    input: ParseStream<'_>,
    key: &Ident,
    [what, least, how]: [&str; 3],
    errors: &mut Errors,
) -> syn::Result<Vec<Path>> {
    let written = value(&input.fork())?;
    match options::paths(input)? {
        Some(Ok(paths)) if paths.is_empty() => {
            errors.at(key, format_args!("`{key}` needs {least}: write `{}`", example(&key.to_string())));
            Ok(paths)
        }
        Some(Ok(paths)) => Ok(paths),
        Some(Err(error)) => {
            errors.push(syn::Error::new(error.span(), format_args!("{how}: `{}`", listed_example(key, written))));
            Ok(Vec::new())
        }
        None => {
            let value = value(input)?;
            errors.at(value, format_args!("`{key}` takes a list of {what}: `{}`", listed_example(key, written)));
            Ok(Vec::new())
        }
    }
}

fn tool(expr: &Expr) -> syn::Result<ToolName> {
    if let Expr::Path(path) = options::ungrouped(expr) {
        let last = path.path.segments.last().map(|last| last.ident.to_string()).unwrap_or_default();
        if !last.contains(char::is_lowercase) {
            return Ok(ToolName::Constant(path.clone()));
        }
        if last.starts_with(char::is_uppercase) {
            let ty = shown(path);
            let message = format!("`{ty}` is a type, not the name of its tool: write `tool = {ty}::NAME`");
            return Err(syn::Error::new_spanned(expr, message));
        }
    }
    let message =
        "`tool` takes the name of one tool: write `tool = \"delete_file\"`, or a constant like `DeleteFile::NAME`";
    let name = literal(expr, message)?;
    if name.value().is_empty() || name.value().contains(char::is_whitespace) {
        return Err(syn::Error::new_spanned(expr, "the name of a tool cannot be empty or have spaces in it"));
    }
    Ok(ToolName::Text(name))
}

const TIMEOUT: &str = "a timeout is a string with a unit, or a `Duration`: write `timeout = \"2s\"`, `\"500ms\"`, `\"1m\"`, or a value \
                       like `self.limit`";

fn timeout(expr: Expr) -> syn::Result<(Expr, Timeout)> {
    let Some(limit) = text(&expr) else {
        return if is_literal(&expr) {
            Err(syn::Error::new_spanned(expr, TIMEOUT))
        } else {
            Ok((expr.clone(), Timeout::Expr(Box::new(expr))))
        };
    };
    let written = limit.value();
    let unit = written.trim_start_matches(|char: char| char.is_ascii_digit());
    let count = written[..written.len() - unit.len()].parse::<u32>();
    let each = match unit.trim() {
        "ms" => Duration::from_millis(1),
        "s" => Duration::from_secs(1),
        "m" => Duration::from_mins(1),
        _ => Duration::ZERO,
    };
    match count.ok().and_then(|count| each.checked_mul(count)) {
        Some(time) if !time.is_zero() => Ok((expr, Timeout::Literal(time))),
        Some(_) if !each.is_zero() => {
            Err(syn::Error::new_spanned(limit, "the timeout is zero: write a longer time, like `timeout = \"2s\"`"))
        }
        _ => Err(syn::Error::new_spanned(limit, TIMEOUT)),
    }
}

/// Returns `true` for a literal such as a number, with or without a sign. The macro checks literals, and the compiler
/// checks all other values.
fn is_literal(expr: &Expr) -> bool {
    match options::ungrouped(expr) {
        Expr::Unary(unary) => is_literal(&unary.expr),
        other => matches!(other, Expr::Lit(_)),
    }
}

fn on_panic(expr: &Expr) -> syn::Result<LitStr> {
    let message = "`on_panic` has only one value: write `on_panic = \"fault\"`, or leave it out to let panics unwind";
    let word = literal(expr, message)?;
    if word.value() == "fault" { Ok(word) } else { Err(syn::Error::new_spanned(word, message)) }
}

fn on_fault(expr: &Expr) -> syn::Result<(LitStr, OnFault)> {
    let words = [("abort", OnFault::Abort), ("skip", OnFault::Skip), ("continue", OnFault::Continue)];
    let what = "`on_fault` takes a string: write `on_fault = \"abort\"`, `\"skip\"` or `\"continue\"`";
    word(expr, &words, what, "`on_fault` has no value")
}

/// Reads the window: a number of characters, or the whole answer.
fn window(expr: Expr) -> syn::Result<Expr> {
    if let Expr::Lit(ExprLit { lit: Lit::Int(number), .. }) = options::ungrouped(&expr)
        && matches!(number.suffix(), "" | "usize")
        && number.base10_parse::<usize>().is_ok_and(|number| number > 0)
    {
        return Ok(expr);
    }
    if text(&expr).is_some_and(|text| text.value() == "all") {
        return Ok(syn::parse_quote!(::core::primitive::usize::MAX));
    }
    if is_literal(&expr) {
        let message =
            "a window is a number of characters: write `window = 64`, `\"all\"`, or a `usize` like `self.longest`";
        return Err(syn::Error::new_spanned(expr, message));
    }
    Ok(expr)
}

/// Reads the events in `#[on(PreToolCall, Start)]`, and the options after them.
pub(super) fn on(attr: &Attribute, options: &mut Options, errors: &mut Errors) -> Vec<Path> {
    let mut events = Vec::new();
    let parse = |input: ParseStream<'_>| {
        while !input.is_empty() {
            on_argument(&mut events, options, input, errors)?;
            separator(input, errors);
        }
        Ok(())
    };
    let result = attr.parse_args_with(parse);
    match (result, &attr.meta) {
        // The user may have meant the unclear argument as the event.
        (Ok(()), _) if events.is_empty() && options.unclear => events,
        (Ok(()), _) => distinct(events, attr, errors),
        (Err(error), Meta::List(_)) => {
            let message = "events are names of types, without quotes or brackets and with commas between them";
            let events = attr.parse_args_with(events_of_method).unwrap_or_default();
            let events = list_of(&meant(events)).replace(['[', ']'], "");
            errors.push(syn::Error::new(error.span(), format_args!("{message}: `#[on({events})]`")));
            Vec::new()
        }
        (Err(_), _) => {
            errors.at(attr, "`#[on]` needs the events of the method: write `#[on(PreToolCall)]`");
            Vec::new()
        }
    }
}

/// Reads the content of `#[on(…)]` without its options.
fn events_of_method(input: ParseStream<'_>) -> syn::Result<TokenStream> {
    let mut events = TokenStream::new();
    while !input.is_empty() {
        let is_option = input.peek(Ident) && input.peek2(Token![=]);
        let value = value(input)?;
        events.extend((!is_option).then_some(value));
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(events)
}

fn on_argument(
    events: &mut Vec<Path>,
    options: &mut Options,
    input: ParseStream<'_>,
    errors: &mut Errors,
) -> syn::Result<()> {
    let flag = input.peek(Ident) && !input.peek2(Token![::]) && {
        let name = input.fork().parse::<Ident>()?;
        FLAGS.iter().any(|flag| name == flag)
    };
    if !flag && !input.peek2(Token![=]) {
        events.push(input.parse()?);
        // Between two names, the comma is missing.
        let ends = input.is_empty() || input.peek(Token![,]) || input.peek(Ident);
        return if ends { Ok(()) } else { Err(input.error("`,`")) };
    }
    let key = input.call(Ident::parse_any)?;
    if OPTIONS.contains(&key.to_string().as_str()) {
        if options.keys.contains(&key) {
            errors.at(&key, format_args!("`{key}` is given twice: keep one of them"));
        }
        return option(options, &key, input, errors);
    }
    let name = key.to_string();
    let message = match name.as_str() {
        "on" => "write the events of a method without `on =`: `#[on(PreToolCall)]`".to_owned(),
        name if KEYS.contains(&name) => {
            format!("`{name}` is an option of the whole rail: write it in the `#[rail(…)]` above the `impl` block")
        }
        name => format!("`#[on]` has no option `{name}`; {}", expected(name, &OPTIONS)),
    };
    errors.at(&key, message);
    options.unclear = true;
    skip_value(input)
}

/// Reports an empty list of events, and events that are listed twice.
fn distinct(events: Vec<Path>, list: impl ToTokens, errors: &mut Errors) -> Vec<Path> {
    if events.is_empty() {
        errors.at(list, "this list has no events: write at least one, like `PreToolCall`");
    }
    for (i, event) in events.iter().enumerate() {
        if let Some(message) = known_mistake(event) {
            errors.at(event, message);
        }
        if events[..i].iter().any(|other| same_event(other, event)) {
            errors.at(event, format_args!("the event `{}` is listed twice: list it once", shown(event)));
        }
    }
    events
}

/// Returns `true` if two paths name one event. A path whose last name is that of a library event counts as this event.
pub(crate) fn same_event(one: &Path, two: &Path) -> bool {
    let name = |path: &Path| path.segments.last().map(|segment| segment.ident.to_string());
    one == two || (name(one) == name(two) && name(one).is_some_and(|name| EVENTS.contains(&&*name)))
}

/// Reports an event that seems to be mistyped, if the attribute has other mistakes. With these, the compiler does not
/// report unknown names.
pub(super) fn mistyped(event: &Path, errors: &mut Errors) {
    let Some(name) = event.segments.last().map(|last| last.ident.to_string()) else { return };
    if known_mistake(event).is_some() || EVENTS.contains(&&*name) {
        return;
    }
    // A name with three different letters is another name: `MemoriesRecalled` may be a custom event.
    let is_near = |event: &&str| distance(event, &name).is_some_and(|distance| distance <= (event.len() / 4).min(2));
    if let Some(meant) = nearest(&name, &EVENTS).filter(is_near) {
        errors.at(event, format_args!("`{name}` is not an event of the library: did you mean `{meant}`?"));
    }
}

/// Returns the message for a frequent mistake in the place of an event. The compiler reports all other types that are not
/// events.
fn known_mistake(event: &Path) -> Option<String> {
    let mut names = event.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (name, before) = (names.next().unwrap_or_default(), names.next().unwrap_or_default());
    let itself = meant_event(event).as_ref().map(shown).unwrap_or_default();
    if PAYLOADS.contains(&&*name) {
        let message = "is a payload, not an event: write the event, like `PreToolCall`";
        return Some(format!("`{name}` {message}"));
    }
    if before == "HookPoint" {
        let message = "is a value for run time, not the type of an event: write";
        return Some(format!("`{}` {message} `{itself}`", shown(event)));
    }
    let of_a_type = EVENTS.contains(&&*name) && before.starts_with(char::is_uppercase);
    if NO_EVENTS.contains(&&*before) || of_a_type {
        return Some(format!("each event is its own type, not a part of `{before}`: write `{itself}`"));
    }
    if NO_EVENTS.contains(&&*name) {
        return Some(format!("`{name}` is not an event: write the events, like `PreToolCall`"));
    }
    if let Some(flag) = FLAGS.iter().find(|flag| event.is_ident(flag)) {
        return Some(format!("`{flag}` is not an event: write it after the list, `on = [PreToolCall], {flag}`"));
    }
    let meant = EVENTS.iter().find(|event| **event != name && distance(event, &name) == Some(0));
    meant.map(|meant| format!("there is no event `{name}`: did you mean `{meant}`?"))
}
