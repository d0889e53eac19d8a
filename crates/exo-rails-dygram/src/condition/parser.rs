//! The grammar of conditions.

use super::lexer::{Kind, Token, lex, operator_of};
use super::{Expression, ExpressionError, Read};
use crate::diagnostic::Span;

/// How deep a condition may be nested, and how many operators or names may be in a row. Programs that evaluate it go through it
/// with recursion.
const MAX_DEPTH: usize = 64;

/// Operators with two sides, from those that bind least. Each row binds alike.
const LEVELS: [&[&str]; 5] =
    [&["||"], &["&&"], &["==", "!=", "<=", ">=", "<", ">", "in"], &["+", "-"], &["*", "/", "%"]];

/// Macros whose first argument names a variable.
const MACROS: [&str; 5] = ["all", "exists", "exists_one", "map", "filter"];

/// What an expression surely is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sort {
    Bool,
    Number,
    Text,
    Null,
    List,
    Map,
    Unknown,
}

impl Sort {
    fn name(self) -> &'static str {
        match self {
            Self::Bool => "a bool",
            Self::Number => "a number",
            Self::Text => "a text",
            Self::Null => "null",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Unknown => "unknown",
        }
    }
}

pub(super) fn parse(text: &str) -> Result<Expression, ExpressionError> {
    let mut parser = Parser {
        text,
        tokens: lex(text)?,
        at: 0,
        depth: 0,
        height: 0,
        loops: 0,
        most_loops: 0,
        has_test: false,
        reads: Vec::new(),
        bound: Vec::new(),
    };
    if parser.peek().kind == Kind::End {
        return Err(error(parser.peek().span, "the condition is empty", "write a condition such as `count > 3`"));
    }
    let sort = parser.expression()?;
    if parser.peek().kind != Kind::End {
        return Err(parser.unexpected("an operator or the end"));
    }
    parser.require_bool(sort, Span::new(0, text.len()))?;
    let cel = parser.cel();
    Ok(Expression {
        cel,
        reads: parser.reads,
        height: parser.height,
        loops: parser.most_loops,
        has_test: parser.has_test,
    })
}

fn error(span: Span, message: impl Into<String>, help: impl Into<String>) -> ExpressionError {
    ExpressionError { span, message: message.into(), help: Some(help.into()) }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
    /// The height of the tree of the part that was read last.
    height: usize,
    /// The macros around the current place.
    loops: usize,
    most_loops: usize,
    has_test: bool,
    reads: Vec<Read>,
    /// Variables of the macros around the current place.
    bound: Vec<&'a str>,
}

impl<'a> Parser<'a> {
    fn peek(&self) -> Token {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Token {
        let end = Token { kind: Kind::End, span: Span::new(self.text.len(), self.text.len()) };
        self.tokens.get(self.at + ahead).copied().unwrap_or(end)
    }

    fn next(&mut self) -> Token {
        let token = self.peek();
        self.at += usize::from(token.kind != Kind::End);
        token
    }

    fn word(&self, token: Token) -> &'a str {
        token.span.of(self.text)
    }

    fn eat(&mut self, symbol: &str) -> bool {
        let is_next = matches!(self.peek().kind, Kind::Symbol(next) if next == symbol);
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, symbol: &str) -> Result<(), ExpressionError> {
        if self.eat(symbol) { Ok(()) } else { Err(self.unexpected(&format!("`{symbol}`"))) }
    }

    fn unexpected(&self, expected: &str) -> ExpressionError {
        let token = self.peek();
        let word = self.word(token);
        if token.kind == Kind::Symbol("=") {
            return error(token.span, "`=` is not an operator of a condition", "write `==`");
        }
        if let (Kind::Name, Some(operator)) = (token.kind, operator_of(word)) {
            return error(
                token.span,
                format!("`{word}` is not an operator of a condition"),
                format!("write `{operator}`"),
            );
        }
        let found = if token.kind == Kind::End { "the end".to_owned() } else { format!("`{word}`") };
        error(
            token.span,
            format!("expected {expected} in the condition, found {found}"),
            "write a condition such as `count > 3`",
        )
    }

    fn require_bool(&self, sort: Sort, span: Span) -> Result<(), ExpressionError> {
        if matches!(sort, Sort::Bool | Sort::Unknown) {
            return Ok(());
        }
        let text = span.of(self.text);
        Err(error(
            span,
            format!("`{text}` is {}, and a condition is a bool", sort.name()),
            "compare it, such as `count > 3`",
        ))
    }

