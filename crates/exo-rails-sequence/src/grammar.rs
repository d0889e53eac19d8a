//! The grammar of sequence rules.
//!
//! The text form parses with it at run time, and the macro `sequence_rules!` at compile time.
//!
//! ```text
//! rule   = tools "only" "after" calls clause*
//!        | "never" tools "after" calls clause*
//!        | "at" "most" number calls clause*
//!        | "sum" "of" field "in" calls "at" "most" number clause*
//! calls  = ["failed" | "refused" | "attempted"] tools
//! tools  = name ("or" name)*
//! clause = "unless" tools "in" "between"        only after `never`
//!        | "within" duration
//!        | "same" field ["as" field] ("and" field ["as" field])*
//!        | "per" ("run" | "session" | "user" | "agent" | "global")
//! field  = name ("." name)* | JSON pointer
//! ```

use std::fmt;

use exo_rails_text::names::nearest;

/// The words that are not names, unless they are quoted.
pub const WORDS: [&str; 19] = [
    "only",
    "after",
    "never",
    "unless",
    "in",
    "between",
    "at",
    "most",
    "sum",
    "of",
    "within",
    "same",
    "as",
    "and",
    "or",
    "per",
    "failed",
    "refused",
    "attempted",
];

/// Whose calls a rule sees together.
pub const SCOPES: [&str; 5] = ["run", "session", "user", "agent", "global"];

/// The units of durations, in milliseconds.
const UNITS: [(&str, u64); 5] = [("ms", 1), ("s", 1_000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000)];

/// The longest window: ten years.
const LONGEST: u64 = 3_650 * 86_400_000;

/// A word of a rule, and its place.
#[derive(Clone, Debug)]
pub struct Token<P> {
    /// The word, without quotes.
    pub text: String,
    /// Whether the word is a name, even if the grammar has the same word.
    pub is_quoted: bool,
    /// The place.
    pub at: P,
}

/// A mistake in a rule: its place, what is wrong, and what to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake<P> {
    /// The place.
    pub at: P,
    /// What is wrong, and what to write.
    pub message: String,
}

/// A rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<P> {
    /// What the rule demands.
    pub demand: Demand<P>,
    /// The length of the window, in milliseconds.
    pub within_ms: Option<u64>,
    /// The fields whose values must be equal.
    pub same: Vec<Same<P>>,
    /// Whose calls the rule sees together: one of [`SCOPES`].
    pub per: &'static str,
}

/// What a rule demands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Demand<P> {
    /// `refund only after approve`.
    OnlyAfter {
        /// The tools that need an earlier call.
        tools: Vec<Name<P>>,
        /// The earlier calls. One of them is enough.
        first: Calls<P>,
    },
    /// `never send_mail after read_web`.
    Never {
        /// The tools that must not be called.
        tools: Vec<Name<P>>,
        /// The calls after which they must not be called.
        after: Calls<P>,
        /// The calls after which they may be called again.
        unless: Option<Calls<P>>,
    },
    /// `at most 3 refund`.
    AtMost {
        /// The largest number of calls.
        most: u64,
        /// The calls.
        calls: Calls<P>,
    },
    /// `sum of amount in refund at most 500`.
    Sum {
        /// The field with the amount.
        field: Name<P>,
        /// The calls.
        calls: Calls<P>,
        /// The largest sum, as it was written.
        most: String,
    },
}

/// Calls of some tools with an outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Calls<P> {
    /// The outcome of the calls.
    pub outcome: Outcome,
    /// The tools.
    pub tools: Vec<Name<P>>,
}

/// The outcome that calls must have to count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The tool ran and succeeded.
    Succeeded,
    /// The tool ran and failed.
    Failed,
    /// A guard refused the call.
    Refused,
    /// Any of these.
    Attempted,
}

/// A field that two calls have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Same<P> {
    /// The field of the tools that the rule is about.
    pub field: Name<P>,
    /// The field of the other tools, if it has another name.
    pub other: Option<Name<P>>,
}

/// The name of a tool or of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<P> {
    /// The name.
    pub text: String,
    /// The place.
    pub at: P,
}

