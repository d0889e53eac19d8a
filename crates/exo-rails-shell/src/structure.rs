//! From tokens to commands: which commands a program has, what feeds them, and in what scope they run.
//!
//! The grammar is that of `brush-parser`. The parser gets tokens that only show what the grammar asks for: it decides neither
//! quotes nor expansions, and a simple command is one word for it ([`simple_command`]). A program of simple commands, pipelines
//! and lists has no need for it ([`flat`]).

use std::ops::Range;
use std::sync::Arc;

use brush_parser::ast;
use brush_parser::{ParserOptions, SourcePosition, SourceSpan, Token as BrushToken};

use super::lexer::{Kind, Op, RedirectKind, Token};

/// A part of a program, in the order of the text. Numbers of tokens name words and redirections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Command(Step),
    /// A subshell begins: what it does to its working directory ends with it.
    Enter,
    Leave,
    /// A function with this name begins.
    Function(usize),
    EndFunction,
    /// A list of pipelines with `&&` and `||` begins, and ends.
    List,
    EndList,
    /// What follows in the list runs if something before it failed.
    Or,
    /// A loop gives values to a variable.
    Loop {
        name: usize,
        values: Vec<usize>,
    },
    EndLoop,
}

/// A simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) words: Vec<usize>,
    pub(super) assignments: Vec<usize>,
    pub(super) redirects: Vec<usize>,
    pub(super) input: Input,
    /// The command runs only if the command before it succeeded.
    pub(super) after_success: bool,
    /// The command runs for sure, and in the shell itself.
    pub(super) certain: bool,
}

impl Step {
    /// Reads the words, assignments and redirections from a token on. Returns the token behind them.
    fn read(&mut self, tokens: &[Token], start: usize) -> usize {
        for (at, token) in tokens.iter().enumerate().skip(start) {
            match &token.kind {
                Kind::Word(word) if word.assigns.is_some() && self.words.is_empty() => self.assignments.push(at),
                Kind::Word(_) => self.words.push(at),
                Kind::Redirect(_) => self.redirects.push(at),
                Kind::Op(_) => return at,
            }
        }
        tokens.len()
    }
}

/// What a command reads, if it has no redirection of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Input {
    /// What the shell reads.
    #[default]
    Inherited,
    /// The output of other commands: their numbers among the commands of the program.
    Pipe(Range<usize>),
    /// A redirection around the command.
    Redirect(usize),
}

/// Returns the commands of a program, or `None` if bash would not read it.
pub(super) fn structure(tokens: &[Token]) -> Option<Vec<Event>> {
    if is_flat(tokens) { flat(tokens) } else { parsed(tokens) }
}

/// Returns whether a program has only simple commands, pipelines and lists.
pub(super) fn is_flat(tokens: &[Token]) -> bool {
    tokens.iter().all(|token| match &token.kind {
        Kind::Word(word) => word.reserved.is_none_or(|word| matches!(word, "!" | "[[")),
        Kind::Op(op) => !matches!(op, Op::Open | Op::Close | Op::CaseEnd | Op::PatternEnd | Op::Function),
        Kind::Redirect(_) => true,
    })
}

/// Reads a flat program without the parser.
pub(super) fn flat(tokens: &[Token]) -> Option<Vec<Event>> {
    let mut events = Events::default();
    let mut at = skip_newlines(tokens, 0);
    while at < tokens.len() {
        at = flat_list(&mut events, tokens, at)?;
    }
    Some(events.list)
}

fn op(tokens: &[Token], at: usize) -> Option<Op> {
    match tokens.get(at)?.kind {
        Kind::Op(op) => Some(op),
        _ => None,
    }
}

fn skip_newlines(tokens: &[Token], mut at: usize) -> usize {
    while op(tokens, at) == Some(Op::Newline) {
        at += 1;
    }
    at
}

