//! What a message proposes compiles: each piece of code in a message stands in its own fixture, which it then quotes, or in a
//! program below `tests/`, which compiles and runs. A message that proposes something else fails here, whatever its words are.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// What stands in a message for code that is up to the reader.
const ANYTHING: [&str; 2] = ["…", "_"];

/// The most tokens that it stands for.
const MOST: usize = 48;

/// What rustc says by itself in a note: it names types and bounds there, and proposes nothing.
const OF_RUSTC: [&str; 11] = [
    "required for",
    "this error originates",
    "full name for the type",
    "is implemented for",
    "trait bound",
    "on by default",
    "implied by",
    "expected ",
    "if you want to do aliasing",
    "a recursive `async fn`",
    "requires",
];

#[test]
fn code_that_a_message_proposes_compiles() {
    let right: Vec<_> =
        files("rs").iter().filter(|file| is_below("tests", file)).map(|program| tokens_of(program)).collect();
    let (mut looked_at, mut wrong) = (0, String::new());
    // Messages about the programs in `stranger/` contain names from those programs. Other fixtures have the same advice.
    for message in files("stderr").iter().filter(|message| !message.iter().any(|part| part == "stranger")) {
        let fixture = fs::read_to_string(message.with_extension("rs")).unwrap();
        let source: String = fixture.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        let quoted = source.parse().map_or_else(|_| Vec::new(), flat);
        for code in code_in(&fs::read_to_string(message).unwrap()) {
            looked_at += 1;
            let stands = |pattern: &Vec<String>| right.iter().chain([&quoted]).any(|program| occurs(pattern, program));
            // A text may be named without its quotes.
            let is_quoted = source.contains(&code) || stands(&vec![format!("{code:?}")]);
            if !is_quoted && !pattern(&code).is_some_and(|pattern| parts(pattern).iter().all(stands)) {
                let _ = writeln!(wrong, "{}: `{code}`", message.display());
            }
        }
    }
    assert!(looked_at > 500, "the messages have {looked_at} pieces of code");
    assert!(wrong.is_empty(), "no program has what these messages propose:\n{wrong}");
}

#[test]
fn code_in_messages_is_found_in_programs() {
    let program =
        flat("#[rail(priority = 10, on = [PreToolCall])] fn f(call: &exo_rails::ToolCallInputs) {}".parse().unwrap());
    let occur = |code: &str| occurs(&pattern(code).unwrap(), &program);
    for code in ["on = [PreToolCall]", "&ToolCallInputs", "#[rail(…)]", "fn f(…) {}", "fn f(_)"] {
        assert!(occur(code), "{code}");
    }
    for code in ["on = [PreToolCall | PostToolCall]", "&mut ToolCallInputs", "on = PreToolCall", "#[rain]", "fn f() {}"]
    {
        assert!(!occur(code), "{code}");
    }
    let message = "error: no `x`: write `a`\n       or `b`\n --> fail/y.rs:1:1\n  |\n1 | `c`\n  = note: take `d`\n  = note: required for `e`\n\
        error[E0277]: `f` is not\n";
    assert_eq!(code_in(message), ["x", "a", "b", "d"]);
}

/// The code between backticks in what a message says: its first lines, and its notes.
fn code_in(message: &str) -> Vec<String> {
    let (mut code, mut is_head) = (Vec::new(), false);
    for line in message.lines() {
        // Of errors with another code, rustc writes the first line, or it is about a type.
        let begins = line.starts_with("error: ") || line.starts_with("error[E0080]: evaluation panicked: ");
        is_head = begins || is_head && !line.trim_start().starts_with("-->");
        let note = line.trim_start().strip_prefix("= note: ");
        let Some(text) = note.or(is_head.then_some(line)) else { continue };
        if !OF_RUSTC.iter().any(|words| text.contains(words)) {
            code.extend(text.split('`').skip(1).step_by(2).map(ToOwned::to_owned));
        }
    }
    code
}

/// Whether the tokens of the pattern follow each other somewhere in the program.
fn occurs(pattern: &[String], program: &[String]) -> bool {
    (0..program.len()).any(|start| matches(pattern, &program[start..]))
}

fn matches(pattern: &[String], program: &[String]) -> bool {
    match pattern.split_first() {
        None => true,
        Some((any, rest)) if ANYTHING.contains(&&**any) => {
            (0..=program.len().min(MOST)).any(|skipped| matches(rest, &program[skipped..]))
        }
        Some((token, rest)) => program.first() == Some(token) && matches(rest, &program[1..]),
    }
}

/// The tokens of code in a message; `None` where it has none.
fn pattern(code: &str) -> Option<Vec<String>> {
    let tokens = code.replace('…', "__anything").parse::<TokenStream>().ok()?;
    let pattern = flat(tokens)
        .into_iter()
        .map(|token| if token.trim_matches('"') == "__anything" { ANYTHING[0].to_owned() } else { token });
    let mut pattern: Vec<_> = pattern.collect();
    // The name of an attribute.
    if let [hash, open, _, _] = &*pattern
        && (&**hash, &**open) == ("#", "[")
    {
        pattern.pop();
    }
    Some(pattern).filter(|pattern| !pattern.is_empty())
}

/// The types of a tuple each by itself: a message lists what an event carries, or what a rail may return.
fn parts(pattern: Vec<String>) -> Vec<Vec<String>> {
    let [open, inside @ .., close] = &*pattern else { return vec![pattern] };
    if (&**open, &**close) != ("(", ")") || inside.is_empty() {
        return vec![pattern];
    }
    let (mut parts, mut depth) = (vec![Vec::new()], 0);
    for token in inside {
        match &**token {
            "<" | "(" => depth += 1,
            ">" | ")" => depth -= 1,
            "," if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        parts.last_mut().unwrap().push(token.clone());
    }
    parts
}

fn tokens_of(program: &Path) -> Vec<String> {
    let text = fs::read_to_string(program).unwrap();
    // Some programs are half typed.
    text.parse::<TokenStream>().map_or_else(|_| Vec::new(), flat)
}

/// All tokens in a row, without the paths to what the library has: rustc shows them where a program does not.
fn flat(tokens: TokenStream) -> Vec<String> {
    let mut flat: Vec<String> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::None => ("", ""),
                };
                flat.push(open.to_owned());
                flat.extend(self::flat(group.stream()));
                flat.push(close.to_owned());
            }
            token => flat.push(token.to_string()),
        }
    }
    without_paths(flat)
}

fn without_paths(tokens: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for token in tokens {
        let is_behind_colons = kept.ends_with(&[":".to_owned(), ":".to_owned()]);
        let module = kept.len().checked_sub(3).map(|at| kept[at].clone());
        if is_behind_colons && module.is_some_and(|name| ["exo_rails", "prelude", "string", "std"].contains(&&*name)) {
            kept.truncate(kept.len() - 3);
        }
        kept.push(token);
    }
    kept
}

/// Whether the file is in a folder of this name, or below it.
fn is_below(folder: &str, file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == folder)
}

/// All files with this extension in this package and in those inside it, in order.
fn files(extension: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