impl Outcome {
    /// Returns the word before the tools.
    #[must_use]
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Succeeded => None,
            Self::Failed => Some("failed"),
            Self::Refused => Some("refused"),
            Self::Attempted => Some("attempted"),
        }
    }
}

impl<P> Demand<P> {
    /// Returns the tools that the rule may refuse.
    pub fn tools(&self) -> &[Name<P>] {
        match self {
            Self::OnlyAfter { tools, .. } | Self::Never { tools, .. } => tools,
            Self::AtMost { calls, .. } | Self::Sum { calls, .. } => &calls.tools,
        }
    }

    /// Returns the calls that the rule remembers.
    pub fn remembered(&self) -> &Calls<P> {
        match self {
            Self::OnlyAfter { first: calls, .. }
            | Self::Never { after: calls, .. }
            | Self::AtMost { calls, .. }
            | Self::Sum { calls, .. } => calls,
        }
    }

    /// Returns all tools: first those that the rule may refuse, then the others.
    pub fn all_tools(&self) -> Vec<&Name<P>> {
        let others = match self {
            Self::OnlyAfter { .. } | Self::Never { .. } => self.remembered().tools.as_slice(),
            Self::AtMost { .. } | Self::Sum { .. } => &[],
        };
        let unless = self.unless().into_iter().flat_map(|calls| &calls.tools);
        self.tools().iter().chain(others).chain(unless).collect()
    }

    /// Returns the calls that make the rule forget.
    pub fn unless(&self) -> Option<&Calls<P>> {
        match self {
            Self::Never { unless, .. } => unless.as_ref(),
            _ => None,
        }
    }
}

impl<P> Rule<P> {
    /// Calls `visit` with each name, and whether it is a tool. The tools have the order of
    /// [`all_tools`](Demand::all_tools).
    pub fn for_each_name(&mut self, visit: &mut impl FnMut(&mut Name<P>, bool)) {
        let mut field = None;
        let (tools, calls, unless) = match &mut self.demand {
            Demand::OnlyAfter { tools, first } => (tools.as_mut_slice(), first, None),
            Demand::Never { tools, after, unless } => (tools.as_mut_slice(), after, unless.as_mut()),
            Demand::AtMost { calls, .. } => (<&mut [Name<P>]>::default(), calls, None),
            Demand::Sum { field: amount, calls, .. } => {
                field = Some(amount);
                (<&mut [Name<P>]>::default(), calls, None)
            }
        };
        let unless = unless.into_iter().flat_map(|calls| &mut calls.tools);
        tools.iter_mut().chain(&mut calls.tools).chain(unless).for_each(|name| visit(name, true));
        let same = self.same.iter_mut().flat_map(|same| std::iter::once(&mut same.field).chain(&mut same.other));
        field.into_iter().chain(same).for_each(|name| visit(name, false));
    }

    /// Returns the same rule with other places.
    pub fn map<Q>(self, place: &mut impl FnMut(P) -> Q) -> Rule<Q> {
        let demand = match self.demand {
            Demand::OnlyAfter { tools, first } => {
                Demand::OnlyAfter { tools: map_all(tools, place), first: first.map(place) }
            }
            Demand::Never { tools, after, unless } => Demand::Never {
                tools: map_all(tools, place),
                after: after.map(place),
                unless: unless.map(|calls| calls.map(place)),
            },
            Demand::AtMost { most, calls } => Demand::AtMost { most, calls: calls.map(place) },
            Demand::Sum { field, calls, most } => {
                Demand::Sum { field: field.map(place), calls: calls.map(place), most }
            }
        };
        let same = self.same.into_iter();
        let same = same
            .map(|Same { field, other }| Same { field: field.map(place), other: other.map(|other| other.map(place)) });
        Rule { demand, within_ms: self.within_ms, same: same.collect(), per: self.per }
    }
}

fn map_all<P, Q>(names: Vec<Name<P>>, place: &mut impl FnMut(P) -> Q) -> Vec<Name<Q>> {
    names.into_iter().map(|name| name.map(place)).collect()
}

impl<P> Name<P> {
    /// Returns the names of a field and of the fields around it, such as `order` and `id` in `order.id`. A JSON pointer has none.
    pub fn path(&self) -> Option<Vec<&str>> {
        (!self.text.starts_with('/')).then(|| self.text.split('.').collect())
    }

