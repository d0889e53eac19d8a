//! A second reading of bash, by `tree-sitter-bash`: every simple command that it sees, the rule set sees too.

use exo_rails_shell::{ShellRules, ShellVerdict};
use tree_sitter::{Node, Parser};

/// Returns the begin and the text of the name of each command, or `None` if the text has errors for the grammar.
pub(super) fn seen_by_tree_sitter(text: &str) -> Option<Vec<(usize, &str)>> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
    let tree = parser.parse(text, None).unwrap();
    if tree.root_node().has_error() {
        return None;
    }
    let mut found = Vec::new();
    let mut open = vec![tree.root_node()];
    while let Some(node) = open.pop() {
        if node.kind() == "command_name" {
            found.push((node.start_byte(), &text[node.byte_range()]));
        }
        open.extend((0..node.child_count()).filter_map(|child| node.child(child)));
        debug_assert!(!Node::is_error(&node));
    }
    Some(found)
}

/// Returns whether a verdict has a command that begins at a byte, or is a part of something around the byte.
fn has_command(verdict: &ShellVerdict, begin: usize, name: &str) -> bool {
    verdict.commands.iter().any(|command| {
        let Some(first) = command.words.first() else { return false };
        let plain: String = name.chars().filter(|c| !matches!(c, '\\' | '\'' | '"' | '$' | '\n')).collect();
        let same = first.value().is_none_or(|value| value == plain) || name.contains(['{', '$', '`']);
        first.range().start == begin || first.range().contains(&begin) && same
    })
}

/// Asserts that a verdict misses no command, unless the whole text was refused.
pub(super) fn assert_no_command_is_missing(text: &str) -> usize {
    let verdict = ShellRules::default().judge(text);
    if verdict.is_unreadable() {
        assert!(!verdict.decision.passes(), "{text:?}");
        return 0;
    }
    let Some(seen) = seen_by_tree_sitter(text) else { return 0 };
    // Behind `!`, the grammar takes reserved words for commands.
    let reserved = [
        "!", "{", "}", "if", "then", "else", "elif", "fi", "while", "until", "for", "select", "do", "done", "case",
        "esac", "time", "function", "coproc",
    ];
    let is_command = |name: &str| !reserved.contains(&name);
    for (begin, name) in seen.iter().filter(|(_, name)| is_command(name)) {
        assert!(
            has_command(&verdict, *begin, name),
            "the rules miss `{name}` at {begin} in {text:?}: {:#?}",
            verdict.commands
        );
    }
    seen.len()
}

#[test]
fn no_command_that_tree_sitter_sees_is_missing() {
    let tables =
        [super::harmless::HARMLESS, super::attacks::ATTACKS, super::everyday::EVERYDAY, super::unknown::UNKNOWN];
    let commands: usize = tables.concat().iter().map(|text| assert_no_command_is_missing(text)).sum();
    // Most texts are compared.
    assert!(commands > 2_200, "{commands}");
}

/// The commands of a public corpus: `EXO_RAILS_CORPORA` names the folder that has a copy of the repository
/// `Dicklesworthstone/destructive_command_guard` in `destructive_command_guard`.
#[test]
fn no_command_of_the_corpus_is_missing() {
    let Some(folder) = std::env::var_os("EXO_RAILS_CORPORA") else {
        eprintln!("skipped: `EXO_RAILS_CORPORA` does not name a folder with `destructive_command_guard`");
        return;
    };
    let tests = std::path::Path::new(&folder).join("destructive_command_guard/tests");
    let mut open = vec![tests.join("corpus"), tests.join("fixtures")];
    let mut found = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "toml" || extension == "yaml") {
            found.extend(commands_of(&std::fs::read_to_string(path).unwrap()));
        }
    }
    let commands: usize = found.iter().map(|text| assert_no_command_is_missing(text)).sum();
    let unread = found.iter().filter(|text| seen_by_tree_sitter(text).is_none()).count();
    println!(
        "{} texts, {commands} commands compared, {unread} texts that the other grammar does not read",
        found.len()
    );
    assert!(found.len() > 700 && commands > 600, "{} texts, {commands} commands", found.len());
}

/// Reads the commands of a file of the corpus: of `[[case]]` tables, or of lines with `- command:`.
fn commands_of(file: &str) -> Vec<String> {
    if let Ok(table) = file.parse::<toml::Table>() {
        let cases = table.get("case").and_then(toml::Value::as_array).cloned().unwrap_or_default();
        return cases.iter().filter_map(|case| Some(case.get("command")?.as_str()?.to_owned())).collect();
    }
    let lines = file.lines().filter_map(|line| line.trim_start().strip_prefix("- command: "));
    let unquoted = |line: &str| {
        let line = line.trim_end();
        let inside = line.get(1..line.len().saturating_sub(1)).unwrap_or_default();
        if line.starts_with('"') {
            inside.replace("\\\"", "\"").replace("\\\\", "\\")
        } else {
            inside.replace("''", "'")
        }
    };
    lines.map(unquoted).collect()
}
