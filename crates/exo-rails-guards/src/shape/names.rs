//! Names of tools: when two names mean the same tool, and which names a message suggests.

use exo_rails_text::names::{quoted, similar};

/// The number of similar names that the model reads.
const MAX_SIMILAR: usize = 3;

/// The number of all names that the model reads if none is similar.
const MAX_LISTED: usize = 20;

/// Words that models put in front of a name as a name space, although no tool has it.
const EMPTY_NAMESPACES: [&str; 8] =
    ["function", "tool", "default_api", "api", "mcp", "multi_tool_use", "tool_code", "plugin"];

/// A name, split into words. Case, separators and plurals do not matter.
#[derive(Debug, PartialEq, Eq)]
struct Name {
    /// The words of the name space. It is empty if the name has none, or one that means nothing.
    namespace: Vec<String>,
    /// The words after the name space.
    base: Vec<String>,
}

impl Name {
    fn of(name: &str) -> Self {
        let parts: Vec<&str> = name.split(['.', ':', '/']).flat_map(|part| part.split("__")).collect();
        let mut parts: Vec<Vec<String>> = parts.into_iter().map(words).filter(|words| !words.is_empty()).collect();
        let base = parts.pop().unwrap_or_default();
        parts.retain(|part| !EMPTY_NAMESPACES.contains(&part.join("_").as_str()));
        Self { namespace: parts.concat(), base }
    }

    /// Returns whether both names mean the same tool. A name without a name space may mean a tool in any.
    fn means(&self, other: &Self) -> bool {
        let same_namespace =
            self.namespace.is_empty() || other.namespace.is_empty() || self.namespace == other.namespace;
        !self.base.is_empty() && self.base == other.base && same_namespace
    }
}

/// Splits a name at separators and before capitals, in lower case and in the singular.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before_is_lower = false;
    for letter in text.chars() {
        let begins = !letter.is_alphanumeric() || (letter.is_uppercase() && before_is_lower);
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        before_is_lower = letter.is_lowercase() || letter.is_numeric();
    }
    words.iter().filter(|word| !word.is_empty()).map(|word| singular(word)).collect()
}

fn singular(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if stem.len() >= 3 && stem.ends_with("ie") => format!("{}y", &stem[..stem.len() - 2]),
        Some(stem) if stem.len() >= 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Returns the tools that the name means, apart from its spelling.
pub(crate) fn same<'n>(name: &str, tools: &[&'n str]) -> Vec<&'n str> {
    let name = Name::of(name);
    tools.iter().copied().filter(|tool| name.means(&Name::of(tool))).collect()
}

/// Returns the tools that the name means, or else the most similar tools, the most similar first.
fn nearest<'n>(name: &str, tools: &[&'n str], max: usize) -> Vec<&'n str> {
    let mut same = same(name, tools);
    if same.is_empty() {
        // The name space may be made up.
        let base = name.rsplit(['.', ':', '/']).next().unwrap_or_default();
        return similar(base, tools, max);
    }
    same.truncate(max);
    same
}

/// Explains that the tool does not exist, with the nearest names. The text does not have the name itself, which the model
/// has chosen.
pub(crate) fn nearest_names(name: &str, tools: &[&str]) -> String {
    let similar = nearest(name, tools, MAX_SIMILAR);
    let missing = "there is no tool of this name";
    match similar.as_slice() {
        [] if tools.len() > MAX_LISTED => {
            format!("{missing}, and none of the {} tools has a similar name", tools.len())
        }
        [] => format!("{missing}: the tools are {}", quoted(tools)),
        similar => format!("{missing}: did you mean {}?", quoted(similar)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOOLS: [&str; 8] = [
        "search",
        "read_file",
        "list_directories",
        "mcp__github__create_issue",
        "mcp__gitlab__create_issue",
        "getWeather",
        "soft_delete",
        "address_status",
    ];

    #[test]
    fn spelling_does_not_matter() {
        let table = [
            ("functions.search", "search"),
            ("tools::search", "search"),
            ("default_api.search", "search"),
            ("Search", "search"),
            ("SEARCH", "search"),
            ("searches", ""),
            ("readFile", "read_file"),
            ("ReadFile", "read_file"),
            ("read-file", "read_file"),
            ("read_files", "read_file"),
            ("list_directory", "list_directories"),
            ("get_weather", "getWeather"),
            ("fs.read_file", "read_file"),
            ("addresses_status", ""),
            ("address_statu", ""),
            // A part of a name is not the same name.
            ("delete", ""),
            ("file_read", ""),
            ("", ""),
            ("::", ""),
            ("functions.", ""),
        ];
        for (name, tool) in table {
            let expected: Vec<&str> = Some(tool).filter(|tool| !tool.is_empty()).into_iter().collect();
            assert_eq!(same(name, &TOOLS), expected, "{name}");
        }
    }

    #[test]
    fn a_name_space_must_agree_if_both_names_have_one() {
        assert_eq!(same("create_issue", &TOOLS).len(), 2);
        assert_eq!(same("github.create_issue", &TOOLS), ["mcp__github__create_issue"]);
        assert_eq!(same("mcp__github__createIssue", &TOOLS), ["mcp__github__create_issue"]);
        assert!(same("bitbucket.create_issue", &TOOLS).is_empty());
    }

    #[test]
    fn similar_names_are_suggested_in_order() {
        assert_eq!(nearest("serch", &TOOLS, 3), ["search"]);
        assert_eq!(nearest("file_read", &TOOLS, 3)[0], "read_file");
        assert_eq!(nearest("create_issue", &TOOLS, 3), ["mcp__github__create_issue", "mcp__gitlab__create_issue"]);
        assert!(nearest("make_coffee", &TOOLS, 3).is_empty(), "{:?}", nearest("make_coffee", &TOOLS, 3));
        assert!(nearest("", &TOOLS, 3).is_empty());
    }
}