    fn map<Q>(self, place: &mut impl FnMut(P) -> Q) -> Name<Q> {
        Name { text: self.text, at: place(self.at) }
    }
}

impl<P> Calls<P> {
    fn map<Q>(self, place: &mut impl FnMut(P) -> Q) -> Calls<Q> {
        Calls { outcome: self.outcome, tools: map_all(self.tools, place) }
    }
}

impl<P> Same<P> {
    /// Returns the field of the other tools.
    pub fn other(&self) -> &Name<P> {
        self.other.as_ref().unwrap_or(&self.field)
    }
}

/// Reads a rule. `end` is the place after the last word.
///
/// # Errors
/// Returns the first mistake, at the word that is wrong.
pub fn parse<P: Copy>(tokens: &[Token<P>], end: P) -> Result<Rule<P>, Mistake<P>> {
    let mut input = Input { tokens, end };
    let mut demand = input.demand()?;
    let mut clauses = Clauses { within_ms: None, same: Vec::new(), per: None };
    while let Some(word) = input.word() {
        input.clause(word, &mut demand, &mut clauses)?;
    }
    if let Some(token) = input.tokens.first() {
        return Err(unexpected(token));
    }
    let Clauses { within_ms, same, per } = clauses;
    let rule = Rule { demand, within_ms, same, per: per.unwrap_or(SCOPES[0]) };
    check(&rule)?;
    Ok(rule)
}

struct Input<'t, P> {
    tokens: &'t [Token<P>],
    end: P,
}

struct Clauses<P> {
    within_ms: Option<u64>,
    same: Vec<Same<P>>,
    per: Option<&'static str>,
}

fn mistake<T, P>(at: P, message: impl Into<String>) -> Result<T, Mistake<P>> {
    Err(Mistake { at, message: message.into() })
}

/// The mistake of a word in the place of a clause.
fn unexpected<P: Copy>(token: &Token<P>) -> Mistake<P> {
    let clauses = ["within", "same", "per", "unless", "or"];
    let text = &token.text;
    let message = match nearest(text, &clauses).filter(|_| !WORDS.contains(&text.as_str())) {
        Some(nearest) => format!("`{text}` is not a word of a rule: did you mean `{nearest}`?"),
        None => format!(
            "`{text}` is not a word of a rule: the rule ends here, or goes on with `or`, `unless`, `within`, `same` or `per`"
        ),
    };
    Mistake { at: token.at, message }
}