/// Reads a list of pipelines with `&&` and `||`. Returns the token behind it.
fn flat_list(events: &mut Events, tokens: &[Token], start: usize) -> Option<usize> {
    events.list.push(Event::List);
    let mut at = start;
    let mut before = None;
    loop {
        if before == Some(Op::Or) {
            events.list.push(Event::Or);
        }
        let certain = before.is_none() && !in_background(tokens, at);
        let end = flat_pipeline(events, tokens, at, before == Some(Op::And), certain)?;
        let next = op(tokens, end);
        at = match next {
            None => end,
            Some(_) => skip_newlines(tokens, end + 1),
        };
        before = next;
        if !matches!(next, Some(Op::And | Op::Or)) {
            break;
        }
    }
    events.list.push(Event::EndList);
    Some(at)
}

/// Returns whether the list that begins at a token ends with `&`.
fn in_background(tokens: &[Token], start: usize) -> bool {
    let mut at = start;
    while at < tokens.len() {
        match op(tokens, at) {
            Some(Op::Background) => return true,
            Some(Op::Semicolon | Op::Newline) => return false,
            Some(_) => at = skip_newlines(tokens, at + 1),
            None => at += 1,
        }
    }
    false
}

/// Reads a pipeline. Returns the token behind it.
fn flat_pipeline(
    events: &mut Events,
    tokens: &[Token],
    start: usize,
    after_success: bool,
    certain: bool,
) -> Option<usize> {
    let is_bang = |at: usize| matches!(tokens.get(at).map(|token| &token.kind), Some(Kind::Word(word)) if word.reserved == Some("!"));
    let mut at = start;
    while is_bang(at) {
        at += 1;
    }
    let bang = at > start;
    let first = events.commands;
    let mut input = Input::Inherited;
    loop {
        let mut step =
            Step { input: input.clone(), after_success: after_success && input == Input::Inherited, ..Step::default() };
        let begin = at;
        at = step.read(tokens, begin);
        if (begin..at).any(is_bang) {
            return None;
        }
        let more = op(tokens, at) == Some(Op::Pipe);
        let piped = more || input != Input::Inherited;
        // Only a lone `!` may have no command behind it.
        if at == begin && (piped || !bang) {
            return None;
        }
        step.certain = certain && !piped;
        if piped {
            events.list.push(Event::Enter);
        }
        events.command(step);
        if piped {
            events.list.push(Event::Leave);
        }
        if !more {
            return Some(at);
        }
        at = skip_newlines(tokens, at + 1);
        input = Input::Pipe(first..events.commands);
    }
}

/// Reads a program with the parser.
pub(super) fn parsed(tokens: &[Token]) -> Option<Vec<Event>> {
    parsed_with(tokens, simple_command)
}

/// Reads a program with the parser. `simple` finds the simple commands that are one word for it.
fn parsed_with(tokens: &[Token], simple: impl Fn(&[Token], usize) -> Option<usize>) -> Option<Vec<Event>> {
    let program = brush_parser::parse_tokens(&for_parser(tokens, simple), &ParserOptions::default()).ok()?;
    let mut events = Events { tokens, ..Events::default() };
    for list in &program.complete_commands {
        events.top_list(list, &Input::Inherited)?;
    }
    Some(events.list)
}

/// Stands for a simple command of several tokens. The parser is quick to see that it is not an assignment.
const COMMAND: &str = "+";

/// Returns the token behind a simple command that begins at a token, if the parser need not see what is in it.
fn simple_command(tokens: &[Token], start: usize) -> Option<usize> {
    let begins = match start.checked_sub(1).map(|before| &tokens[before].kind) {
        None => true,
        Some(Kind::Op(Op::Newline)) => !follows_case_end(&tokens[..start]),
        Some(Kind::Op(op)) => !matches!(op, Op::Close | Op::CaseEnd | Op::Function),
        Some(Kind::Word(before)) => {
            matches!(before.reserved, Some("if" | "then" | "elif" | "else" | "while" | "until" | "do" | "{" | "!"))
        }
        Some(Kind::Redirect(_)) => false,
    };
    if !begins {
        return None;
    }
    let part = |token: &Token| match &token.kind {
        Kind::Word(word) => matches!(word.reserved, None | Some("[[")),
        Kind::Redirect(_) => true,
        Kind::Op(_) => false,
    };
    let length = tokens[start..].iter().take_while(|token| part(token)).count();
    let end = start + length;
    let ends = match tokens.get(end).map(|token| &token.kind) {
        None => true,
        Some(Kind::Op(op)) => !matches!(op, Op::Function | Op::PatternEnd),
        Some(_) => false,
    };
    (ends && length > 1).then_some(end)
}

