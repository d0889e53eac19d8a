//! Checks the options with which a function or a method asks for more than parts of its events. Examples are a tool with
//! its arguments, values of other rails, and `always`.

use quote::ToTokens;
use syn::{GenericArgument, Ident, Path, PathArguments, ReturnType, Signature, Type};

use super::args::Options;
use super::model::{OnFault, Param, Source, Timeout, ToolName, ends_with, idents, is_chunk, is_mutable, target};
use crate::errors::{Errors, shown};

/// Returns the source of a parameter of this type.
pub(super) fn source(ty: &Type, options: &Options) -> Source {
    if !matches!(ty, Type::Reference(_)) {
        return Source::Event;
    }
    if is_whole(ty) {
        return Source::Whole;
    }
    if ends_with(target(ty), "Args") {
        return argument(target(ty), "Args").map_or(Source::Event, |args| Source::Args(Box::new(args.clone())));
    }
    listed(target(ty), options).map_or(Source::Event, |value| Source::Value(Box::new(value.clone())))
}

/// Returns the needed value with this type, as the user listed it. The two paths may have different lengths.
fn listed<'o>(ty: &Type, options: &'o Options) -> Option<&'o Path> {
    let Type::Path(ty) = ty else { return None };
    let needs = || options.needs.iter().flat_map(|(_, needs)| needs);
    let last = |path: &Path| path.segments.last().map(|segment| segment.to_token_stream().to_string());
    needs().find(|value| **value == ty.path).or_else(|| needs().find(|value| last(value) == last(&ty.path)))
}

/// Returns the type that a parameter asks for: the type in a reference or in an `Option`, or the type itself.
fn asked(ty: &Type) -> &Type {
    argument(ty, "Option").map_or_else(|| target(ty), target)
}

/// Reports a parameter that is wrong by itself, if it asks for more than a part of the event. Returns `true` if the
/// mistake is reported.
pub(super) fn reported(ty: &Type, options: &Options, errors: &mut Errors) -> bool {
    let (optional, what) = (argument(ty, "Option").is_some(), shown(asked(ty)));
    let borrowed = matches!(ty, Type::Reference(_));
    let message = match listed(asked(ty), options) {
        Some(_) if optional => format!("a rail always receives the value that it needs: take `&{what}`"),
        Some(_) if !borrowed => format!("a rail can only read a value of another rail: take `&{what}`"),
        None if optional && ends_with(asked(ty), "Args") => {
            format!("the rail always receives the arguments: take `&{what}`, or `&mut {what}` to change them")
        }
        None if options.always.is_some() && ends_with(target(ty), "Inputs") => {
            if borrowed && !is_mutable(ty) {
                return true;
            }
            "a rail with `always` only observes: take `&Inputs<'_>`".to_owned()
        }
        None if options.always.is_some() && matches!(ty, Type::Path(_)) && !optional => {
            format!("a rail borrows the payload: write `&{what}`")
        }
        _ => return false,
    };
    errors.at(ty, message);
    true
}

fn is_whole(ty: &Type) -> bool {
    !is_mutable(ty) && ends_with(target(ty), "Inputs")
}

/// Returns the `DeleteFile` of `Args<DeleteFile>`, if the type is `Args`.
fn argument<'t>(ty: &'t Type, of: &str) -> Option<&'t Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == of)?;
    let PathArguments::AngleBracketed(inside) = &last.arguments else { return None };
    match inside.args.first()? {
        GenericArgument::Type(args) => Some(args),
        _ => None,
    }
}

/// Checks the options of a rail against its parameters, and against each other.
pub(super) fn check(options: &Options, sig: &Signature, params: &[Param], errors: &mut Errors) {
    tool(params, errors);
    whole(params, errors);
    needs(options, &sig.ident, params, errors);
    provides(options, sig, errors);
    faults(options, sig, errors);
    if options.always.is_some() {
        always(options, params, errors);
    }
    if let Some(key) = &options.concurrent {
        concurrent(key, options, params, errors);
    }
}

/// Returns the tool of a rail that takes the arguments of a tool and does not name the tool.
pub(super) fn tool_of_args(params: &[Param]) -> Option<ToolName> {
    params.iter().find_map(|param| match &param.source {
        Source::Args(args) => Some(ToolName::OfArgs(args.clone())),
        _ => None,
    })
}