impl<'t, P: Copy> Input<'t, P> {
    fn peek(&self) -> Option<&'t Token<P>> {
        self.tokens.first()
    }

    /// Returns the next word of the grammar.
    fn word(&self) -> Option<&'t Token<P>> {
        self.peek().filter(|token| !token.is_quoted && WORDS.contains(&token.text.as_str()))
    }

    fn next(&mut self) -> Option<&'t Token<P>> {
        let (first, rest) = self.tokens.split_first()?;
        self.tokens = rest;
        Some(first)
    }

    fn at(&self) -> P {
        self.peek().map_or(self.end, |token| token.at)
    }

    fn is_next(&self, word: &str) -> bool {
        self.word().is_some_and(|token| token.text == word)
    }

    fn take(&mut self, word: &str) -> bool {
        let is_next = self.is_next(word);
        if is_next {
            self.next();
        }
        is_next
    }

    fn expect(&mut self, word: &str, message: impl FnOnce() -> String) -> Result<(), Mistake<P>> {
        if self.take(word) {
            return Ok(());
        }
        // In a text, a pattern is one word.
        if word == "after" && self.peek().is_some_and(|token| !token.is_quoted && token.text == "*") {
            return mistake(
                self.at(),
                "a rule in `sequence_rules!` names tools, not patterns: write each tool, as in `send_mail or send_letter`",
            );
        }
        mistake(self.at(), message())
    }

    fn demand(&mut self) -> Result<Demand<P>, Mistake<P>> {
        if self.peek().is_none() {
            return mistake(self.end, "the rule is empty: write a rule such as `refund only after approve`");
        }
        if self.take("never") {
            let tools = self.tools("after `never`")?;
            self.expect("after", || {
                "write `after` and a tool here, as in `never send_mail after read_web`".to_owned()
            })?;
            return Ok(Demand::Never { tools, after: self.calls("after `after`")?, unless: None });
        }
        if self.is_next("at") {
            let most = self.most("at most 3 refund")?;
            let most = whole(most)?;
            return Ok(Demand::AtMost { most, calls: self.calls("after the number")? });
        }
        if self.take("sum") {
            self.expect("of", || {
                "write `of` and a field here, as in `sum of amount in refund at most 500`".to_owned()
            })?;
            let field = self.field("after `sum of`")?;
            self.expect("in", || format!("write `in` and a tool here, as in `sum of {} in refund`", field.text))?;
            let calls = self.calls("after `in`")?;
            let most = amount(self.most("sum of amount in refund at most 500")?)?;
            return Ok(Demand::Sum { field, calls, most });
        }
        self.only_after()
    }

    fn only_after(&mut self) -> Result<Demand<P>, Mistake<P>> {
        let begin = self.at();
        if let Some(word) = self.word() {
            let message = format!("a rule cannot begin with `{}`: {FIRST}", word.text);
            return mistake(begin, message);
        }
        let tools = self.tools("at the beginning of a rule")?;
        if self.take("only") {
            self.expect("after", || "write `after` and a tool here, as in `refund only after approve`".to_owned())?;
            return Ok(Demand::OnlyAfter { tools, first: self.calls("after `only after`")? });
        }
        let shown = names(&tools);
        if self.is_next("after") {
            return mistake(
                self.at(),
                format!("write `only after`: `{shown} only after …`, or `never {shown} after …`"),
            );
        }
        // The grammar does not have the word `before`, so a tool can have this name.
        if self.peek().is_some_and(|token| !token.is_quoted && token.text == "before") {
            let at = self.at();
            self.next();
            let message = match self.tools("after `before`") {
                Ok(later) => format!("turn the rule around: write `{} only after {shown}`", names(&later)),
                Err(_) => format!("turn the rule around: write `only after {shown}` behind the later tool"),
            };
            return mistake(at, message);
        }
        if let ([tool], Some(nearest)) =
            (tools.as_slice(), nearest(&shown, &["never", "at", "sum"]).filter(|_| shown.len() > 2))
        {
            return mistake(tool.at, format!("`{shown}` is not a word of a rule: did you mean `{nearest}`?"));
        }
        mistake(self.at(), format!("write what the rule says about `{shown}`: {FIRST}"))
    }

    /// Reads `at most` and a number.
    fn most(&mut self, example: &str) -> Result<&'t Token<P>, Mistake<P>> {
        let message = || format!("write `at most` and a number here, as in `{example}`");
        self.expect("at", message)?;
        self.expect("most", message)?;
        let at = self.at();
        self.next().map_or_else(|| mistake(at, message()), Ok)
    }

    fn calls(&mut self, place: &str) -> Result<Calls<P>, Mistake<P>> {
        let outcomes = [Outcome::Failed, Outcome::Refused, Outcome::Attempted];
        let outcome = outcomes.into_iter().find(|outcome| outcome.word().is_some_and(|word| self.take(word)));
        Ok(Calls { outcome: outcome.unwrap_or(Outcome::Succeeded), tools: self.tools(place)? })
    }

    fn tools(&mut self, place: &str) -> Result<Vec<Name<P>>, Mistake<P>> {
        let mut tools = vec![self.name("the name of a tool", place)?];
        while self.take("or") {
            tools.push(self.name("the name of a tool", "after `or`")?);
        }
        Ok(tools)
    }

    fn name(&mut self, what: &str, place: &str) -> Result<Name<P>, Mistake<P>> {
        if let Some(word) = self.word() {
            return mistake(word.at, format!("write {what} {place}: `{}` is a word of the grammar", word.text));
        }
        match self.next() {
            Some(token) if token.text.is_empty() => {
                mistake(token.at, format!("write {what} {place}: this one is empty"))
            }
            Some(Token { text, at, .. }) => Ok(Name { text: text.clone(), at: *at }),
            None => mistake(self.end, format!("the rule ends here: write {what} {place}")),
        }
    }

    fn field(&mut self, place: &str) -> Result<Name<P>, Mistake<P>> {
        let name = self.name("the name of a field", place)?;
        match name.path() {
            Some(path) if path.contains(&"") => {
                let text = &name.text;
                let message = format!(
                    "`{text}` has an empty name before or after a dot: write names such as `order.id`, or `/{text}` for one name with dots"
                );
                mistake(name.at, message)
            }
            _ => Ok(name),
        }
    }

    fn clause(&mut self, word: &Token<P>, demand: &mut Demand<P>, clauses: &mut Clauses<P>) -> Result<(), Mistake<P>> {
        self.next();
        let is_twice = match word.text.as_str() {
            "unless" => demand.unless().is_some(),
            "within" => clauses.within_ms.replace(self.duration()?).is_some(),
            "same" => !clauses.same.is_empty(),
            "per" => clauses.per.replace(self.scope()?).is_some(),
            _ => return Err(unexpected(word)),
        };
        if is_twice {
            return mistake(word.at, format!("the rule has two `{}`: keep one of them", word.text));
        }
        match word.text.as_str() {
            "unless" => self.unless(word, demand),
            "same" => self.same(demand).map(|same| clauses.same = same),
            _ => Ok(()),
        }
    }

    fn unless(&mut self, word: &Token<P>, demand: &mut Demand<P>) -> Result<(), Mistake<P>> {
        let Demand::Never { unless, .. } = demand else {
            return mistake(word.at, "only a rule with `never` has an `unless`: remove it");
        };
        let at = self.at();
        let calls = self.calls("after `unless`")?;
        if let Some(word) = calls.outcome.word() {
            return mistake(at, format!("after `unless`, only calls that succeed count: remove `{word}`"));
        }
        let message = || format!("write `in between` here: `unless {} in between`", names(&calls.tools));
        self.expect("in", message)?;
        self.expect("between", message)?;
        *unless = Some(calls);
        Ok(())
    }

    fn same(&mut self, demand: &Demand<P>) -> Result<Vec<Same<P>>, Mistake<P>> {
        let mut fields = Vec::new();
        loop {
            let place = if fields.is_empty() { "after `same`" } else { "after `and`" };
            let field = self.field(place)?;
            let at = self.at();
            let other = if self.take("as") {
                if let Demand::AtMost { .. } | Demand::Sum { .. } = demand {
                    let message = format!("all calls of this rule have the same field: write `same {}`", field.text);
                    return mistake(at, message);
                }
                Some(self.field("after `as`")?)
            } else {
                None
            };
            fields.push(Same { field, other });
            if !self.take("and") {
                return Ok(fields);
            }
        }
    }

    fn scope(&mut self) -> Result<&'static str, Mistake<P>> {
        let at = self.at();
        let text = self.next().map_or("", |token| token.text.as_str());
        if let Some(scope) = SCOPES.into_iter().find(|scope| *scope == text) {
            return Ok(scope);
        }
        let known = "write `per run`, `per session`, `per user`, `per agent` or `per global`";
        let message = match nearest(text, &SCOPES) {
            Some(nearest) => format!("nothing is counted per `{text}`: did you mean `per {nearest}`?"),
            None if text.is_empty() => format!("the rule ends here: {known}"),
            None => format!("nothing is counted per `{text}`: {known}. For a time, write `within 1d`"),
        };
        mistake(at, message)
    }

    fn duration(&mut self) -> Result<u64, Mistake<P>> {
        let at = self.at();
        let Some(token) = self.next() else {
            return mistake(at, "the rule ends here: write a duration after `within`, such as `1h`");
        };
        let text = token.text.as_str();
        let digits = text.len() - text.trim_start_matches(|char: char| char.is_ascii_digit() || char == '_').len();
        let (number, unit) = text.split_at(digits);
        let number = number.replace('_', "");
        if number.is_empty() {
            return mistake(at, format!("`{text}` is not a duration: write a number with a unit, such as `1h`"));
        }
        if unit.is_empty() {
            let message = match self.peek().filter(|next| UNITS.iter().any(|(unit, _)| next.text == *unit)) {
                Some(next) => format!("a duration is one word: write `{number}{}`", next.text),
                None => {
                    format!("`{number}` has no unit: write `{number}s`, `{number}m`, `{number}h` or `{number}d`")
                }
            };
            return mistake(at, message);
        }
        let Some((_, millis)) = UNITS.iter().find(|(known, _)| *known == unit) else {
            let message = if unit.starts_with('.') {
                format!("`{text}` is not a whole number: write a smaller unit, such as `90m` for one hour and a half")
            } else {
                format!("`{unit}` is not a unit: write `ms`, `s`, `m`, `h` or `d`, as in `{number}h`")
            };
            return mistake(at, message);
        };
        match number.parse::<u64>().ok().and_then(|number| number.checked_mul(*millis)) {
            Some(0) => mistake(at, format!("nothing happens within `{text}`: write a longer time")),
            Some(millis) if millis <= LONGEST => Ok(millis),
            _ => mistake(
                at,
                format!("`{text}` is longer than ten years: leave `within` out, so that no call is too old"),
            ),
        }
    }
}