/// Writes tokens for the parser: a word is a reserved word, an assignment or anything; all redirections are `>`. A subshell is
/// a group, because the grammar takes `( (` for arithmetic. The line of a token is its number.
fn for_parser(tokens: &[Token], simple: impl Fn(&[Token], usize) -> Option<usize>) -> Vec<BrushToken> {
    let mut written = Vec::with_capacity(tokens.len() + 4);
    let mut last_end: Option<bool> = None;
    let mut behind = 0;
    for (number, token) in tokens.iter().enumerate() {
        if number < behind {
            continue;
        }
        // Words never touch, so that digits are not the number of a file.
        let position = Arc::new(SourcePosition { index: number * 2, line: number, column: 1 });
        let place = SourceSpan { start: Arc::clone(&position), end: position };
        if let Some(end) = simple(tokens, number) {
            written.push(BrushToken::Word(COMMAND.to_owned(), place));
            (behind, last_end) = (end, Some(false));
            continue;
        }
        let operator = |text: &str| BrushToken::Operator(text.to_owned(), place.clone());
        let word = |text: &str| BrushToken::Word(text.to_owned(), place.clone());
        let separated = last_end.unwrap_or(true);
        let mut ends_list = false;
        match &token.kind {
            Kind::Word(text) => {
                let after_time = matches!(tokens.get(number.wrapping_sub(1)), Some(Token { kind: Kind::Word(before), .. }) if before.reserved == Some("time"));
                match text.reserved {
                    Some("esac") if !follows_case_end(&tokens[..number]) => {
                        written.push(operator(";;"));
                        written.push(word("esac"));
                    }
                    Some("select") => written.push(word("for")),
                    Some("[[") => written.push(word("w")),
                    Some(reserved) => written.push(word(reserved)),
                    None if text.assigns.is_some() => written.push(word("a=1")),
                    None if text.value == "in" && follows_loop_name(&tokens[..number]) => written.push(word("in")),
                    None if after_time && text.value == "-p" => written.push(word("-p")),
                    None => written.push(word("w")),
                }
            }
            Kind::Redirect(_) => {
                written.push(operator(">"));
                written.push(word("w"));
            }
            Kind::Op(op) => {
                ends_list = matches!(op, Op::Semicolon | Op::Background | Op::Newline);
                match op {
                    Op::And => written.push(operator("&&")),
                    Op::Or => written.push(operator("||")),
                    Op::Pipe => written.push(operator("|")),
                    Op::Semicolon => written.push(operator(";")),
                    Op::Background => written.push(operator("&")),
                    Op::Newline => written.push(operator("\n")),
                    Op::CaseEnd => written.push(operator(";;")),
                    Op::PatternEnd => written.push(operator(")")),
                    Op::Open => written.push(word("{")),
                    Op::Close => {
                        if !separated {
                            written.push(operator(";"));
                        }
                        written.push(word("}"));
                    }
                    Op::Function => {
                        written.push(operator("("));
                        written.push(operator(")"));
                    }
                }
            }
        }
        last_end = Some(ends_list);
    }
    written
}

/// Returns whether the last of some tokens is the variable of a loop.
fn follows_loop_name(before: &[Token]) -> bool {
    let mut words = before.iter().rev().filter(|token| !matches!(token.kind, Kind::Op(Op::Newline)));
    let name = words.next().is_some_and(|token| matches!(token.kind, Kind::Word(_)));
    let is_loop =
        |token: &Token| matches!(&token.kind, Kind::Word(word) if matches!(word.reserved, Some("for" | "select")));
    name && words.next().is_some_and(is_loop)
}

/// Returns whether the tokens before `esac` end a case, or begin the list of cases.
fn follows_case_end(before: &[Token]) -> bool {
    let last = before.iter().rev().find(|token| !matches!(token.kind, Kind::Op(Op::Newline)));
    last.is_some_and(|token| match &token.kind {
        Kind::Op(op) => *op == Op::CaseEnd,
        Kind::Word(word) => word.reserved == Some("in"),
        Kind::Redirect(_) => false,
    })
}

