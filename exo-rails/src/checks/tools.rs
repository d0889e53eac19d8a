//! What the macros check about the names of tools.

use super::text::{Text, nearest, same};
use crate::tool_set::ToolSet;

/// Asserts that a set has a tool of this name.
///
/// # Panics
/// When it has none: at compile time.
#[track_caller]
pub const fn known(tool: &str, set: NamesOf) {
    known_by(None, tool, set);
}

/// A set of tools as constants know it.
#[derive(Clone, Copy, Debug)]
pub struct NamesOf {
    set: &'static str,
    tools: &'static [&'static str],
}

/// The names of a set and of its tools.
#[must_use]
pub const fn of_set<S: ToolSet>() -> NamesOf {
    NamesOf { set: S::NAME, tools: S::NAMES }
}

/// The same, for what a rail says that is not where the message will be.
#[track_caller]
pub(crate) const fn known_by(rail: Option<&str>, tool: &str, set: NamesOf) {
    if let Some(text) = unknown(rail, tool, set.set, set.tools) {
        text.refuse();
    }
}

/// Asserts that the arguments of a type are those of this tool, and not those of the tool that has them.
///
/// # Panics
/// When they are those of another: at compile time.
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
    let text = Text::new().and("the rail is for ").name(tool).and(", but ").name(args).and(" is the arguments of ");
    Some(text.name(name).and(": one of the two is meant for another tool"))
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

/// Asserts that no tool of a set has the name of one before it: given the types up to one of them.
///
/// # Panics
/// When the last has: at compile time.
#[track_caller]
pub const fn distinct<S: ToolSet>(types: &[&str]) {
    if let Some(text) = two_of_one_name(S::NAME, S::NAMES, types) {
        text.refuse();
    }
}

const fn two_of_one_name(set: &str, names: &[&str], types: &[&str]) -> Option<Text> {
    let last = types.len() - 1;
    let mut i = 0;
    while i < last {
        if same(names[i], names[last]) {
            let text = Text::new().name(set).and(" has two tools of the name ").name(names[last]).and(": ");
            let text = text.name(types[i]).and(" and ").name(types[last]);
            return Some(text.and("; give one of them another in its `#[tool(name = \"…\")]`"));
        }
        i += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: &[&str] = &["search", "delete_file"];

    #[test]
    fn an_unknown_tool_is_told_with_what_there_is() {
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
    fn arguments_of_another_tool_are_told_with_its_name() {
        assert!(of_another("search", "search", "Search").is_none());
        let told = of_another("remove_file", "delete_file", "RemoveFile");
        let expected = "the rail is for `delete_file`, but `RemoveFile` is the arguments of `remove_file`: \
                        one of the two is meant for another tool";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
    }

    #[test]
    fn two_tools_of_one_name_are_told_with_their_types() {
        let text = |types| two_of_one_name("Tools", &["search", "delete_file", "search"], types);
        assert!(text(&["Search"]).is_none() && text(&["Search", "DeleteFile"]).is_none());
        let told = text(&["Search", "DeleteFile", "web::Search"]);
        let expected = "`Tools` has two tools of the name `search`: `Search` and `web::Search`; \
                        give one of them another in its `#[tool(name = \"…\")]`";
        assert_eq!(told.as_ref().map(Text::as_str), Some(expected));
    }
}