const FIRST: &str = "write `refund only after approve`, `never send_mail after read_web`, `at most 3 refund` or \
                     `sum of amount in refund at most 500`";

/// Reads a number of calls.
fn whole<P: Copy>(token: &Token<P>) -> Result<u64, Mistake<P>> {
    let text = &token.text;
    match text.replace('_', "").parse::<u64>() {
        Ok(0) => mistake(token.at, "`at most 0` refuses every call: write a larger number"),
        Ok(number) if text.starts_with(|char: char| char.is_ascii_digit()) => Ok(number),
        _ => mistake(token.at, format!("`{text}` is not a number of calls: write a whole number, such as `3`")),
    }
}

/// Reads the largest sum.
fn amount<P: Copy>(token: &Token<P>) -> Result<String, Mistake<P>> {
    let text = token.text.replace('_', "");
    let (whole, part) = text.split_once('.').unwrap_or((&text, "0"));
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_digits(whole) || !is_digits(part) || part.len() > 9 || whole.len() > 15 {
        let form = "write a number such as `500` or `99.90`, with at most 15 digits before the point and 9 after it";
        return mistake(token.at, format!("`{}` is not an amount: {form}", token.text));
    }
    if text.bytes().all(|byte| byte == b'0' || byte == b'.') {
        return mistake(token.at, "a sum of at most 0 refuses every call: write a larger number");
    }
    Ok(text)
}

