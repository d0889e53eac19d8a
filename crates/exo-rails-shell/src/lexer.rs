//! From text to tokens: words, operators and redirections, as bash reads them.
//!
//! The lexer decides everything below the grammar: quotes, escapes, expansions, comments, here-documents. It never recurses
//! deeper than [`Limits::depth`], takes each byte once, and refuses what bash reads in more than one way.

use std::ops::Range;

use exo_rails_text::invisible::{is_blank, is_invisible};

use super::word::{Word, mark};

/// Why a text is not read as a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Refusal {
    pub(super) rule: &'static str,
    pub(super) reason: &'static str,
    pub(super) at: usize,
}

type Lexed<T> = Result<T, Refusal>;

/// What bounds the work of one text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Substitutions in each other.
    pub(super) depth: usize,
    /// Compound commands in each other.
    pub(super) nesting: usize,
    /// Tokens of one program.
    pub(super) tokens: usize,
    /// Words that one word with braces becomes.
    pub(super) braces: usize,
}

/// A program as tokens. The last token is not a separator.
pub(super) type Tokens = Vec<Token>;

#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) range: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) enum Kind {
    Word(Text),
    Redirect(Redirect),
    Op(Op),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    And,
    Or,
    Pipe,
    Semicolon,
    Background,
    Newline,
    CaseEnd,
    Open,
    Close,
    /// The `)` behind a pattern of `case`.
    PatternEnd,
    /// The `()` of a function.
    Function,
}

/// A word, with the programs inside it.
#[derive(Clone, Debug, Default)]
pub(super) struct Text {
    pub(super) value: String,
    /// Programs whose output is a part of the word.
    pub(super) programs: Vec<Inner>,
    /// Some part of the word was quoted or escaped, or is an expansion: it is not a reserved word.
    pub(super) quoted: bool,
    /// A reserved word at a place where bash looks for one.
    pub(super) reserved: Option<&'static str>,
    /// The name of `NAME=value`, and the bytes of its value in `value`.
    pub(super) assigns: Option<(String, bool)>,
    /// Bash evaluates a part of the word: an arithmetic expression, or a prompt.
    pub(super) evaluates: bool,
    /// Variables that `${NAME:=value}` sets.
    pub(super) sets: Vec<(String, String)>,
}

/// A program inside a word.
#[derive(Clone, Debug)]
pub(super) enum Inner {
    /// Its tokens have ranges in the same text.
    Tokens(Tokens),
    /// The same for a program that reads what another writes: `>(…)`.
    Fed(Tokens),
    /// Its text has escapes that do not belong to it.
    Text(String, Range<usize>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    Read,
    Write,
    Append,
    ReadWrite,
    /// `<&` and `>&`.
    Duplicate,
    Document,
    HereString,
}

#[derive(Clone, Debug)]
pub(super) struct Redirect {
    pub(super) kind: RedirectKind,
    /// The number of the file is written, and is neither the input nor the output.
    pub(super) numbered: bool,
    pub(super) target: Text,
    pub(super) target_range: Range<usize>,
}

impl Redirect {
    /// Returns whether the redirection is `2>/dev/null` or the like: the lexer has read it behind a number.
    fn is_silence(&self) -> bool {
        self.numbered && self.target.value == "/dev/null"
    }
}

const RESERVED: [&str; 20] = [
    "!", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for", "function", "if", "select",
    "then", "time", "until", "while", "[[",
];

/// Where a `case` is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Subject,
    In,
    Pattern,
    Body,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Frame {
    Subshell,
    Case(Case),
    Block,
}

/// What a program ends with.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Text,
    Parenthesis,
}

pub(super) struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    limits: Limits,
    count: usize,
}

/// Reads a whole text.
pub(super) fn lex(text: &str, limits: Limits) -> Lexed<Tokens> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, depth: 0, limits, count: 0 };
    lexer.check_continuations()?;
    lexer.program(End::Text)
}