/// Reports options with `self` on a function, which has no `self`.
pub(super) fn of_a_function(options: &Options, errors: &mut Errors) {
    let timeout = options.timeout.as_ref().filter(|(_, timeout)| matches!(timeout, Timeout::Expr(_)));
    let timeout = timeout.map(|(expr, _)| (expr, "timeout = LIMIT"));
    let window = options.window.as_ref().map(|(_, expr)| (expr, "window = LONGEST"));
    for (expr, constant) in timeout.into_iter().chain(window) {
        if let Some(name) = idents(expr.to_token_stream()).iter().find(|name| **name == "self") {
            errors.at(
                name,
                format_args!(
                    "a function has no `self`: write a constant, `{constant}`, or make the rail a type with a field"
                ),
            );
        }
    }
}

/// Reports mistakes in the parameters of a rail for a tool: `Args` without a type, arguments of several tools, and a
/// second parameter that changes the call.
fn tool(params: &[Param], errors: &mut Errors) {
    for param in params.iter().filter(|param| ends_with(target(&param.ty), "Args")) {
        match &param.source {
            // For a type without a reference, another check has reported the mistake.
            Source::Event if matches!(param.ty, Type::Reference(_)) => {
                errors.at(&param.ty, "`Args` needs the type of the arguments: write `&Args<DeleteFile>`");
            }
            _ => {}
        }
    }
    let mut args = params.iter().filter(|param| matches!(param.source, Source::Args(_)));
    let (first, second) = (args.next(), args.next());
    // For two parameters of one type, another check has reported the mistake.
    if let (Some(first), Some(second)) = (first, second)
        && target(&first.ty) != target(&second.ty)
    {
        errors.at(&second.ty, "a rail is for one tool: take the arguments of one tool");
    }
    let call = params.iter().find(|param| is_mutable(&param.ty) && ends_with(target(&param.ty), "ToolCallInputs"));
    if let (Some(first), Some(call)) = (first, call)
        && is_mutable(&first.ty)
    {
        let what = shown(target(&first.ty));
        errors.at(&call.ty, format_args!("`&mut {what}` already changes the call: take `&ToolCallInputs` beside it"));
    }
}

/// Reports parts of the payload beside `&Inputs<'_>`, which has the whole payload.
fn whole(params: &[Param], errors: &mut Errors) {
    if !params.iter().any(|param| matches!(param.source, Source::Whole)) {
        return;
    }
    let parts = params.iter().filter(|param| matches!(param.source, Source::Event));
    for part in parts.filter(|param| !ends_with(target(&param.ty), "RailContext")) {
        let what = shown(target(&part.ty));
        errors.at(&part.ty, format_args!("`&Inputs<'_>` has the whole payload: leave out `{what}`"));
    }
}

/// Reports a needed value that the rail does not take by `&`.
fn needs(options: &Options, rail: &Ident, params: &[Param], errors: &mut Errors) {
    for value in options.needs.iter().flat_map(|(_, needs)| needs) {
        let (name, taken) =
            (shown(value), params.iter().find(|param| listed(asked(&param.ty), options) == Some(value)));
        match taken {
            None => errors
                .at(value, format_args!("`{rail}` needs `{name}`, but does not take it: add a parameter `&{name}`")),
            Some(param) if is_mutable(&param.ty) => {
                errors.at(&param.ty, format_args!("a rail can only read a value of another rail: take `&{name}`"));
            }
            Some(_) => {}
        }
    }
}

/// Reports a rail that provides values but returns nothing, and a rail for one tool that provides values.
fn provides(options: &Options, sig: &Signature, errors: &mut Errors) {
    let Some((key, provides)) = &options.provides else { return };
    if let (ReturnType::Default, false) = (&sig.output, provides.is_empty()) {
        let what = provides.iter().map(shown).collect::<Vec<_>>().join(", ");
        let what = if provides.len() > 1 { format!("({what})") } else { what };
        errors
            .at(&sig.ident, format_args!("`{}` provides `{what}`, but returns nothing: write `-> {what}`", sig.ident));
    }
    if let Some(tool) = &options.tool {
        let advice = if matches!(tool, ToolName::OfArgs(_)) { "take `&ToolCallInputs`" } else { "leave out `tool`" };
        errors.at(
            key,
            format_args!(
                "a rail for one tool cannot provide values, because the chain does not call it for other tools: {advice}, and compare `call.tool_name`"
            ),
        );
    }
}

