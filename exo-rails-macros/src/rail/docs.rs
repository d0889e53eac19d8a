//! Writes the documentation of a rail, for users of other crates who list the rail.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, GenericArgument, Path, PathArguments, Type};

use super::model::{Handler, OnFault, Rail, ToolName};
use crate::errors::shown;

/// Writes the doc attribute with the name, the priority and the order of the rail, and with a row for each function or
/// method.
pub(super) fn docs(rail: &Rail) -> TokenStream {
    let orders = [("after", &rail.after), ("before", &rail.before)].into_iter().filter(|(_, rails)| !rails.is_empty());
    let orders: Vec<_> = orders.map(|(relation, rails)| format!(", runs {relation} {}", list(rails))).collect();
    let orders = orders.concat();
    let table = table(&rail.handlers);
    let text =
        format!("# Rail\n\nName `{}`, priority {}{orders}.\n\n{table}", rail.name, priority(rail.priority.as_ref()));
    quote!(#[doc = ""] #[doc = #text])
}

/// Writes the table of events and behaviour. The table has no empty columns.
fn table(handlers: &[Handler]) -> String {
    type Column = (&'static str, fn(&Handler) -> String);
    let columns: [Column; 5] = [
        ("events", |handler| {
            let always = if handler.always { ", also after a rail has stopped them" } else { "" };
            let around = if handler.around.is_some() { "around the operation after " } else { "" };
            format!("{around}{}{always}", list(&handler.events))
        }),
        ("tool", |handler| handler.tool.as_ref().map(tool).unwrap_or_default()),
        ("provides", |handler| list(&handler.provides)),
        ("needs", |handler| list(&handler.needs)),
        ("a fault", |handler| fault(handler).to_owned()),
    ];
    let columns = columns.into_iter().map(|(title, cell)| (title, handlers.iter().map(cell).collect::<Vec<_>>()));
    let columns: Vec<_> = columns.filter(|(_, cells)| cells.iter().any(|cell| !cell.is_empty())).collect();
    let row = |cells: Vec<&str>| format!("| {} |\n", cells.join(" | "));
    let head = row(columns.iter().map(|(title, _)| *title).collect());
    let line = row(columns.iter().map(|_| "---").collect());
    let rows = (0..handlers.len()).map(|i| row(columns.iter().map(|(_, cells)| &*cells[i]).collect()));
    [head, line].into_iter().chain(rows).collect()
}

fn tool(tool: &ToolName) -> String {
    match tool {
        ToolName::Text(name) => format!("`{}`", name.value()),
        ToolName::Constant(constant) => format!("`{}`", shown(constant)),
        ToolName::OfArgs(args) => format!("`{}`", shown(args)),
    }
}

fn priority(priority: Option<&Expr>) -> String {
    priority.map_or_else(|| "50".to_owned(), |priority| format!("`{}`", priority.to_token_stream()))
}

fn list(paths: &[Path]) -> String {
    paths.iter().map(|path| format!("`{}`", shown(path))).collect::<Vec<_>>().join(", ")
}

/// Describes the effect of a fault, as far as the attribute and the return type show it. An alias can be any type.
fn fault(handler: &Handler) -> &'static str {
    if handler.around.is_some() {
        return "fails the operation";
    }
    match &handler.on_fault {
        Some((_, OnFault::Abort)) => return "ends the run",
        Some((_, OnFault::Skip)) => return "skips",
        Some((_, OnFault::Continue)) => return "is reported",
        None => {}
    }
    let decides = decides(&handler.output);
    if handler.always || decides == Some(false) && !handler.rewrites() && handler.provides.is_empty() {
        "is reported"
    } else if decides == Some(true) || handler.rewrites() || !handler.provides.is_empty() {
        "ends the run"
    } else {
        "ends the run if the rail decides"
    }
}

/// Returns whether a rail with this return type decides. Returns `None` if the type does not show it.
fn decides(output: &Type) -> Option<bool> {
    let path = match output {
        Type::Tuple(tuple) if tuple.elems.is_empty() => return Some(false),
        Type::Path(path) => &path.path,
        _ => return None,
    };
    let last = path.segments.last()?;
    match last.ident.to_string().as_str() {
        "Verdict" | "RailAction" | "Provide" => Some(true),
        "Result" | "Option" => match &last.arguments {
            PathArguments::AngleBracketed(arguments) => arguments.args.iter().find_map(|argument| match argument {
                GenericArgument::Type(inner) => Some(decides(inner)),
                _ => None,
            })?,
            _ => None,
        },
        _ => None,
    }
}
