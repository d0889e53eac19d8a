//! The names of tools, checked in constants.

use exo_rails_text::names::nearest;

use crate::point::text::{Text, same};

/// Asserts that a set has a tool with this name.
///
/// # Panics
/// Panics at compile time if it has none.
#[track_caller]
pub const fn known(tool: &str, set: NamesOf) {
    known_by(None, tool, set);
}

/// A set of tools, for constants.
#[derive(Clone, Copy, Debug)]
pub struct NamesOf {
    pub(crate) set: &'static str,
    pub(crate) tools: &'static [&'static str],
}

/// Asserts that a set has a tool with this name. The message names the rail if it appears far from the rail.
#[track_caller]
pub(crate) const fn known_by(rail: Option<&str>, tool: &str, set: NamesOf) {
    if let Some(text) = unknown(rail, tool, set.set, set.tools) {
        text.refuse();
    }
}

/// Asserts that a text can be the name of a tool.
///
/// # Panics
/// Panics at compile time if the text is empty or has spaces.
#[track_caller]
pub const fn named(tool: &str) {
    let (bytes, mut i) = (tool.as_bytes(), 0);
    let mut is_name = !bytes.is_empty();
    while i < bytes.len() {
        is_name &= !bytes[i].is_ascii_whitespace();
        i += 1;
    }
    if !is_name {
        Text::new().and("the name of a tool cannot be empty or have spaces in it: this is ").name(tool).refuse();
    }
}

/// Asserts that a rail for the tool `tool` takes the arguments of this tool. `args` is the type of the arguments, and
/// `name` is the tool that it belongs to.
///
/// # Panics
/// Panics at compile time if the arguments belong to another tool.
#[track_caller]
pub const fn of_tool(name: &str, tool: &str, args: &str) {
    if let Some(text) = of_another(name, tool, args) {
        text.refuse();
    }
}

const fn of_another(name: &str, tool: &str, args: &str) -> Option<Text> {
    if same(name, tool) {
        return None;
    }
    let text = Text::new().and("the rail is for ").name(tool).and(", but ").name(args).and(" has the arguments of ");
    Some(text.name(name).and(": write the same tool in both"))
}

const fn unknown(rail: Option<&str>, tool: &str, set: &str, names: &[&'static str]) -> Option<Text> {
    let mut i = 0;
    while i < names.len() {
        if same(tool, names[i]) {
            return None;
        }
        i += 1;
    }
    let text = match rail {
        Some(rail) => Text::new().name(rail).and(" is for ").name(tool).and(", which is not a tool of "),
        None => Text::new().name(tool).and(" is not a tool of "),
    };
    let text = text.name(set).and(": ");
    Some(match (nearest(tool, names), names) {
        (Some(nearest), _) => text.and("did you mean ").name(nearest).and("?"),
        (None, []) => text.and("it has none"),
        (None, [only]) => text.and("its only tool is ").name(only),
        (None, names) => listed(text.and("its tools are "), names),
    })
}

const fn listed(mut text: Text, names: &[&'static str]) -> Text {
    let mut i = 0;
    while i < names.len() {
        if i > 0 {
            text = text.and(", ");
        }
        text = text.name(names[i]);
        i += 1;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["search", "delete_file"];

    #[test]
    fn an_unknown_tool_is_reported_with_the_known_tools() {
        let cases: [(&str, &[&str], &str); 4] = [
            ("delete_fil", NAMES, "did you mean `delete_file`?"),
            ("drop_table", NAMES, "its tools are `search`, `delete_file`"),
            ("drop_table", &["search"], "its only tool is `search`"),
            ("search", &[], "it has none"),
        ];
        for (name, names, advice) in cases {
            let told = unknown(None, name, "SupportTools", names);
            let expected = format!("`{name}` is not a tool of `SupportTools`: {advice}");
            assert_eq!(told.as_ref().map(Text::as_str), Some(&*expected));
        }
        let told = unknown(Some("only_tmp"), "delete_fil", "SupportTools", NAMES);
        let expected =
            "`only_tmp` is for `delete_fil`, which is not a tool of `SupportTools`: did you mean `delete_file`?";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
        const { known("search", NamesOf { set: "SupportTools", tools: NAMES }) };
    }

    #[test]
    fn arguments_of_another_tool_are_reported_with_its_name() {
        assert!(of_another("search", "search", "Search").is_none());
        let told = of_another("remove_file", "delete_file", "RemoveFile");
        let expected = "the rail is for `delete_file`, but `RemoveFile` has the arguments of `remove_file`: \
                        write the same tool in both";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
    }
}