/// Reports a timeout on a function that does not wait, and faults that may not lose the values of the rail.
fn faults(options: &Options, sig: &Signature, errors: &mut Errors) {
    if let Some((text, _)) = &options.timeout
        && sig.asyncness.is_none()
    {
        errors.at(
            text,
            format_args!("`{}` cannot have a timeout, because it does not wait: write an `async fn`", sig.ident),
        );
    }
    let Some((text, on_fault)) = &options.on_fault else { return };
    if options.provides.is_some() && *on_fault == OnFault::Continue {
        errors.at(
            text,
            "the run cannot continue after a fault of this rail, because later rails need its values: leave this out",
        );
    }
    if options.always.is_some() && *on_fault != OnFault::Continue {
        errors.at(text, "a fault of a rail with `always` cannot stop the run: leave this out");
    }
}

/// Reports a window on a rail without `LlmChunk`.
pub(super) fn window(options: &Options, events: &[Path], errors: &mut Errors) {
    if let Some((key, _)) = &options.window
        && !events.iter().any(is_chunk)
    {
        errors.at(key, "only a rail on `LlmChunk` has a window: leave this out");
    }
}

/// Reports the parameters and options that a concurrent rail cannot have. Such a rail only reads the payload, and rails
/// of one event that run concurrently cannot provide values to each other.
fn concurrent(key: &Ident, options: &Options, params: &[Param], errors: &mut Errors) {
    for param in params.iter().filter(|param| !matches!(param.source, Source::Args(_))) {
        let what = shown(target(&param.ty));
        if ends_with(target(&param.ty), "Inputs") {
            errors.at(&param.ty, "a rail with `concurrent` cannot take `Inputs`: take a part, like `&ToolCallInputs`");
        } else if is_mutable(&param.ty) {
            errors.at(&param.ty, format_args!("a rail with `concurrent` only reads: take `&{what}`"));
        }
    }
    let others = [
        (options.tool.is_some(), if options.names_tool() { "tool" } else { "Args" }),
        (options.provides.is_some(), "provides"),
        (options.always.is_some(), "always"),
    ];
    for (_, other) in others.iter().filter(|(given, _)| *given) {
        errors.at(key, format_args!("a rail cannot have both `{other}` and `concurrent`: leave out one of the two"));
    }
    if let Some((key, needs)) = &options.needs {
        let name = needs.first().map(shown).unwrap_or_default();
        let advice = format!("take `&RailContext`, and call `ctx.provided::<{name}>()`, which returns an `Option`");
        errors.at(key, format_args!("a concurrent rail cannot wait for `{name}` of another rail: {advice}"));
    }
}

/// Reports the parameters and options that a rail with `always` cannot have. Such a rail only observes, and the rails
/// whose values it would need may not have been called.
fn always(options: &Options, params: &[Param], errors: &mut Errors) {
    for param in params {
        let what = shown(target(&param.ty));
        if is_mutable(&param.ty) && !["RailContext", "Inputs"].iter().any(|name| ends_with(target(&param.ty), name)) {
            errors.at(&param.ty, format_args!("a rail with `always` only observes: take `&{what}`"));
        }
    }
    for args in params.iter().filter(|param| matches!(param.source, Source::Args(_))) {
        errors.at(
            &args.ty,
            "the chain calls a rail with `always` even if the arguments do not fit: take `&ToolCallInputs`, and call `Args::of(call)`",
        );
    }
    if let Some((key, needs)) = &options.needs {
        let name = needs.first().map(shown).unwrap_or_default();
        let advice = format!("take `&RailContext`, and call `ctx.provided::<{name}>()`, which returns an `Option`");
        errors
            .at(key, format_args!("the chain calls a rail with `always` even if no rail provided `{name}`: {advice}"));
    }
    if let Some((key, _)) = &options.provides {
        errors.at(key, "a rail with `always` only observes, so it cannot provide values: leave out `always`");
    }
}