/// Checks what a rule says as a whole.
fn check<P: Copy>(rule: &Rule<P>) -> Result<(), Mistake<P>> {
    if let Demand::Never { tools, after, unless: Some(unless) } = &rule.demand {
        let common = |others: &[Name<P>]| {
            unless.tools.iter().find(|tool| others.iter().any(|other| other.text == tool.text)).cloned()
        };
        if let Some(tool) = common(tools) {
            let message = format!("`{0}` cannot allow itself: the rule refuses `{0}` before it can run", tool.text);
            return mistake(tool.at, message);
        }
        let is_both = matches!(after.outcome, Outcome::Succeeded | Outcome::Attempted);
        if let Some(tool) = common(&after.tools).filter(|_| is_both) {
            let message = format!("`{}` is also after `after`: one call cannot be both", tool.text);
            return mistake(tool.at, message);
        }
    }
    for same in &rule.same {
        let both = |tool: &&Name<P>| rule.demand.tools().iter().any(|other| other.text == tool.text);
        if let (Some(other), Some(tool)) = (&same.other, rule.demand.remembered().tools.iter().find(both)) {
            let message = format!("`{}` is on both sides of `after`, so it has one field: remove `as`", tool.text);
            return mistake(other.at, message);
        }
    }
    impossible(std::slice::from_ref(rule)).map_or(Ok(()), Err)
}