    fn too_deep(&self) -> ExpressionError {
        error(self.peek().span, "the condition is nested too deeply", "move a part of it into a field")
    }

    /// Puts a node above parts of this height.
    fn grow(&mut self, height: usize) -> Result<(), ExpressionError> {
        self.height = height + 1;
        if self.height > MAX_DEPTH { Err(self.too_deep()) } else { Ok(()) }
    }

    fn expression(&mut self) -> Result<Sort, ExpressionError> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep());
        }
        self.depth += 1;
        let start = self.peek().span;
        let mut sort = self.binary(0)?;
        if self.eat("?") {
            self.require_bool(sort, start.to(self.before()))?;
            let mut height = self.height;
            let yes = self.expression()?;
            height = height.max(self.height);
            self.expect(":")?;
            let no = self.expression()?;
            self.grow(height.max(self.height))?;
            sort = if yes == no { yes } else { Sort::Unknown };
        }
        self.depth -= 1;
        Ok(sort)
    }

    /// Returns the span of the last token before the one that was just taken.
    fn before(&self) -> Span {
        self.at.checked_sub(2).and_then(|at| self.tokens.get(at)).map_or(Span::default(), |token| token.span)
    }

    fn last(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(Span::default(), |token| token.span)
    }

    fn binary(&mut self, level: usize) -> Result<Sort, ExpressionError> {
        let Some(operators) = LEVELS.get(level) else { return self.unary() };
        let start = self.peek().span;
        let mut sort = self.binary(level + 1)?;
        while let Some(operator) = self.operator(operators) {
            let (left, height) = (start.to(self.last()), self.height);
            self.at += 1;
            let right_start = self.peek().span;
            let right = self.binary(level + 1)?;
            if level < 2 {
                // A row of `&&` or `||` becomes a flat tree.
                self.height = self.height.max(height);
                self.require_bool(sort, left)?;
                self.require_bool(right, right_start.to(self.last()))?;
            } else {
                self.grow(height.max(self.height))?;
            }
            sort = match operator {
                // Both sides have the same sort.
                "+" if sort == Sort::Unknown => right,
                "+" if right == Sort::Unknown || sort == right => sort,
                "+" => Sort::Unknown,
                "-" | "*" | "/" | "%" => Sort::Number,
                _ => Sort::Bool,
            };
        }
        Ok(sort)
    }

    fn operator(&self, operators: &[&'static str]) -> Option<&'static str> {
        let token = self.peek();
        let is_next = |operator: &&&str| match token.kind {
            Kind::Symbol(symbol) => symbol == **operator,
            Kind::Name => **operator == "in" && self.word(token) == "in",
            _ => false,
        };
        operators.iter().find(is_next).copied()
    }

    fn unary(&mut self) -> Result<Sort, ExpressionError> {
        let mut sort = None;
        let mut negated = false;
        loop {
            if self.eat("!") {
                negated = true;
                sort = sort.or(Some(Sort::Bool));
            } else if self.eat("-") {
                sort = sort.or(Some(Sort::Number));
            } else {
                break;
            }
        }
        let start = self.peek().span;
        let inner = self.member()?;
        if negated && sort == Some(Sort::Bool) {
            self.require_bool(inner, start.to(self.last()))?;
        }
        Ok(sort.unwrap_or(inner))
    }

    fn member(&mut self) -> Result<Sort, ExpressionError> {
        let mut sort = self.primary()?;
        loop {
            let height = self.height;
            if self.eat(".") {
                let name = self.next();
                if name.kind != Kind::Name {
                    self.at -= usize::from(name.kind != Kind::End);
                    return Err(self.unexpected("a name after the dot"));
                }
                if self.eat("(") {
                    self.arguments(MACROS.contains(&self.word(name)))?;
                }
            } else if self.eat("[") {
                self.expression()?;
                self.expect("]")?;
            } else {
                return Ok(sort);
            }
            self.grow(height.max(self.height))?;
            sort = Sort::Unknown;
        }
    }

    fn primary(&mut self) -> Result<Sort, ExpressionError> {
        let token = self.peek();
        self.height = 1;
        match token.kind {
            Kind::Number => {
                self.next();
                self.check_number(token)?;
                Ok(Sort::Number)
            }
            Kind::Text => {
                self.next();
                Ok(Sort::Text)
            }
            Kind::Symbol("(") => {
                self.next();
                let sort = self.expression()?;
                self.grow(self.height)?;
                self.expect(")")?;
                Ok(sort)
            }
            Kind::Symbol("[") => self.list().map(|()| Sort::List),
            Kind::Symbol("{") => self.map().map(|()| Sort::Map),
            Kind::Name => self.named(token),
            _ => Err(self.unexpected("a value")),
        }
    }

    fn check_number(&self, token: Token) -> Result<(), ExpressionError> {
        let digits = self.word(token).trim_end_matches(['u', 'U']);
        let hexadecimal = digits.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16).is_ok());
        if hexadecimal.unwrap_or_else(|| digits.parse::<f64>().is_ok()) {
            return Ok(());
        }
        Err(error(token.span, format!("`{digits}` is not a number"), "write a number such as `0.9`"))
    }

    fn named(&mut self, token: Token) -> Result<Sort, ExpressionError> {
        let word = self.word(token);
        if word == "in" || operator_of(word) == Some("!") {
            return Err(self.unexpected("a value"));
        }
        self.next();
        match word {
            "true" | "false" => return Ok(Sort::Bool),
            "null" => return Ok(Sort::Null),
            _ => {}
        }
        if self.eat("(") {
            self.arguments(false)?;
            self.grow(self.height)?;
            if word != "has" {
                return Ok(Sort::Unknown);
            }
            self.has_test = true;
            return Ok(Sort::Bool);
        }
        self.read(token)?;
        Ok(Sort::Unknown)
    }

    /// Reads `a.b.c`, except the name of a method at its end.
    fn read(&mut self, first: Token) -> Result<(), ExpressionError> {
        let mut path = vec![self.word(first).to_owned()];
        let mut span = first.span;
        while self.peek().kind == Kind::Symbol(".") && self.peek_at(1).kind == Kind::Name {
            if self.peek_at(2).kind == Kind::Symbol("(") {
                break;
            }
            self.next();
            let name = self.next();
            path.push(self.word(name).to_owned());
            span = span.to(name.span);
            self.grow(self.height)?;
        }
        if !self.bound.contains(&self.word(first)) {
            self.reads.push(Read { path, span });
        }
        Ok(())
    }

    fn arguments(&mut self, is_macro: bool) -> Result<(), ExpressionError> {
        let variable = self.peek();
        let binds = is_macro && variable.kind == Kind::Name && self.peek_at(1).kind == Kind::Symbol(",");
        if binds {
            self.bound.push(self.word(variable));
            self.at += 2;
        }
        self.loops += usize::from(is_macro);
        self.most_loops = self.most_loops.max(self.loops);
        self.expressions(")")?;
        self.loops -= usize::from(is_macro);
        if binds {
            self.bound.pop();
        }
        Ok(())
    }

    fn expressions(&mut self, end: &str) -> Result<(), ExpressionError> {
        self.height = 1;
        if self.eat(end) {
            return Ok(());
        }
        self.expression()?;
        let mut height = self.height;
        while self.eat(",") {
            self.expression()?;
            height = height.max(self.height);
        }
        self.height = height;
        self.expect(end)
    }

    fn list(&mut self) -> Result<(), ExpressionError> {
        self.next();
        self.expressions("]")?;
        self.grow(self.height)
    }

    fn map(&mut self) -> Result<(), ExpressionError> {
        self.next();
        let mut height = 1;
        while !self.eat("}") {
            self.expression()?;
            height = height.max(self.height);
            self.expect(":")?;
            self.expression()?;
            height = height.max(self.height);
            if !self.eat(",") {
                self.expect("}")?;
                break;
            }
        }
        self.grow(height)
    }

    /// Writes the tokens as CEL, with the white space of the text.
    fn cel(&self) -> String {
        let mut cel = String::with_capacity(self.text.len());
        let mut end = self.tokens.first().map_or(0, |token| token.span.start);
        for token in &self.tokens {
            // Between two tokens there is white space, and the braces of templates.
            let between = Span::new(end, token.span.start).of(self.text);
            cel.extend(between.chars().filter(|c| c.is_whitespace()));
            match token.kind {
                Kind::Symbol(symbol) => cel.push_str(symbol),
                _ => cel.push_str(self.word(*token)),
            }
            end = token.span.end;
        }
        cel.truncate(cel.trim_end().len());
        cel
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may panic")]
mod tests {
    use super::*;

    fn reads(text: &str) -> Vec<String> {
        parse(text).unwrap().reads.iter().map(|read| read.path.join(".")).collect()
    }

    #[test]
    fn the_names_that_a_condition_reads_are_found() {
        let cases: [(&str, &[&str]); 11] = [
            ("true", &[]),
            ("count > 3", &["count"]),
            ("a.b.c == 'x.y' || !d", &["a.b.c", "d"]),
            ("items.all(x, x.price > limit)", &["items", "limit"]),
            ("items.all(x, x > 0) && x", &["items", "x"]),
            ("size(a.list) > 0", &["a.list"]),
            ("a[b].c", &["a", "b"]),
            ("has(a.b) ? c : d", &["a.b", "c", "d"]),
            ("name.startsWith(\"x\")", &["name"]),
            ("kind in ['a', other]", &["kind", "other"]),
            ("{'k': {'l': v}} == m", &["v", "m"]),
        ];
        for (text, expected) in cases {
            assert_eq!(reads(text), expected, "{text}");
        }
    }

    #[test]
    fn mistakes_name_their_place() {
        let cases = [
            ("", 0, "the condition is empty"),
            ("count >", 7, "expected a value in the condition, found the end"),
            ("a and b", 2, "`and` is not an operator of a condition"),
            ("a & b", 2, "`&` is not an operator of a condition"),
            ("(a", 2, "expected `)` in the condition, found the end"),
            ("'a", 0, "a text in the condition has no closing quote"),
            ("1.2.3 > a", 0, "`1.2.3` is not a number"),
            ("a b", 2, "expected an operator or the end in the condition, found `b`"),
            ("count + 1 - 2", 0, "`count + 1 - 2` is a number, and a condition is a bool"),
            ("'yes'", 0, "`'yes'` is a text, and a condition is a bool"),
            ("a && 3", 5, "`3` is a number, and a condition is a bool"),
            ("!3", 1, "`3` is a number, and a condition is a bool"),
            ("not a", 0, "`not` is not an operator of a condition"),
        ];
        for (text, start, message) in cases {
            let mistake = parse(text).unwrap_err();
            assert_eq!((mistake.span.start, &*mistake.message), (start, message), "{text}");
        }
    }

    #[test]
    fn a_deep_condition_is_a_mistake() {
        let deep = "(".repeat(100_000);
        assert!(parse(&deep).unwrap_err().message.contains("nested too deep"));
        assert!(parse(&format!("{}a", "!".repeat(100_000))).is_ok());
        for (begin, part, end) in [
            ("n", " + n", " == 1"),
            ("a", ".b", " == 1"),
            ("a", "[0]", " == 1"),
            ("a", ".size()", " == 1"),
            ("b", " == b", ""),
        ] {
            let of = |times: usize| format!("{begin}{}{end}", part.repeat(times));
            assert!(parse(&of(1_000)).unwrap_err().message.contains("nested too deep"), "{part}");
            assert_eq!(parse(&of(50)).unwrap().height(), 51 + usize::from(!end.is_empty()), "{part}");
        }
        assert_eq!(parse(&format!("a == 1{}", " || a == 1".repeat(1_000))).unwrap().height(), 2);
    }

    #[test]
    fn macros_inside_macros_are_counted() {
        let cases =
            [("a", 0), ("a.all(x, x) && b.all(x, x)", 1), ("a.all(x, b.exists(y, y == x)) || c.map(z, z) == d", 2)];
        for (text, loops) in cases {
            assert_eq!(parse(text).unwrap().loops(), loops, "{text}");
        }
    }

    #[test]
    fn operators_and_templates_of_other_languages_become_cel() {
        let cases = [
            ("a === 1", "a == 1"),
            ("{{a.b}} !== 'x'", "a.b != 'x'"),
            (" a ", "a"),
            ("{'a':{'b':1}} == c", "{'a':{'b':1}} == c"),
        ];
        for (text, cel) in cases {
            assert_eq!(parse(text).unwrap().cel(), cel);
        }
    }
}