/// The commands that are found so far.
#[derive(Default)]
struct Events<'t> {
    list: Vec<Event>,
    commands: usize,
    tokens: &'t [Token],
    /// How many compound commands are around.
    level: usize,
}

impl Events<'_> {
    fn command(&mut self, step: Step) {
        self.commands += 1;
        self.list.push(Event::Command(step));
    }

    fn compound_list(&mut self, list: &ast::CompoundList, input: &Input) -> Option<()> {
        self.level += 1;
        self.top_list(list, input)?;
        self.level -= 1;
        Some(())
    }

    fn top_list(&mut self, list: &ast::CompoundList, input: &Input) -> Option<()> {
        for ast::CompoundListItem(and_or, separator) in &list.0 {
            self.list.push(Event::List);
            let certain = self.level == 0 && matches!(separator, ast::SeparatorOperator::Sequence);
            self.pipeline(&and_or.first, input, false, certain)?;
            for next in &and_or.additional {
                match next {
                    ast::AndOr::And(pipeline) => self.pipeline(pipeline, input, true, false)?,
                    ast::AndOr::Or(pipeline) => {
                        self.list.push(Event::Or);
                        self.pipeline(pipeline, input, false, false)?;
                    }
                }
            }
            self.list.push(Event::EndList);
        }
        Some(())
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline, input: &Input, after_success: bool, certain: bool) -> Option<()> {
        let first = self.commands;
        let piped = pipeline.seq.len() > 1;
        if pipeline.seq.is_empty() {
            // A lone `!` or `time`.
            self.command(Step { input: input.clone(), after_success, certain, ..Step::default() });
        }
        for (number, command) in pipeline.seq.iter().enumerate() {
            let input = if number == 0 { input.clone() } else { Input::Pipe(first..self.commands) };
            if piped {
                self.list.push(Event::Enter);
            }
            self.any_command(command, &input, after_success && number == 0, certain && !piped)?;
            if piped {
                self.list.push(Event::Leave);
            }
        }
        Some(())
    }

    fn any_command(&mut self, command: &ast::Command, input: &Input, after_success: bool, certain: bool) -> Option<()> {
        match command {
            ast::Command::Simple(simple) => self.simple(simple, input, after_success, certain),
            ast::Command::Compound(compound, redirects) => {
                let input = self.redirects(redirects.as_ref(), input)?;
                self.compound(compound, &input)
            }
            ast::Command::Function(function) => {
                self.list.push(Event::Function(number(&function.fname)?));
                let input = self.redirects(function.body.1.as_ref(), input)?;
                self.compound(&function.body.0, &input)?;
                self.list.push(Event::EndFunction);
                Some(())
            }
            // The lexer makes words of `[[ … ]]`.
            ast::Command::ExtendedTest(..) => None,
        }
    }

    /// Notes the redirections of a compound command as a command of their own. Returns what the commands inside read.
    fn redirects(&mut self, redirects: Option<&ast::RedirectList>, input: &Input) -> Option<Input> {
        let Some(redirects) = redirects else { return Some(input.clone()) };
        let numbers = redirects.0.iter().map(redirect).collect::<Option<Vec<_>>>()?;
        let reads = |number: &&usize| {
            matches!(&self.tokens[**number].kind, Kind::Redirect(redirect)
                if !matches!(redirect.kind, RedirectKind::Write | RedirectKind::Append))
        };
        let read = numbers.iter().rfind(reads).map_or_else(|| input.clone(), |number| Input::Redirect(*number));
        self.command(Step { redirects: numbers, ..Step::default() });
        Some(read)
    }

    fn simple(&mut self, simple: &ast::SimpleCommand, input: &Input, after_success: bool, certain: bool) -> Option<()> {
        let mut step = Step { input: input.clone(), after_success, certain, ..Step::default() };
        for item in simple.prefix.iter().flat_map(|prefix| &prefix.0) {
            match item {
                ast::CommandPrefixOrSuffixItem::IoRedirect(io) => step.redirects.push(redirect(io)?),
                ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word) => step.assignments.push(number(word)?),
                _ => return None,
            }
        }
        if let Some(name) = &simple.word_or_name {
            self.word(&mut step, name)?;
        }
        for item in simple.suffix.iter().flat_map(|suffix| &suffix.0) {
            match item {
                ast::CommandPrefixOrSuffixItem::IoRedirect(io) => step.redirects.push(redirect(io)?),
                ast::CommandPrefixOrSuffixItem::AssignmentWord(_, word)
                | ast::CommandPrefixOrSuffixItem::Word(word) => self.word(&mut step, word)?,
                ast::CommandPrefixOrSuffixItem::ProcessSubstitution(..) => return None,
            }
        }
        self.command(step);
        Some(())
    }

    fn word(&self, step: &mut Step, word: &ast::Word) -> Option<()> {
        let number = number(word)?;
        if word.value == COMMAND {
            step.read(self.tokens, number);
        } else {
            step.words.push(number);
        }
        Some(())
    }

    fn compound(&mut self, compound: &ast::CompoundCommand, input: &Input) -> Option<()> {
        match compound {
            ast::CompoundCommand::BraceGroup(group) => {
                let subshell = matches!(self.tokens[group.loc.start.line].kind, Kind::Op(Op::Open));
                if subshell {
                    self.list.push(Event::Enter);
                }
                self.compound_list(&group.list, input)?;
                if subshell {
                    self.list.push(Event::Leave);
                }
                Some(())
            }
            ast::CompoundCommand::ForClause(clause) => {
                let name = clause.loc.start.line + 1;
                let values = clause.values.iter().flatten().map(number).collect::<Option<Vec<_>>>()?;
                self.list.push(Event::Loop { name, values });
                self.compound_list(&clause.body.list, input)?;
                self.list.push(Event::EndLoop);
                Some(())
            }
            ast::CompoundCommand::CaseClause(clause) => {
                for case in &clause.cases {
                    if let Some(list) = &case.cmd {
                        self.compound_list(list, input)?;
                    }
                }
                Some(())
            }
            ast::CompoundCommand::IfClause(clause) => {
                self.compound_list(&clause.condition, input)?;
                self.compound_list(&clause.then, input)?;
                for part in clause.elses.iter().flatten() {
                    if let Some(condition) = &part.condition {
                        self.compound_list(condition, input)?;
                    }
                    self.compound_list(&part.body, input)?;
                }
                Some(())
            }
            ast::CompoundCommand::WhileClause(clause) | ast::CompoundCommand::UntilClause(clause) => {
                self.compound_list(&clause.0, input)?;
                self.compound_list(&clause.1.list, input)
            }
            ast::CompoundCommand::Coprocess(coprocess) => {
                self.list.push(Event::Enter);
                self.any_command(&coprocess.body, input, false, false)?;
                self.list.push(Event::Leave);
                Some(())
            }
            // The lexer makes words of these.
            ast::CompoundCommand::Arithmetic(_)
            | ast::CompoundCommand::ArithmeticForClause(_)
            | ast::CompoundCommand::Subshell(_) => None,
        }
    }
}

