//! A second reading of bash, by `tree-sitter-bash`: every simple command that it sees, the policy sees too.

use exo_rails_guards::shell::{ShellPolicy, ShellVerdict};
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
    let verdict = ShellPolicy::default().judge(text);
    let refused =
        |rule: &str| matches!(rule, "unreadable" | "too-deep" | "too-long" | "hidden-character" | "continuation");
    if verdict.judgements.iter().any(|judgement| refused(&judgement.rule)) {
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
            "the policy misses `{name}` at {begin} in {text:?}: {:#?}",
            verdict.commands
        );
    }
    seen.len()
}

#[test]
fn no_command_that_tree_sitter_sees_is_missing() {
    let texts = super::harmless::HARMLESS.iter().chain(super::attacks::ATTACKS);
    let commands: usize = texts.map(|text| assert_no_command_is_missing(text)).sum();
    // Most texts are compared.
    assert!(commands > 900, "{commands}");
}
