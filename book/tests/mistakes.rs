//! The book and the README quote the compiler: the codes and the messages of its wrong programs, and the tables of messages.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::{Path, PathBuf};
use std::{fmt::Write as _, fs};

use ui_tests::{Compiler, Diagnostic};

const PAGE: &str = include_str!("../src/mistakes.md");

/// A fenced block of a page.
struct Block<'p> {
    line: usize,
    info: &'p str,
    text: String,
}

/// Wrong code, with what a page says about it.
struct Mistake {
    /// The name of its program: (e.g. `mistakes_27`).
    name: String,
    code: Option<String>,
    source: String,
    message: String,
}

#[test]
fn each_message_in_the_book_is_a_message_of_the_compiler() {
    let mistakes = mistakes_of_the_pages();
    assert!(mistakes.len() > 10, "the book has {} wrong programs", mistakes.len());
    let compiler = Compiler::new(ui_tests::rustc_args!()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let mut wrong = String::new();
    for mistake in &mistakes {
        let program = folder.path().join(&mistake.name).with_extension("rs");
        fs::write(&program, &mistake.source).unwrap();
        let said = compiler.check(&program).unwrap();
        let errors: Vec<_> = said.iter().filter(|said| said.is_error()).collect();
        if let Err(what) = compare(mistake, &errors) {
            let _ = writeln!(wrong, "{}: {what}; the compiler says:\n", mistake.name);
            wrong.extend(errors.iter().map(|error| error.rendered()));
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// The tables of the page are an index of the messages: a reader searches them for the words of a message.
#[test]
fn each_message_in_a_table_is_recorded() {
    let recorded = recorded();
    let rows = PAGE.lines().filter_map(|line| line.strip_prefix("| ")?.split_once(" | "));
    let messages: Vec<_> = rows.map(|(message, _)| message).filter(|message| *message != "message").collect();
    assert!(messages.len() > 100, "the page has {} messages", messages.len());
    let unknown: Vec<_> = messages.iter().filter(|message| !recorded.lines().any(|line| says(line, message))).collect();
    assert!(unknown.is_empty(), "no recorded message has these:\n{unknown:#?}");
}

/// The recorded messages, with the names of the library as the tables have them: without their paths.
fn recorded() -> String {
    let mut text = String::new();
    let mut folders = vec![root().join("ui-tests")];
    while let Some(folder) = folders.pop() {
        let files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        let messages = files.iter().filter(|file| file.extension().is_some_and(|end| end == "stderr"));
        text.extend(messages.map(|file| fs::read_to_string(file).unwrap()));
        folders.extend(files.into_iter().filter(|file| file.is_dir()));
    }
    ["exo_rails::prelude::", "exo_rails::", "std::string::"].iter().fold(text, |text, path| text.replace(path, ""))
}

/// The root of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Whether the line contains the message. `…` in the message stands for any text.
fn says(line: &str, message: &str) -> bool {
    let mut rest = Some(line);
    for piece in message.split('…') {
        rest = rest.and_then(|rest| rest.split_once(piece)).map(|(_, rest)| rest);
    }
    rest.is_some()
}

/// The mistakes on the pages of the book, and in the README of the repository.
fn mistakes_of_the_pages() -> Vec<Mistake> {
    let folders = ["book/src", "book/src/guards", "book/src/inside", "book/src/recipes"];
    let files = folders.iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let files = files.map(|entry| entry.unwrap().path());
    let pages = files.filter(|file| file.extension().is_some_and(|end| end == "md"));
    pages
        .chain([root().join("README.md")])
        .flat_map(|page| mistakes(page.file_stem().unwrap().to_str().unwrap(), &fs::read_to_string(&page).unwrap()))
        .collect()
}

/// Each block of a page that must not compile, with the message that stands below it.
fn mistakes(name: &str, page: &str) -> Vec<Mistake> {
    let blocks = blocks(page);
    let wrong = blocks.iter().enumerate().filter(|(_, block)| block.info.contains("compile_fail"));
    let mistake = |(i, block): (usize, &Block<'_>)| {
        let message = blocks.get(i + 1).filter(|next| next.info == "text");
        // As rustdoc does: it hides what stands behind a `#`.
        let source = block.text.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect::<Vec<_>>();
        Mistake {
            name: format!("{name}_{}", block.line),
            code: block.info.split(',').find(|word| word.starts_with('E')).map(str::to_owned),
            source: source.join("\n"),
            message: message.map(|block| block.text.clone()).unwrap_or_default(),
        }
    };
    wrong.map(mistake).collect()
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut inside = false;
    for (i, line) in page.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```") {
            inside = !inside;
            if inside {
                blocks.push(Block { line: i + 1, info, text: String::new() });
            }
        } else if inside && let Some(block) = blocks.last_mut() {
            block.text.push_str(line);
            block.text.push('\n');
        }
    }
    blocks
}

/// The page may leave out lines of a message, but no error.
fn compare(mistake: &Mistake, errors: &[&Diagnostic]) -> Result<(), String> {
    let codes = errors.iter().filter_map(|error| error.code());
    let code = codes.into_iter().find(|code| code.starts_with('E'));
    if code != mistake.code.as_deref() {
        return Err(format!("the error is {code:?}, not {:?}", mistake.code));
    }
    let shown = mistake.message.lines().filter(|line| line.starts_with("error")).count();
    if shown != errors.len() {
        return Err(format!("the page shows {shown} errors of {}", errors.len()));
    }
    let said: String = errors.iter().map(|error| error.rendered()).collect();
    // Without the space before line numbers: it depends on those of the library.
    let mut said = said.lines().map(str::trim);
    let same = |said: &str, shown: &str| said == shown || shown.contains('…') && says(said, shown);
    match mistake.message.lines().find(|line| !said.any(|said| same(said, line.trim()))) {
        Some(line) => Err(format!("this line is not in the message, or not here:\n{line}")),
        None => Ok(()),
    }
}
