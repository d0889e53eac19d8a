//! The rules for a tool set that the macro can check.

use syn::{Ident, Type};

use super::parse::{Set, Tool};
use crate::errors::{Errors, refuse_cfg, shown};

pub(super) fn tools(set: &Set, errors: &mut Errors) {
    refuse_cfg(&set.attrs, "`tools!` makes more than the struct: write the `#[cfg]` above `tools!`", errors);
    if !set.generics.params.is_empty() {
        errors.at(
            &set.generics,
            "a set of tools cannot have generic parameters, because the names of its tools are constants",
        );
    }
    let advice = "a tool of a set cannot have a `#[cfg]`: write two sets, each with a `#[cfg]` above its `tools!`";
    for tool in &set.tools {
        refuse_cfg(&tool.attrs, advice, errors);
    }
    distinct(&set.tools, errors);
}

/// Reports two fields of one name, a tool that is listed twice under one name of its type, and a field of the type
/// `ToolFor`. If a tool is listed under two names of its type, the compiler reports it.
fn distinct(tools: &[Tool], errors: &mut Errors) {
    let (mut fields, mut types): (Vec<&Ident>, Vec<&Type>) = (Vec::new(), Vec::new());
    for Tool { ident, ty, .. } in tools {
        if fields.contains(&ident) {
            errors.at(ident, format_args!("the set has two fields with the name `{ident}`: rename one"));
        }
        if types.contains(&ty) {
            errors.at(ty, format_args!("the set lists the tool `{}` twice: list it once", shown(ty)));
        } else if let Some(args) = tool_for(ty) {
            errors.at(ty, format_args!("a set of tools lists only the type of the arguments: write `{}`", shown(args)));
        }
        fields.push(ident);
        types.push(ty);
    }
}

/// Returns the arguments in `ToolFor<Search>`, which is the type that the field gets.
fn tool_for(ty: &Type) -> Option<&Type> {
    let Type::Path(path) = ty else { return None };
    let last = path.path.segments.last().filter(|segment| segment.ident == "ToolFor")?;
    match &last.arguments {
        syn::PathArguments::AngleBracketed(args) => args.args.iter().find_map(|arg| match arg {
            syn::GenericArgument::Type(ty) => Some(ty),
            _ => None,
        }),
        _ => None,
    }
}
