//! Writes to the terminal.

use std::io::{self, IsTerminal, Write};

/// The width of the terminal, in columns.
pub(crate) const WIDTH: usize = 100;

/// Standard output. The text has colours if standard output is a terminal.
#[derive(Clone, Copy)]
pub(crate) struct Page {
    colours: bool,
}

/// The kinds of text, each with its ANSI codes.
#[derive(Clone, Copy)]
pub(crate) enum Ink {
    Heading,
    Quiet,
    Good,
    Careful,
    Bad,
}

impl Ink {
    const fn code(self) -> &'static str {
        match self {
            Self::Heading => "1",
            Self::Quiet => "2",
            Self::Good => "32",
            Self::Careful => "33",
            Self::Bad => "31",
        }
    }
}

impl Page {
    pub(crate) fn stdout() -> Self {
        // The convention of no-color.org: the variable is set and not empty.
        let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        Self { colours: io::stdout().is_terminal() && !refused }
    }

    pub(crate) fn ink(self, ink: Ink, text: &str) -> String {
        if self.colours { format!("\x1b[{}m{text}\x1b[0m", ink.code()) } else { text.to_owned() }
    }

    /// Prints a text over several lines. Each line begins with `indent` spaces.
    pub(crate) fn print_wrapped(self, indent: usize, ink: Option<Ink>, text: &str) {
        for line in wrap(text, WIDTH - indent) {
            let line = ink.map_or_else(|| line.clone(), |ink| self.ink(ink, &line));
            print(&format!("{:indent$}{line}", ""));
        }
    }
}

/// Writes a line to standard output.
pub(crate) fn print(line: &str) {
    // A reader that has gone away (`| head`) must not stop a run halfway.
    let _ = writeln!(io::stdout(), "{line}");
}

/// Writes a message to standard error.
pub(crate) fn complain(message: &str) {
    let _ = writeln!(io::stderr(), "guarded_agent: {message}");
}

/// Shortens a text to one line. Models and files write this text, so control characters become spaces: they could move
/// the cursor or change colours.
pub(crate) fn one_line(text: &str, width: usize) -> String {
    let line = plain(text);
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= width {
        return line;
    }
    let cut: String = line.chars().take(width.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Breaks a text into lines at spaces. Breaks a word that is longer than a line.
pub(crate) fn wrap(text: &str, width: usize) -> Vec<String> {
    text.lines().flat_map(|line| wrap_line(&plain(line), width)).collect()
}

fn wrap_line(line: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in line.split(' ').flat_map(|word| pieces(word, width)) {
        match lines.last_mut() {
            Some(last) if last.is_empty() => *last = word,
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(&word);
            }
            _ => lines.push(word),
        }
    }
    lines
}

fn pieces(word: &str, width: usize) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    letters.chunks(width.max(1)).map(|piece| piece.iter().collect()).collect()
}
