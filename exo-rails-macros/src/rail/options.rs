//! What a function or method asks for beside parts of its events: a tool and its arguments, values of other rails, to be
//! always called.

use quote::ToTokens;
use syn::{GenericArgument, Ident, Path, PathArguments, Type};

use super::args::Options;
use super::check::{Param, Source, ends_with, is_mutable, target};
use crate::errors::{Errors, shown};

/// Where a parameter of this type comes from.
pub(super) fn source(ty: &Type, options: &Options) -> Source {
    if !matches!(ty, Type::Reference(_)) {
        return Source::Event;
    }
    if is_whole(ty) {
        return Source::Whole;
    }
    if ends_with(target(ty), "Args") {
        return args_of(target(ty)).map_or(Source::Event, |args| Source::Args(Box::new(args.clone())));
    }
    let needs = options.needs.iter().flat_map(|(_, needs)| needs);
    let is_value = needs.into_iter().any(|value| is_of(value, target(ty)));
    if is_value { Source::Value } else { Source::Event }
}

fn is_whole(ty: &Type) -> bool {
    !is_mutable(ty) && ends_with(target(ty), "Inputs")
}

/// The `DeleteFile` of `Args<DeleteFile>`.
fn args_of(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let PathArguments::AngleBracketed(list) = &path.path.segments.last()?.arguments else { return None };
    match list.args.first()? {
        GenericArgument::Type(args) => Some(args),
        _ => None,
    }
}

/// Whether a type is the one that is listed, which may be written with more or less of its path.
fn is_of(listed: &Path, ty: &Type) -> bool {
    let Type::Path(ty) = ty else { return false };
    let last = |path: &Path| path.segments.last().map(|segment| segment.to_token_stream().to_string());
    last(listed) == last(&ty.path)
}

/// Holds the options of a rail against its parameters, and against each other.
pub(super) fn check(options: &Options, rail: &Ident, params: &[Param], errors: &mut Errors) {
    tool(options, params, errors);
    whole(params, errors);
    values(options, rail, params, errors);
    if options.always.is_some() {
        always(options, params, errors);
    }
}

/// The arguments of a tool are those of one tool.
fn tool(options: &Options, params: &[Param], errors: &mut Errors) {
    let has_tool = options.keys.iter().any(|key| key == "tool");
    for param in params.iter().filter(|param| ends_with(target(&param.ty), "Args")) {
        let what = shown(target(&param.ty));
        match &param.source {
            Source::Args(_) if has_tool => {}
            Source::Args(_) => errors.at(
                &param.ty,
                format_args!(
                    "`{what}` are the arguments of one tool: name it in the attribute, `tool = \"delete_file\"`"
                ),
            ),
            // Behind no reference, that has been said.
            _ if matches!(param.ty, Type::Reference(_)) => {
                errors.at(&param.ty, "`Args` has the type of the arguments in it: `&Args<DeleteFile>`");
            }
            _ => {}
        }
    }
    let mut args = params.iter().filter(|param| matches!(param.source, Source::Args(_)));
    let (first, second) = (args.next(), args.next());
    if let Some(second) = second {
        errors.at(&second.ty, "a rail is for one tool: take the arguments once");
    }
    let call = params.iter().find(|param| is_mutable(&param.ty) && ends_with(target(&param.ty), "ToolCallInputs"));
    if let (Some(first), Some(call)) = (first, call)
        && is_mutable(&first.ty)
    {
        let what = shown(target(&first.ty));
        errors.at(&call.ty, format_args!("`&mut {what}` changes the call already: take `&ToolCallInputs` beside it"));
    }
}

/// `&Inputs<'_>` is all that the event carries.
fn whole(params: &[Param], errors: &mut Errors) {
    if !params.iter().any(|param| matches!(param.source, Source::Whole)) {
        return;
    }
    let parts = params.iter().filter(|param| matches!(param.source, Source::Event));
    for part in parts.filter(|param| !ends_with(target(&param.ty), "RailContext")) {
        let what = shown(target(&part.ty));
        errors.at(&part.ty, format_args!("`&Inputs<'_>` is all that the event carries: leave out `{what}`"));
    }
}

/// What a rail needs it takes, and by `&`; and what it hands on is there whenever the rails after it are called.
fn values(options: &Options, rail: &Ident, params: &[Param], errors: &mut Errors) {
    for value in options.needs.iter().flat_map(|(_, needs)| needs) {
        let (name, taken) = (shown(value), params.iter().find(|param| is_of(value, target(&param.ty))));
        match taken {
            None => errors.at(
                value,
                format_args!("`{rail}` needs `{name}`, but does not take it: give it a parameter `&{name}`"),
            ),
            Some(param) if is_mutable(&param.ty) => {
                errors.at(&param.ty, format_args!("a value of another rail is to be read: take `&{name}`"));
            }
            Some(_) => {}
        }
    }
    let Some((key, provides)) = &options.provides else { return };
    if options.tool.is_some() {
        errors.at(
            key,
            "a rail for one tool hands on nothing, because it is not called for the others: leave out `tool`, and look at `call.tool_name`",
        );
    }
    if provides.len() > MOST_VALUES {
        errors.at(key, format_args!("a rail provides {MOST_VALUES} values at the most: put them into one struct"));
    }
}

/// The longest tuple of values that the library knows.
const MOST_VALUES: usize = 6;

/// A rail that is always called observes, and needs nothing of rails that may not have been called.
fn always(options: &Options, params: &[Param], errors: &mut Errors) {
    for param in params {
        let what = shown(target(&param.ty));
        if !matches!(param.ty, Type::Reference(_)) && ends_with(&param.ty, "Inputs") {
            errors.at(&param.ty, "a rail with `always` observes: take `&Inputs<'_>`");
        } else if is_mutable(&param.ty) && !ends_with(target(&param.ty), "RailContext") {
            errors.at(&param.ty, format_args!("a rail with `always` observes: take `&{what}`"));
        }
    }
    if let Some((key, needs)) = &options.needs {
        let name = needs.first().map(shown).unwrap_or_default();
        let advice = format!("take `&RailContext`, and ask `ctx.provided::<{name}>()`, an `Option`");
        errors.at(
            key,
            format_args!("a rail with `always` is called also when the rail that provides `{name}` was not: {advice}"),
        );
    }
    if let Some((key, _)) = &options.provides {
        errors.at(key, "a rail with `always` observes, so others cannot need what it provides: leave out `always`");
    }
}
