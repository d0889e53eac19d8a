//! From text to commands, as bash reads it.
//!
//! One recursive descent reads everything: the grammar asks for words, and words with substitutions ask for the grammar. The reader
//! takes each byte once, goes no deeper than its limits, and refuses what bash would refuse.

mod grammar;
#[cfg(test)]
mod tests;
mod tree;
mod words;

pub(crate) use tree::*;

/// Why a text is not read as a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) rule: &'static str,
    pub(crate) reason: &'static str,
    /// The byte where the reader stopped.
    pub(crate) at: usize,
}

type Reads<T> = Result<T, Refusal>;

/// What bounds the work of one text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Substitutions and compound commands in each other.
    pub(crate) depth: usize,
    /// Words and operators of one text.
    pub(crate) words: usize,
}

impl Limits {
    pub(crate) const DEFAULT: Self = Self { depth: 48, words: 4_096 };
}

/// Reads a text.
pub(crate) fn read(text: &str, limits: Limits) -> Reads<Program> {
    let mut reader = Reader::new(text, limits);
    reader.check_continuations()?;
    reader.whole_text()
}

/// Reads a text that the shell expands as between double quotes, such as a prompt.
pub(crate) fn read_expansions(text: &str, limits: Limits) -> Reads<Word> {
    let parts = Reader::new(text, limits).document()?;
    Ok(Word { parts, span: 0..text.len() })
}

/// Reads the lines of a here-document whose delimiter has no quotes.
fn read_document(text: &str, at: usize, reader: &Reader<'_>) -> Reads<Vec<Part>> {
    let mut inner = Reader { depth: reader.depth, words: reader.words, ..Reader::new(text, reader.limits) };
    inner.document().map_err(|refusal| Refusal { at, ..refusal })
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    words: usize,
    limits: Limits,
    /// The here-documents that begin behind the end of the line.
    documents: Vec<Pending>,
    /// How many here-documents have begun.
    begun: usize,
    /// The lines of the documents that were read, by the number of the document.
    lines: Vec<Word>,
}

/// A here-document whose lines were not read yet.
struct Pending {
    number: usize,
    end: String,
    strips_tabs: bool,
    quoted: bool,
}

impl<'t> Reader<'t> {
    const fn new(text: &'t str, limits: Limits) -> Self {
        Self { text, at: 0, depth: 0, words: 0, limits, documents: Vec::new(), begun: 0, lines: Vec::new() }
    }

    fn refuse<T>(&self, rule: &'static str, reason: &'static str) -> Reads<T> {
        Err(Refusal { rule, reason, at: self.at.min(self.text.len()) })
    }

    fn unreadable<T>(&self, reason: &'static str) -> Reads<T> {
        self.refuse("unreadable", reason)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn looks_at(&self, text: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(text.as_bytes())
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.looks_at(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn next_char(&mut self) -> Option<char> {
        let c = self.text.get(self.at..)?.chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    /// Refuses a `\` at the end of a line in the middle of an operator: bash joins both parts of the operator.
    fn check_continuations(&self) -> Reads<()> {
        for (at, _) in self.text.match_indices("\\\n") {
            if at > 0 && b"$<>&|;(){}`!\\".contains(&self.text.as_bytes()[at - 1]) {
                let reason = "a line ends with `\\` in the middle of an operator";
                return Err(Refusal { rule: "continuation", reason, at });
            }
        }
        Ok(())
    }

    /// Skips blanks, and line ends that a `\` hides.
    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Reads<T>) -> Reads<T> {
        if self.depth >= self.limits.depth {
            return self.refuse("too-deep", "the command nests too deeply");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn count(&mut self) -> Reads<()> {
        self.words += 1;
        if self.words > self.limits.words {
            return self.refuse("too-long", "the command has too many words");
        }
        Ok(())
    }
}

/// Returns whether a text is the name of a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