fn number(word: &ast::Word) -> Option<usize> {
    word.loc.as_ref().map(|place| place.start.line)
}

fn redirect(redirect: &ast::IoRedirect) -> Option<usize> {
    match redirect {
        ast::IoRedirect::File(_, _, ast::IoFileRedirectTarget::Filename(word)) => number(word),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::lexer::{Limits, lex};
    use super::*;

    const LIMITS: Limits = Limits { depth: 16, nesting: 32, tokens: 4_096, braces: 64 };

    fn words() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "a",
            "b",
            "A=b",
            "!",
            "&&",
            "||",
            "|",
            "|&",
            ";",
            "&",
            "\n",
            "> x",
            "2>&1",
            "[[ a && b ]]",
            "in",
            "'if'",
            "-p",
            "B=(c d)",
            "<<< x",
            "c=d",
        ]);
        prop::collection::vec(word, 0..12).prop_map(|words| words.join(" "))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// The short way is exactly the long way.
        #[test]
        fn flat_programs_are_read_as_the_parser_reads_them(text in words()) {
            if let Ok(tokens) = lex(&text, LIMITS) {
                prop_assert!(is_flat(&tokens));
                if tokens.iter().any(|token| !matches!(token.kind, Kind::Op(Op::Newline))) {
                    prop_assert_eq!(flat(&tokens), parsed(&tokens), "{}", text);
                }
            }
        }
    }

    fn compound() -> impl Strategy<Value = String> {
        let word = prop::sample::select(vec![
            "a", "b", "A=b", "!", "&&", "||", "|", ";", "&", "\n", "> x", "< y", "[[ a ]]", "in", "time", "-p", "if",
            "then", "elif", "else", "fi", "while", "until", "do", "done", "for", "x", "case", "esac", ";;", ")", "(",
            "{", "}", "f()", "function", "coproc", "select", "B=(c d)", "(( a ))", "; then", "; do", "; done", "; fi",
        ]);
        let noise = prop::collection::vec(word, 0..14).prop_map(|words| words.join(" "));
        let simple = || {
            prop::sample::select(vec![
                "a b",
                "A=b a > x",
                "a | b c",
                "! a b",
                "[[ a ]] && b c",
                "a &&\nb c",
                "> x",
                "a & b c",
                "time -p a b",
            ])
        };
        let leaf = simple().prop_map(str::to_owned);
        let nested = leaf.prop_recursive(4, 24, 3, |inner| {
            prop_oneof![
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a}; {b}")),
                (inner.clone(), inner.clone(), inner.clone())
                    .prop_map(|(a, b, c)| format!("if {a}; then {b}\nelse {c}; fi > x")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("while {a}; do\n{b}\ndone < y")),
                inner.clone().prop_map(|a| format!("for x in 1 a b; do {a}; done | b c")),
                (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("case a in\na|b) {a} ;;\n(c) {b}\nesac")),
                inner.clone().prop_map(|a| format!("( {a} ) 2> x")),
                inner.clone().prop_map(|a| format!("{{ {a}; }} && a b")),
                inner.prop_map(|a| format!("f() {{ {a}; }}; f x")),
            ]
        });
        prop_oneof![1 => noise, 2 => nested]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        /// A simple command that is one word for the parser is read as if the parser saw all of it.
        #[test]
        fn simple_commands_need_no_parser(text in compound()) {
            if let Ok(tokens) = lex(&text, LIMITS) {
                prop_assert_eq!(parsed(&tokens), parsed_with(&tokens, |_, _| None), "{}", text);
            }
        }
    }

    #[test]
    fn compound_commands_have_their_commands() {
        for (text, commands) in [
            ("if a; then b; elif c; then d; else e; fi", 5),
            ("while a; do b; done < f", 3),
            ("until a; do b; done", 2),
            ("for x in 1 2; do a; b; done", 2),
            ("for x; do a; done", 1),
            ("for ((;;)); do a; done", 1),
            ("select x in 1; do a; done", 1),
            ("case x in a) b ;; c|d) e & ;; esac", 2),
            ("case x in a) b\nesac", 1),
            ("case x in esac", 0),
            ("( a; b ) | { c; }", 3),
            ("( (a) )", 1),
            ("f() { a; }; f", 2),
            ("function f { a; }", 1),
            ("function f() ( a )", 1),
            ("time -p a | b", 2),
            ("coproc a", 1),
            ("! { a; }", 1),
            ("[[ a == b ]] && c", 2),
            ("(( a )) || b", 2),
        ] {
            let events = lex(text, LIMITS).ok().and_then(|tokens| structure(&tokens));
            let found =
                events.as_ref().map(|events| events.iter().filter(|event| matches!(event, Event::Command(_))).count());
            assert_eq!(found, Some(commands), "{text}: {events:?}");
        }
    }

    #[test]
    fn texts_that_bash_cannot_parse_have_no_commands() {
        for text in [
            "a &&",
            "&& a",
            "a | | b",
            "; a",
            "a ;; b",
            "if a; fi",
            "then",
            "{ a }",
            "a | &",
            "! | a",
            "( )",
            "case x in a) b",
            "f() a",
        ] {
            let read = lex(text, LIMITS).ok().and_then(|tokens| structure(&tokens));
            assert_eq!(read, None, "{text}");
        }
    }
}
