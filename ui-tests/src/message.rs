//! The text of a message that is recorded: without what differs between machines, and without the lines of the library, which
//! move when its source changes.

use std::path::Path;

use crate::compiler::Diagnostic;

/// What begins the text after the gutter of a line with code.
const AFTER_GUTTER: [&str; 7] = ["-->", ":::", " |", " =", " +", " -", " ~"];

/// How the further lines of a note begin.
const INDENT: &str = "            ";

/// How many types of a list are recorded.
const MOST_TYPES: usize = 8;

/// The recorded text of all messages about one program.
pub(crate) fn recorded(diagnostics: &[Diagnostic], package: &Path, program: &Path) -> String {
    let texts = diagnostics.iter().map(|diagnostic| text(diagnostic.rendered(), package, program));
    texts.collect::<Vec<_>>().join("\n")
}

fn text(rendered: &str, package: &Path, program: &Path) -> String {
    let mut lines = Vec::new();
    // Whether the next lines are code of another file than the program.
    let mut is_elsewhere = false;
    // How many types of a list have been read.
    let mut listed = None;
    for line in rendered.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("--> ") || trimmed.starts_with("::: ") {
            let place = place(&trimmed[4..], package);
            is_elsewhere = !place.starts_with(&*program.to_string_lossy());
            let place = if is_elsewhere { without_numbers(&place) } else { &place };
            lines.push(format!("{}{place}", &line[..line.len() - trimmed.len() + 4]));
            continue;
        }
        is_elsewhere &= trimmed.starts_with(|first: char| first.is_ascii_digit() || "|.".contains(first));
        let is_type = line.starts_with(INDENT);
        listed = if is_list(trimmed) { Some(0) } else { listed.filter(|_| is_type).map(|types| types + 1) };
        match listed {
            Some(types) if types > MOST_TYPES + 1 => {}
            // Their number depends on the crates in the graph.
            Some(types) if types > MOST_TYPES => {
                lines.push(format!("{}and $N others", &line[..line.len() - trimmed.len() - 2]));
            }
            _ => {
                let line = if is_elsewhere { without_number(line) } else { line.to_owned() };
                lines.push(without_names(&line, package, program).trim_end().to_owned());
            }
        }
    }
    narrow(&mut lines);
    format!("{}\n", lines.join("\n").trim_end())
}

/// Whether the line begins a list of types.
fn is_list(line: &str) -> bool {
    line.starts_with("= help: the following ") && line.contains("types implement trait ")
}

/// The line without the place of the package and the name of the program.
fn without_names(line: &str, package: &Path, program: &Path) -> String {
    let name = program.file_stem().unwrap_or_default().to_string_lossy();
    let line = line.replace(&format!("module `{name}"), "module `$CRATE");
    line.replace(&*package.to_string_lossy(), "$DIR")
}

/// The place as it is recorded: from the root of the package or of the workspace, or from where the toolchain or Cargo has the
/// sources of crates.
fn place(place: &str, package: &Path) -> String {
    let below =
        |folder: &Path| Some(place.strip_prefix(&*folder.to_string_lossy())?.trim_start_matches('/').to_owned());
    let behind = |mark: &str| place.split_once(mark).map(|(_, rest)| rest);
    if let Some(path) = below(package) {
        path
    } else if let Some(path) = behind("/library/") {
        format!("$RUST/{path}")
    } else if let Some((_, path)) = behind("/registry/src/").and_then(|path| path.split_once('/')) {
        format!("$CARGO/{path}")
    } else {
        // The crates of the workspace are compiled from its root.
        format!("$WORKSPACE/{place}")
    }
}

/// `main.rs:22:29` → `main.rs`
fn without_numbers(place: &str) -> &str {
    place.trim_end_matches(|end: char| end.is_ascii_digit() || end == ':')
}

/// `10 | T: Send,` → `   | T: Send,`
fn without_number(line: &str) -> String {
    let text = line.trim_start_matches(|first: char| first.is_ascii_digit() || first == ' ');
    format!("{}{text}", " ".repeat(line.len() - text.len()))
}

/// Makes the gutter as wide as the numbers that are left in it.
fn narrow(lines: &mut [String]) {
    let Some(width) = lines.iter().find_map(|line| line.find("--> ")) else { return };
    let is_code = |line: &str| {
        line.get(..width).is_some_and(|gutter| gutter.bytes().all(|byte| byte == b' ' || byte.is_ascii_digit()))
            && AFTER_GUTTER.iter().any(|text| line[width..].starts_with(text))
    };
    let digits = |line: &String| line[..width].trim_start().len();
    let most = lines.iter().filter(|line| is_code(line)).map(digits).max().unwrap_or_default();
    let surplus = width - most.clamp(1, width);
    for line in lines {
        if is_code(line) || line.starts_with(INDENT) {
            line.replace_range(..surplus, "");
        } else if line.starts_with("... ") {
            line.replace_range(3..3 + surplus, "");
        }
    }
}