/// Reads a here-document whose delimiter has no quotes: it has expansions as between double quotes.
pub(super) fn lex_document(text: &str, limits: Limits) -> Lexed<Text> {
    let mut lexer = Lexer { text, bytes: text.as_bytes(), at: 0, depth: 0, limits, count: 0 };
    let mut word = Text::default();
    lexer.double_quoted(&mut word, None)?;
    Ok(word)
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|b| b.is_ascii_alphabetic() || b == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl Lexer<'_> {
    fn refuse<T>(&self, rule: &'static str, reason: &'static str) -> Lexed<T> {
        Err(Refusal { rule, reason, at: self.at.min(self.text.len()) })
    }

    fn unreadable<T>(&self, reason: &'static str) -> Lexed<T> {
        self.refuse("unreadable", reason)
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(text.as_bytes());
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
    fn check_continuations(&self) -> Lexed<()> {
        if !self.bytes.contains(&b'\\') {
            return Ok(());
        }
        for (at, _) in self.text.match_indices("\\\n") {
            if at > 0 && b"$<>&|;(){}`!\\".contains(&self.bytes[at - 1]) {
                return Err(Refusal {
                    rule: "continuation",
                    reason: "a line ends with `\\` in the middle of an operator",
                    at,
                });
            }
        }
        Ok(())
    }

    fn skip_blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t') => self.at += 1,
                Some(b'\\') if self.peek_at(1) == Some(b'\n') => self.at += 2,
                _ => return,
            }
        }
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Lexed<T>) -> Lexed<T> {
        if self.depth >= self.limits.depth {
            return self.refuse("too-deep", "the command nests substitutions too deeply");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    fn push(&mut self, tokens: &mut Tokens, kind: Kind, start: usize) -> Lexed<()> {
        self.count += 1;
        if self.count > self.limits.tokens {
            return self.refuse("too-long", "the command has too many words");
        }
        tokens.push(Token { kind, range: start..self.at });
        Ok(())
    }

    fn program(&mut self, end: End) -> Lexed<Tokens> {
        let mut state =
            Program { tokens: Vec::new(), frames: Vec::new(), documents: Vec::new(), first: true, after_name: false };
        loop {
            self.skip_blanks();
            let start = self.at;
            let Some(byte) = self.peek() else { break };
            match byte {
                b'#' => self.skip_comment(),
                b'\n' => {
                    self.at += 1;
                    state.first = true;
                    state.after_name = false;
                    self.push(&mut state.tokens, Kind::Op(Op::Newline), start)?;
                    self.read_documents(&mut state)?;
                }
                b')' if end == End::Parenthesis && state.frames.is_empty() => {
                    if !state.documents.is_empty() {
                        return self.unreadable("a here-document has no lines before the `)`");
                    }
                    return Ok(state.tokens);
                }
                b'&' | b'|' | b';' | b'(' | b')' => self.operator(&mut state, byte)?,
                b'<' | b'>' if self.peek_at(1) != Some(b'(') => {
                    let redirect = self.redirect(&mut state)?;
                    self.push(&mut state.tokens, redirect, start)?;
                }
                _ => self.word_token(&mut state)?,
            }
        }
        if end == End::Parenthesis {
            return self.unreadable("a `(` has no `)`");
        }
        if !state.documents.is_empty() {
            return self.unreadable("a here-document has no lines");
        }
        if !state.frames.is_empty() {
            return self.unreadable("a compound command has no end");
        }
        Ok(state.tokens)
    }

    fn skip_comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.at += 1;
        }
    }

    fn operator(&mut self, state: &mut Program, byte: u8) -> Lexed<()> {
        let start = self.at;
        let in_pattern = matches!(state.frames.last(), Some(Frame::Case(Case::Pattern)));
        let op = match byte {
            b'(' if in_pattern => {
                self.at += 1;
                return Ok(());
            }
            b'|' if in_pattern => {
                self.at += 1;
                return self.push(&mut state.tokens, Kind::Op(Op::Pipe), start);
            }
            b')' => {
                self.at += 1;
                match state.frames.last_mut() {
                    Some(Frame::Case(case @ Case::Pattern)) => {
                        *case = Case::Body;
                        state.first = true;
                        Op::PatternEnd
                    }
                    Some(Frame::Subshell) => {
                        state.frames.pop();
                        state.first = true;
                        Op::Close
                    }
                    _ => return self.unreadable("a `)` has no `(`"),
                }
            }
            b'(' => {
                if state.after_name {
                    self.at += 1;
                    self.skip_blanks();
                    if !self.eat(")") {
                        return self.unreadable("a `(` follows a word");
                    }
                    state.first = true;
                    state.after_name = false;
                    return self.push(&mut state.tokens, Kind::Op(Op::Function), start);
                }
                if !state.first {
                    return self.unreadable("a `(` follows a word");
                }
                if self.peek_at(1) == Some(b'(') {
                    return self.arithmetic_command(state);
                }
                self.at += 1;
                self.enter(state, Frame::Subshell)?;
                Op::Open
            }
            b';' => {
                self.at += 1;
                if self.eat(";") {
                    let _ = self.eat("&");
                    self.end_of_case(state)?
                } else if self.peek() == Some(b'&') {
                    self.at += 1;
                    self.end_of_case(state)?
                } else {
                    Op::Semicolon
                }
            }
            b'|' => {
                self.at += 1;
                if self.eat("|") {
                    Op::Or
                } else {
                    let _ = self.eat("&");
                    Op::Pipe
                }
            }
            _ => {
                self.at += 1;
                if self.eat("&") {
                    Op::And
                } else if self.peek() == Some(b'>') {
                    self.at -= 1;
                    let redirect = self.redirect(state)?;
                    return self.push(&mut state.tokens, redirect, start);
                } else {
                    Op::Background
                }
            }
        };
        state.first = true;
        state.after_name = false;
        self.push(&mut state.tokens, Kind::Op(op), start)
    }

    fn end_of_case(&mut self, state: &mut Program) -> Lexed<Op> {
        match state.frames.last_mut() {
            Some(Frame::Case(case @ Case::Body)) => {
                *case = Case::Pattern;
                Ok(Op::CaseEnd)
            }
            _ => self.unreadable("a `;;` is outside of a `case`"),
        }
    }

    fn enter(&mut self, state: &mut Program, frame: Frame) -> Lexed<()> {
        if state.frames.len() >= self.limits.nesting {
            return self.refuse("too-deep", "the command nests compound commands too deeply");
        }
        state.frames.push(frame);
        Ok(())
    }

    /// Reads `((…))` as one word.
    fn arithmetic_command(&mut self, state: &mut Program) -> Lexed<()> {
        let start = self.at;
        self.at += 2;
        let mut word = Text { quoted: true, evaluates: true, ..Text::default() };
        self.arithmetic(&mut word)?;
        "((".clone_into(&mut word.value);
        state.first = true;
        state.after_name = false;
        self.push(&mut state.tokens, Kind::Word(word), start)
    }

    /// Reads to the `))` of an arithmetic expression.
    fn arithmetic(&mut self, word: &mut Text) -> Lexed<()> {
        let mut open = 0_usize;
        loop {
            match self.peek() {
                None => return self.unreadable("an arithmetic expression has no end"),
                Some(b')') if open == 0 => {
                    if self.eat("))") {
                        return Ok(());
                    }
                    return self.unreadable(
                        "`((` is an arithmetic expression or a subshell: write a space between the parentheses",
                    );
                }
                Some(b'(') => {
                    open += 1;
                    self.at += 1;
                }
                Some(b')') => {
                    open -= 1;
                    self.at += 1;
                }
                Some(_) => self.piece(word)?,
            }
        }
    }

    fn redirect(&mut self, state: &mut Program) -> Lexed<Kind> {
        let operators = [
            ("&>>", RedirectKind::Append),
            ("&>", RedirectKind::Write),
            ("<<<", RedirectKind::HereString),
            ("<<", RedirectKind::Document),
            ("<>", RedirectKind::ReadWrite),
            ("<&", RedirectKind::Duplicate),
            (">&", RedirectKind::Duplicate),
            (">>", RedirectKind::Append),
            (">|", RedirectKind::Write),
            (">", RedirectKind::Write),
            ("<", RedirectKind::Read),
        ];
        let mut kind = RedirectKind::Read;
        for (operator, of) in operators {
            if self.eat(operator) {
                kind = of;
                break;
            }
        }
        let tabs = kind == RedirectKind::Document && self.eat("-");
        self.skip_blanks();
        let start = self.at;
        let raw_start = self.at;
        let mut words = self.word()?;
        if words.len() != 1 {
            return self.unreadable("a redirection has no single file");
        }
        let Some(target) = words.pop() else { return self.unreadable("a redirection has no file") };
        if kind == RedirectKind::Document {
            if mark::in_text(&target.value) && !target.quoted || !target.programs.is_empty() {
                return self.unreadable("the end of a here-document is not a plain word");
            }
            let raw = &self.text[raw_start..self.at];
            let quoted = raw.contains(['\'', '"', '\\']);
            if !quoted && raw.contains(['$', '`', '*', '?', '[', '{']) {
                return self.unreadable("the end of a here-document is not a plain word");
            }
            state.documents.push(Document { token: state.tokens.len(), end: target.value.clone(), tabs, quoted });
        }
        Ok(Kind::Redirect(Redirect { kind, numbered: false, target, target_range: start..self.at }))
    }

    /// Reads the lines of the here-documents that the line before has begun.
    fn read_documents(&mut self, state: &mut Program) -> Lexed<()> {
        for document in std::mem::take(&mut state.documents) {
            let start = self.at;
            let mut body = String::new();
            loop {
                if self.at >= self.text.len() {
                    // Bash warns and takes the end of the text. Inside a substitution it is not clear what the end is.
                    if self.depth > 0 {
                        return self.unreadable("a here-document has no end");
                    }
                    break;
                }
                let rest = &self.text[self.at..];
                let line_end = rest.find('\n').map_or(rest.len(), |end| end + 1);
                let line = &rest[..line_end];
                self.at += line_end;
                let line = if document.tabs { line.trim_start_matches('\t') } else { line };
                if line.strip_suffix('\n').unwrap_or(line) == document.end {
                    break;
                }
                body.push_str(line);
            }
            let end = self.at;
            let text = if document.quoted {
                Text { value: body, quoted: true, ..Text::default() }
            } else {
                let limits = Limits { depth: self.limits.depth.saturating_sub(self.depth), ..self.limits };
                lex_document(&body, limits).map_err(|refusal| Refusal { at: start, ..refusal })?
            };
            let text = Text {
                programs: text.programs.into_iter().map(|inner| at_place(inner, &(start..end))).collect(),
                ..text
            };
            if let Some(Token { kind: Kind::Redirect(redirect), .. }) = state.tokens.get_mut(document.token) {
                redirect.target = text;
                redirect.target_range = start..end;
            }
        }
        Ok(())
    }

    fn word_token(&mut self, state: &mut Program) -> Lexed<()> {
        let start = self.at;
        let ends_test = |text: &Text| text.value == "]]" && text.evaluates && !text.quoted;
        let before = state.tokens.iter().rev().find(|token| !matches!(token.kind, Kind::Redirect(_)));
        if matches!(before, Some(Token { kind: Kind::Word(text), .. }) if ends_test(text)) {
            return self.unreadable("a word follows `]]`");
        }
        let words = self.word()?;
        let raw = &self.text[start..self.at];
        if self.at == start {
            return self.unreadable("a character is not a part of a command");
        }
        // Digits directly in front of a redirection are the number of a file.
        if raw.bytes().all(|b| b.is_ascii_digit())
            && matches!(self.peek(), Some(b'<' | b'>'))
            && self.peek_at(1) != Some(b'(')
        {
            let number = raw != "0" && raw != "1";
            let mut redirect = self.redirect(state)?;
            if let Kind::Redirect(redirect) = &mut redirect {
                redirect.numbered = number;
            }
            return self.push(&mut state.tokens, redirect, start);
        }
        match state.frames.last_mut() {
            Some(Frame::Case(case)) if *case != Case::Body => {
                let mut reserved = None;
                match *case {
                    Case::Subject => *case = Case::In,
                    Case::In if raw == "in" => {
                        *case = Case::Pattern;
                        reserved = Some("in");
                    }
                    Case::Pattern if raw == "esac" => {
                        state.frames.pop();
                        state.first = true;
                        let word = Text { value: "esac".to_owned(), reserved: Some("esac"), ..Text::default() };
                        return self.push(&mut state.tokens, Kind::Word(word), start);
                    }
                    Case::Pattern => {}
                    _ => return self.unreadable("a `case` has no `in`"),
                }
                for word in words {
                    self.push(&mut state.tokens, Kind::Word(Text { reserved, ..word }), start)?;
                }
                return Ok(());
            }
            _ => {}
        }
        let was_first = state.first;
        let function_name = state
            .tokens
            .last()
            .is_some_and(|token| matches!(&token.kind, Kind::Word(word) if word.reserved == Some("function")));
        state.first = false;
        state.after_name = was_first || function_name;
        let reserved =
            if was_first && !function_name { RESERVED.into_iter().find(|reserved| *reserved == raw) } else { None };
        for mut word in words {
            word.reserved = reserved;
            if word.assigns.is_some() {
                state.after_name = false;
            }
            self.push(&mut state.tokens, Kind::Word(word), start)?;
        }
        if function_name {
            // The body of `function name { … }` begins like a command.
            state.first = true;
        }
        match reserved {
            Some(word) => self.reserved(state, word),
            None => Ok(()),
        }
    }

    fn reserved(&mut self, state: &mut Program, word: &'static str) -> Lexed<()> {
        state.after_name = false;
        match word {
            "case" => return self.enter(state, Frame::Case(Case::Subject)),
            "esac" => {
                if !matches!(state.frames.pop(), Some(Frame::Case(Case::Body))) {
                    return self.unreadable("an `esac` has no `case`");
                }
                state.first = true;
            }
            "if" | "{" | "while" | "until" => {
                self.enter(state, Frame::Block)?;
                state.first = true;
            }
            "for" | "select" => {
                self.enter(state, Frame::Block)?;
                self.skip_blanks();
                if self.peek() == Some(b'(') && self.peek_at(1) == Some(b'(') {
                    self.arithmetic_command(state)?;
                    state.first = false;
                }
            }
            "fi" | "}" | "done" => {
                if !matches!(state.frames.pop(), Some(Frame::Block)) {
                    return self.unreadable("a compound command ends that has not begun");
                }
                state.first = true;
            }
            "!" | "then" | "else" | "elif" | "do" | "time" | "coproc" => state.first = true,
            "[[" => return self.test(state),
            _ => {}
        }
        Ok(())
    }

    /// Reads the words of `[[ … ]]`. Its operators are not those of commands.
    fn test(&mut self, state: &mut Program) -> Lexed<()> {
        loop {
            self.skip_blanks();
            let start = self.at;
            match self.peek() {
                None | Some(b';') => return self.unreadable("a `[[` has no `]]`"),
                Some(b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|') => self.at += 1,
                Some(_) => {
                    for mut word in self.word()? {
                        let end = word.value == "]]" && !word.quoted;
                        word.evaluates = true;
                        self.push(&mut state.tokens, Kind::Word(word), start)?;
                        if end {
                            state.first = true;
                            return Ok(());
                        }
                    }
                }
            }
        }
    }

    /// Reads one word. It becomes several if it has braces.
    fn word(&mut self) -> Lexed<Vec<Text>> {
        let start = self.at;
        let mut word = Text::default();
        if self.peek() == Some(b'~') {
            self.tilde(&mut word);
        }
        loop {
            match self.peek() {
                None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')') => break,
                // Bash expands a `~` behind the `=` of what looks like an assignment, and behind a `:` in it.
                Some(b'~') if self.in_assignment(start) => {
                    let before = self.at;
                    self.tilde(&mut word);
                    if self.at == before {
                        self.piece(&mut word)?;
                    }
                }
                Some(b'(') => {
                    let raw = &self.text[start..self.at];
                    let name = raw.strip_suffix('=').map(|name| name.strip_suffix('+').unwrap_or(name));
                    if name.is_some_and(is_name) {
                        self.array(&mut word)?;
                        continue;
                    }
                    break;
                }
                Some(b'<' | b'>') => {
                    if self.peek_at(1) == Some(b'(') {
                        let fed = self.peek() == Some(b'>');
                        self.at += 2;
                        self.substitution(&mut word)?;
                        if let Some(Inner::Tokens(tokens)) = word.programs.pop_if(|_| fed) {
                            word.programs.push(Inner::Fed(tokens));
                        }
                        word.value.push_str("/dev/fd/");
                        word.value.push(mark::NUMBER);
                        word.quoted = true;
                    } else {
                        break;
                    }
                }
                Some(_) => self.piece(&mut word)?,
            }
        }
        let raw = &self.text[start..self.at];
        if let Some(equals) = raw.find('=') {
            let name = &raw[..equals];
            let append = name.ends_with('+');
            let name = name.strip_suffix('+').unwrap_or(name);
            let base = name.split_once('[').map_or(name, |(base, _)| base);
            if is_name(base) && (base.len() == name.len() || name.ends_with(']')) {
                word.assigns = Some((base.to_owned(), append));
            }
        }
        if word.assigns.is_some() || !word.value.contains(mark::OPEN) {
            unmark(&mut word.value);
            return Ok(vec![word]);
        }
        Ok(self.braces(word))
    }

    /// Returns whether the word that begins at a byte is `NAME=` so far, or ends with `:` behind that.
    fn in_assignment(&self, start: usize) -> bool {
        let raw = &self.text[start..self.at];
        let Some((name, value)) = raw.split_once('=') else { return false };
        is_name(name.strip_suffix('+').unwrap_or(name)) && (value.is_empty() || value.ends_with(':'))
    }

    fn braces(&self, word: Text) -> Vec<Text> {
        let mut expanded = Vec::new();
        if !super::braces::expand(&word.value, self.limits.braces, &mut expanded) {
            return vec![Text { value: mark::SPLITS.to_string(), ..word }];
        }
        let mut programs = word.programs;
        let texts = expanded.into_iter().map(|mut value| {
            unmark(&mut value);
            Text {
                value,
                programs: std::mem::take(&mut programs),
                quoted: true,
                evaluates: word.evaluates,
                ..Text::default()
            }
        });
        texts.collect()
    }

    fn array(&mut self, word: &mut Text) -> Lexed<()> {
        self.at += 1;
        loop {
            self.skip_blanks();
            match self.peek() {
                None => return self.unreadable("an array has no `)`"),
                Some(b')') => {
                    self.at += 1;
                    word.value.push(mark::UNKNOWN);
                    return Ok(());
                }
                Some(b'\n') => self.at += 1,
                Some(b'#') => self.skip_comment(),
                Some(b'&' | b';' | b'|' | b'(' | b'<' | b'>') => return self.unreadable("an array has an operator"),
                Some(_) => {
                    let before = self.at;
                    for element in self.deeper(Lexer::word)? {
                        word.programs.extend(element.programs);
                        word.evaluates |= element.evaluates;
                    }
                    if self.at == before {
                        return self.unreadable("an array has an operator");
                    }
                }
            }
        }
    }

    fn tilde(&mut self, word: &mut Text) {
        let rest = &self.bytes[self.at + 1..];
        let length =
            rest.iter().position(|b| !(b.is_ascii_alphanumeric() || b"+-_.".contains(b))).unwrap_or(rest.len());
        match rest.get(length) {
            None | Some(b'/' | b':' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b')' | b'<' | b'>') => {
                self.at += 1 + length;
                word.value.push(if length == 0 { mark::HOME } else { mark::UNKNOWN });
                word.quoted = true;
            }
            _ => {}
        }
    }

    /// Reads one piece of a word outside of double quotes.
    fn piece(&mut self, word: &mut Text) -> Lexed<()> {
        let Some(c) = self.next_char() else { return Ok(()) };
        match c {
            '\\' => {
                word.quoted = true;
                match self.next_char() {
                    None => return self.unreadable("the command ends with `\\`"),
                    Some('\n') => word.quoted = true,
                    Some(c) => word.value.push(c),
                }
            }
            '\'' => {
                word.quoted = true;
                let Some(length) = self.text[self.at..].find('\'') else {
                    return self.unreadable("a `'` has no end");
                };
                word.value.push_str(&self.text[self.at..self.at + length]);
                self.at += length + 1;
            }
            '"' => {
                word.quoted = true;
                self.double_quoted(word, Some(b'"'))?;
            }
            '$' => self.dollar(word, false)?,
            '`' => self.backquoted(word, false)?,
            '*' => word.value.push(mark::STAR),
            '?' => word.value.push(mark::ANY),
            '[' => word.value.push(mark::CLASS),
            '{' => word.value.push(mark::OPEN),
            ',' => word.value.push(mark::COMMA),
            '}' => word.value.push(mark::CLOSE),
            c => {
                if is_invisible(c) || is_blank(c) && !matches!(c, '\n' | '\t' | ' ') {
                    return self.refuse("hidden-character", "the command has a character that people cannot see");
                }
                word.value.push(c);
            }
        }
        Ok(())
    }

    fn double_quoted(&mut self, word: &mut Text, end: Option<u8>) -> Lexed<()> {
        while let Some(byte) = self.peek() {
            match byte {
                b'"' if end.is_some() => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => {
                    self.at += 1;
                    match self.next_char() {
                        None if end.is_none() => word.value.push('\\'),
                        None => return self.unreadable("a `\"` has no end"),
                        Some('\n') => {}
                        Some('"') if end.is_none() => word.value.push_str("\\\""),
                        Some(c @ ('$' | '`' | '"' | '\\')) => word.value.push(c),
                        Some(c) => {
                            word.value.push('\\');
                            word.value.push(c);
                        }
                    }
                }
                b'$' => {
                    self.at += 1;
                    self.dollar(word, true)?;
                }
                b'`' => {
                    self.at += 1;
                    self.backquoted(word, true)?;
                }
                _ => {
                    let rest = &self.bytes[self.at..];
                    let length =
                        rest.iter().position(|b| matches!(b, b'"' | b'\\' | b'$' | b'`')).unwrap_or(rest.len()).max(1);
                    word.value.push_str(&self.text[self.at..self.at + length]);
                    self.at += length;
                }
            }
        }
        if end.is_some() { self.unreadable("a `\"` has no end") } else { Ok(()) }
    }

    fn dollar(&mut self, word: &mut Text, quoted: bool) -> Lexed<()> {
        let unknown = if quoted { mark::UNKNOWN } else { mark::SPLITS };
        match self.peek() {
            Some(b'(') => {
                word.quoted = true;
                self.at += 1;
                if self.peek() == Some(b'(') {
                    self.at += 1;
                    word.evaluates = true;
                    let mut inner = Text::default();
                    self.deeper(|lexer| lexer.arithmetic(&mut inner))?;
                    word.programs.append(&mut inner.programs);
                    word.value.push(mark::UNKNOWN);
                    return Ok(());
                }
                self.substitution(word)?;
                match word.programs.last().and_then(|inner| output(inner, quoted)) {
                    Some(text) => word.value.push_str(&text),
                    None => word.value.push(unknown),
                }
            }
            Some(b'{') => {
                word.quoted = true;
                self.at += 1;
                self.deeper(|lexer| lexer.parameter(word, quoted))?;
            }
            Some(b'[') => return self.unreadable("`$[` is an old arithmetic expression: write `$((`"),
            Some(b'\'') if !quoted => {
                word.quoted = true;
                self.at += 1;
                self.ansi(word)?;
            }
            Some(b'"') if !quoted => {
                word.quoted = true;
                self.at += 1;
                self.double_quoted(word, Some(b'"'))?;
            }
            Some(b) if b.is_ascii_alphabetic() || b == b'_' => {
                word.quoted = true;
                let start = self.at;
                while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
                    self.at += 1;
                }
                variable(&mut word.value, &self.text[start..self.at], quoted);
            }
            Some(b'0'..=b'9' | b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => {
                word.quoted = true;
                self.at += 1;
                let number = matches!(self.bytes[self.at - 1], b'#' | b'?' | b'$' | b'!');
                word.value.push(if number { mark::NUMBER } else { unknown });
                if self.bytes[self.at - 1] == b'@' {
                    word.value.push(mark::SPLITS);
                }
            }
            _ => word.value.push('$'),
        }
        Ok(())
    }

    fn substitution(&mut self, word: &mut Text) -> Lexed<()> {
        let tokens = self.deeper(|lexer| lexer.program(End::Parenthesis))?;
        self.at += 1;
        word.programs.push(Inner::Tokens(tokens));
        Ok(())
    }

    /// Reads `${…}` after its `{`.
    fn parameter(&mut self, word: &mut Text, quoted: bool) -> Lexed<()> {
        let unknown = if quoted { mark::UNKNOWN } else { mark::SPLITS };
        let indirect = matches!(self.peek(), Some(b'!' | b'#')) && self.peek_at(1) != Some(b'}');
        if indirect {
            self.at += 1;
        }
        let start = self.at;
        while self.peek().is_some_and(|b| b.is_ascii_alphanumeric() || b == b'_') {
            self.at += 1;
        }
        if self.at == start {
            match self.peek() {
                Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!') => self.at += 1,
                _ => return self.unreadable("a `${` has no name"),
            }
        }
        let name = &self.text[start..self.at];
        let operator = self.at;
        let mut inner = Text::default();
        loop {
            match self.peek() {
                None => return self.unreadable("a `${` has no `}`"),
                Some(b'}') => break,
                Some(b'\'') if quoted => {
                    return self.unreadable("a `'` in `${…}` between double quotes has two meanings");
                }
                Some(b'"') if quoted => {
                    self.at += 1;
                    self.deeper(|lexer| lexer.double_quoted(&mut inner, Some(b'"')))?;
                }
                Some(_) => self.piece(&mut inner)?,
            }
        }
        let rest = &self.text[operator..self.at];
        self.at += 1;
        word.programs.append(&mut inner.programs);
        if rest.starts_with("@P") {
            return self.unreadable("bash runs what is in the value of a `${…@P}`");
        }
        // `@P` expands the value as a prompt, a subscript is an expression, and so are `:` and a number.
        word.evaluates |= inner.evaluates || rest.starts_with('@') || indirect;
        if is_name(name) && (rest.starts_with('=') || rest.starts_with(":=")) {
            word.sets.push((name.to_owned(), inner.value.trim_start_matches([':', '=']).to_owned()));
        }
        word.sets.append(&mut inner.sets);
        let every = name == "@" || rest.starts_with("[@]");
        let temp = matches!(name, "TMPDIR" | "TMP" | "TEMP") && matches!(rest, ":-/tmp" | "-/tmp" | ":-/var/tmp");
        let length = rest.is_empty() && self.bytes[start - 1] == b'#';
        let plain = !indirect && is_name(name) && inner.programs.is_empty() && !mark::is_open(&inner.value);
        match rest.bytes().next() {
            None if length => word.value.push(mark::NUMBER),
            _ if temp => word.value.push(mark::TEMP),
            None if plain => variable(&mut word.value, name, quoted),
            // What `%`, `#` and the like do to a value that is known.
            Some(b'%' | b'#' | b':' | b'-' | b'/') if plain && rest.is_ascii() => {
                variable(&mut word.value, &self.text[start..self.at - 1], quoted);
            }
            _ => word.value.push(unknown),
        }
        if every {
            word.value.push(mark::SPLITS);
        }
        Ok(())
    }

    fn backquoted(&mut self, word: &mut Text, quoted: bool) -> Lexed<()> {
        let start = self.at;
        let mut text = String::new();
        loop {
            match self.next_char() {
                None => return self.unreadable("a backquote has no end"),
                Some('`') => break,
                Some('\\') => match self.next_char() {
                    None => return self.unreadable("a backquote has no end"),
                    Some(c @ ('$' | '`' | '\\')) => text.push(c),
                    Some('"') if quoted => text.push('"'),
                    Some(c) => {
                        text.push('\\');
                        text.push(c);
                    }
                },
                Some(c) => text.push(c),
            }
        }
        word.quoted = true;
        let limits = Limits { depth: 0, ..self.limits };
        let known = lex(&text, limits).ok().and_then(|tokens| output(&Inner::Tokens(tokens), quoted));
        match known {
            Some(text) => word.value.push_str(&text),
            None => word.value.push(if quoted { mark::UNKNOWN } else { mark::SPLITS }),
        }
        word.programs.push(Inner::Text(text, start..self.at - 1));
        Ok(())
    }

    /// Reads `$'…'` after its quote.
    fn ansi(&mut self, word: &mut Text) -> Lexed<()> {
        loop {
            match self.next_char() {
                None => return self.unreadable("a `$'` has no end"),
                Some('\'') => return Ok(()),
                Some('\\') => self.ansi_escape(word)?,
                Some(c) => word.value.push(c),
            }
        }
    }

    fn ansi_escape(&mut self, word: &mut Text) -> Lexed<()> {
        let Some(c) = self.next_char() else { return self.unreadable("a `$'` has no end") };
        let value = match c {
            'a' => 7,
            'b' => 8,
            'e' | 'E' => 27,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'v' => 11,
            '\\' | '\'' | '"' | '?' => c as u32,
            '0'..='7' => {
                self.at -= 1;
                self.number(8, 3) & 0xFF
            }
            'x' | 'u' | 'U' => {
                let digits = match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                };
                let before = self.at;
                let value = self.number(16, digits);
                if self.at == before {
                    word.value.push('\\');
                    c as u32
                } else if c == 'x' && value > 0x7F {
                    // A byte of a character. What it becomes depends on the bytes around it.
                    word.value.push(mark::UNKNOWN);
                    return Ok(());
                } else {
                    value
                }
            }
            'c' => match self.next_char() {
                Some(c) if c.is_ascii() => (c as u32) & 0x1F,
                _ => return self.unreadable("a `$'` has an escape without meaning"),
            },
            c => {
                word.value.push('\\');
                c as u32
            }
        };
        match char::from_u32(value) {
            Some(c) if value != 0 && !mark::is(c) => word.value.push(c),
            // A zero byte ends the word for bash, with or without the rest of it.
            _ => return self.unreadable("a `$'` has an escape without meaning"),
        }
        Ok(())
    }

    fn number(&mut self, radix: u32, digits: usize) -> u32 {
        let mut value = 0_u32;
        for _ in 0..digits {
            let Some(digit) = self.peek().and_then(|b| (b as char).to_digit(radix)) else { break };
            value = value.wrapping_mul(radix).wrapping_add(digit);
            self.at += 1;
        }
        value
    }
}