/// Finds a tool that can never run, because each tool that must come first needs another one first.
pub fn impossible<P: Copy>(rules: &[Rule<P>]) -> Option<Mistake<P>> {
    let orders: Vec<_> = rules.iter().filter_map(order).collect();
    let mut waiting: Vec<&str> = orders.iter().flat_map(|(tools, _)| *tools).map(|tool| tool.text.as_str()).collect();
    loop {
        let before = waiting.len();
        let may_run = |name: &str, waiting: &[&str]| is_pattern(name) || !waiting.contains(&name);
        let can_run = |tool: &str, waiting: &[&str]| {
            let of_tool = orders.iter().filter(|(tools, _)| tools.iter().any(|other| other.text == tool));
            of_tool.into_iter().all(|(_, first)| first.iter().any(|first| may_run(&first.text, waiting)))
        };
        let next: Vec<&str> = waiting.iter().copied().filter(|tool| !can_run(tool, &waiting)).collect();
        waiting = next;
        if waiting.len() == before {
            break;
        }
    }
    let stuck = |name: &&Name<P>| waiting.contains(&name.text.as_str());
    let (tool, first) = orders.iter().find_map(|(tools, first)| {
        let tool = tools.iter().find(stuck)?;
        first.iter().all(|first| stuck(&first)).then(|| Some((tool, first.first()?)))?
    })?;
    let (at, (tool, first)) = (first.at, (&tool.text, &first.text));
    let message = if tool == first {
        format!("`{tool}` can never run, because it needs an earlier call of `{tool}`: write the tool that comes first")
    } else {
        format!("`{tool}` can never run, because `{first}` must come before it, and cannot come first: remove one rule")
    };
    Some(Mistake { at, message })
}

/// Names of tools that need an earlier call, and of the tools of this call.
type Order<'r, P> = (&'r [Name<P>], &'r [Name<P>]);

/// Returns the order that a rule demands.
fn order<P>(rule: &Rule<P>) -> Option<Order<'_, P>> {
    match &rule.demand {
        Demand::OnlyAfter { tools, first } if matches!(first.outcome, Outcome::Succeeded | Outcome::Failed) => {
            Some((tools, &first.tools))
        }
        _ => None,
    }
}

/// Returns whether a name of a tool is a glob.
fn is_pattern(name: &str) -> bool {
    name.contains(['*', '?', '[', '{'])
}

/// Returns names as a rule has them.
pub fn names<P>(names: &[Name<P>]) -> String {
    names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" or ")
}

/// The name as it is written in the text form.
impl<P> fmt::Display for Name<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = &self.text;
        let is_bare =
            !WORDS.contains(&text.as_str()) && !text.contains(|char: char| char.is_whitespace() || char == '"');
        if is_bare && !text.is_empty() {
            return f.write_str(text);
        }
        write!(f, "\"{}\"", text.replace('"', "\"\""))
    }
}

impl<P> fmt::Display for Calls<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(word) = self.outcome.word() {
            write!(f, "{word} ")?;
        }
        f.write_str(&names(&self.tools))
    }
}

/// The text form.
impl<P> fmt::Display for Rule<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.demand {
            Demand::OnlyAfter { tools, first } => write!(f, "{} only after {first}", names(tools))?,
            Demand::Never { tools, after, unless } => {
                write!(f, "never {} after {after}", names(tools))?;
                if let Some(unless) = unless {
                    write!(f, " unless {unless} in between")?;
                }
            }
            Demand::AtMost { most, calls } => write!(f, "at most {most} {calls}")?,
            Demand::Sum { field, calls, most } => write!(f, "sum of {field} in {calls} at most {most}")?,
        }
        if let Some(millis) = self.within_ms {
            write!(f, " within {}", duration(millis))?;
        }
        for (number, Same { field, other }) in self.same.iter().enumerate() {
            write!(f, " {} {field}", if number == 0 { "same" } else { "and" })?;
            if let Some(other) = other {
                write!(f, " as {other}")?;
            }
        }
        if self.per == SCOPES[0] { Ok(()) } else { write!(f, " per {}", self.per) }
    }
}

/// Returns a duration in the largest unit in which it is a whole number.
pub fn duration(millis: u64) -> String {
    let unit = UNITS.iter().rev().find(|(_, unit)| millis.is_multiple_of(*unit));
    unit.map_or_else(String::new, |(name, unit)| format!("{}{name}", millis / unit))
}
