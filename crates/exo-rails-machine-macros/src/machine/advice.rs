//! What to write in Rust for a mistake that the checks of the language have found.

use exo_rails_dygram::Diagnostic;

/// Returns the message of a mistake, with advice in the words of `machine!`.
pub(super) fn advice(found: &Diagnostic) -> String {
    if found.code == "unreachable" {
        let node = found.message.split('`').nth(1).unwrap_or_default();
        return format!("{}: write `-> {node};` in a node that is reached", found.message);
    }
    let advice = match found.code {
        "no-way-out" => "write an edge such as `-> Done;`, with `end Done;`",
        "end-leads-on" => "remove the edge, or write `state` instead of `end`",
        "ambiguous-auto" => "give the first one a condition, such as `when order.total < 100.0`, or remove `@auto`",
        "no-fallback" => "write an edge without `when` after the others",
        "duplicate-edge" => "remove one of the two",
        "endless" => "give one of the edges a condition, and its node another edge",
        // The advice is about the text of the prompt. A similar name is better.
        "unknown-field" if !found.help.as_ref().is_some_and(|help| help.starts_with("write")) => {
            "write the context before the field, such as `{{order.id}}`"
        }
        "read-without-permission" => "add the field to `reads` of the node",
        _ => return with_help(found),
    };
    format!("{}: {advice}", found.message)
}

/// The other mistakes are about annotations, which both languages write alike.
fn with_help(found: &Diagnostic) -> String {
    found.help.as_ref().map_or_else(|| found.message.clone(), |help| format!("{}: {help}", found.message))
}