struct Program {
    tokens: Tokens,
    frames: Vec<Frame>,
    documents: Vec<Document>,
    /// The next word is the first of a command: bash looks for reserved words.
    first: bool,
    /// The last token is the first word of a command: a `(` makes it a function.
    after_name: bool,
}

struct Document {
    token: usize,
    end: String,
    tabs: bool,
    quoted: bool,
}

/// Returns what a substitution becomes, for the programs of which that is known.
fn output(inner: &Inner, quoted: bool) -> Option<String> {
    let Inner::Tokens(all) = inner else { return None };
    let is_pipe = |token: &Token| matches!(token.kind, Kind::Op(Op::Pipe));
    let word = |token: Option<&Token>| match &token?.kind {
        Kind::Word(text) => Some(text.value.clone()),
        _ => None,
    };
    // Filters pass lines on as they are.
    let mut commands = all.split(is_pipe);
    let tokens = commands.next()?;
    let piped = tokens.len() < all.len();
    if !commands.all(|command| is_filter(&command.iter().map(|token| word(Some(token))).collect::<Vec<_>>())) {
        return None;
    }
    let (first, rest) = tokens.split_first()?;
    // Where messages of errors go has no effect on the output.
    let silent = |token: &&Token| !matches!(&token.kind, Kind::Redirect(redirect) if redirect.is_silence());
    let plain = |token: &'_ Token| match &token.kind {
        Kind::Word(text) if !mark::in_text(&text.value) && !text.value.contains('\\') => Some(text.value.clone()),
        _ => None,
    };
    let program = plain(first)?;
    let words = rest.iter().filter(silent).map(plain).collect::<Option<Vec<_>>>()?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mark = match (program.as_str(), words.as_slice()) {
        ("pwd", [] | ["-P" | "-L"]) | ("git", ["rev-parse", "--show-toplevel"]) => Some(mark::PWD.to_string()),
        ("mktemp", words) if words.iter().all(|word| matches!(*word, "-d" | "-q" | "--directory")) => {
            Some(format!("{}/new", mark::TEMP))
        }
        ("nproc" | "arch" | "pgrep" | "pidof" | "pkg-config", _)
        | ("docker" | "podman", ["ps", ..])
        | ("go", ["list", ..])
        | ("uname", ["-m" | "-s" | "-r"])
        | ("id", ["-u" | "-g"])
        | ("lsof", [_, ..])
            if match program.as_str() {
                "lsof" => words.iter().any(|word| word.starts_with("-t")),
                "docker" | "podman" => words.iter().any(|word| matches!(*word, "-q" | "-aq" | "-qa" | "--quiet")),
                _ => true,
            } =>
        {
            Some(mark::NUMBER.to_string())
        }
        ("git", ["rev-parse", rest @ ..])
            if rest.split_last().is_some_and(|(last, options)| {
                *last == "HEAD" && options.iter().all(|option| option.starts_with("--short"))
            }) =>
        {
            Some(mark::NUMBER.to_string())
        }
        ("date", rest) if rest.last().is_some_and(|format| is_plain_date(format)) => Some(mark::NUMBER.to_string()),
        _ => None,
    };
    if mark.is_some() {
        return mark;
    }
    if piped || program != "echo" || words.first()?.starts_with('-') {
        return None;
    }
    let text = words.join(" ");
    let one_word = !text.is_empty() && !text.contains(|c: char| c.is_whitespace() || matches!(c, '*' | '?' | '['));
    (quoted && !text.ends_with('\n') || one_word).then_some(text)
}

