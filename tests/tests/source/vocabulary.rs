//! The words of the documentation: terms that were replaced, and phrases that readers stumble over, do not come back.

use std::path::{Path, PathBuf};

/// Terms that have other names now.
const REPLACED: [&str; 13] = [
    "RunOn",
    "OwnPoint",
    "OwnInputs",
    "Outlet",
    "Missed",
    "Published",
    "EventBus::around",
    "Subscription::only",
    "holds_back",
    "run::<PreToolCall>",
    "event of your own",
    "events of your own",
    "operation of your own",
];

/// Phrases without a subject or with a pronoun in its place. Name the actor, and use a verb.
const RIDDLES: [&str; 8] =
    ["of one's own", "what comes of", "hands on", "hand on", "is told", "are told", "whoever", "at the most"];

/// Everything that people read, except for this file.
const READ: [&str; 15] = [
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "BENCHMARKS.md",
    "GUARDS.md",
    "book",
    "crates",
    "examples",
    "exo-rails",
    "exo-rails-macros",
    "fuzz",
    "integrations",
    "tests",
    "ui-tests",
];

fn files(path: PathBuf, files: &mut Vec<PathBuf>) {
    // A link may lead out of the folder, or into itself.
    if path.is_symlink() {
        return;
    }
    if path.is_dir() && !path.ends_with("target") {
        for entry in std::fs::read_dir(&path).unwrap() {
            self::files(entry.unwrap().path(), files);
        }
    } else if path.extension().is_some_and(|end| end == "rs" || end == "md") && !path.ends_with("source/vocabulary.rs")
    {
        files.push(path);
    }
}

/// Whether a text has a phrase, and not as a part of a longer word.
fn has(text: &str, phrase: &str) -> bool {
    let is_word = |char: Option<char>| char.is_some_and(|char| char.is_alphanumeric() || char == '_');
    text.match_indices(phrase).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        !is_word(before.chars().next_back()) && !is_word(after.chars().next())
    })
}

#[test]
fn replaced_terms_and_riddles_do_not_come_back() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for path in READ {
        files(root.join(path), &mut all);
    }
    assert!(all.len() > 200, "there are {} files to read", all.len());
    let mut found = Vec::new();
    for file in all {
        let text = std::fs::read_to_string(&file).unwrap();
        for (number, line) in text.lines().enumerate() {
            let lower = line.to_lowercase();
            let replaced = REPLACED.into_iter().filter(|term| has(line, term));
            let riddles = RIDDLES.into_iter().filter(|phrase| has(&lower, phrase));
            found
                .extend(replaced.chain(riddles).map(|phrase| format!("{}:{}: `{phrase}`", file.display(), number + 1)));
        }
    }
    assert!(found.is_empty(), "{} lines to rewrite:\n{}", found.len(), found.join("\n"));
}