/// Returns whether a command passes on lines of its input as they are.
fn is_filter(words: &[Option<String>]) -> bool {
    let Some(words) = words.iter().map(Option::as_deref).collect::<Option<Vec<&str>>>() else { return false };
    let plain = |word: &&&str| {
        let rest = word.strip_prefix('-').unwrap_or("");
        !(word.bytes().all(|b| b.is_ascii_digit())
            || !rest.is_empty() && rest.bytes().all(|b| b"viEFwxurn0123456789".contains(&b)))
    };
    match words.split_first() {
        Some((&"grep", rest)) => {
            rest.iter().filter(plain).count() == 1 && !rest.iter().any(|word| word.starts_with("-r"))
        }
        Some((&("head" | "tail" | "sort" | "uniq"), rest)) => rest.iter().filter(plain).count() == 0,
        _ => false,
    }
}

/// Returns whether a format of `date` has only numbers and names, and no path.
fn is_plain_date(format: &str) -> bool {
    let mut parts = format.split('%');
    parts.next() == Some("+")
        && parts.all(|part| {
            part.starts_with(|c: char| "YmdHMSsFTjNyuV".contains(c))
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_:.".contains(&b))
        })
}

fn variable(value: &mut String, name: &str, quoted: bool) {
    value.push(if quoted { mark::VARIABLE } else { mark::SPLITTING_VARIABLE });
    value.push_str(name);
    value.push(mark::END);
}

/// Replaces the marks of braces that are not expanded, and those of `[` without `]`.
fn unmark(value: &mut String) {
    if !mark::in_text(value) {
        return;
    }
    let class = value.rfind(']');
    let plain: String = value
        .char_indices()
        .map(|(at, c)| match c {
            mark::OPEN => '{',
            mark::COMMA => ',',
            mark::CLOSE => '}',
            mark::CLASS if class.is_none_or(|class| class < at) => '[',
            c => c,
        })
        .collect();
    *value = plain;
}

/// Gives the programs of a here-document the place of the here-document: their ranges count from its begin, and the shell has
/// removed tabs.
fn at_place(inner: Inner, place: &Range<usize>) -> Inner {
    match inner {
        Inner::Text(text, _) => Inner::Text(text, place.clone()),
        Inner::Tokens(tokens) => Inner::Tokens(tokens.into_iter().map(|token| token_at(token, place)).collect()),
        Inner::Fed(tokens) => Inner::Fed(tokens.into_iter().map(|token| token_at(token, place)).collect()),
    }
}

fn token_at(mut token: Token, place: &Range<usize>) -> Token {
    token.range = place.clone();
    let text = match &mut token.kind {
        Kind::Word(text) => text,
        Kind::Redirect(redirect) => {
            redirect.target_range = place.clone();
            &mut redirect.target
        }
        Kind::Op(_) => return token,
    };
    text.programs = std::mem::take(&mut text.programs).into_iter().map(|inner| at_place(inner, place)).collect();
    token
}

impl Text {
    pub(super) fn word(&self, range: Range<usize>) -> Word {
        Word { value: self.value.clone(), range, quoted: self.quoted }
    }
}
