//! A naive reading of sequence rules: it keeps all events for ever, and looks through all of them for each call.

use serde_json::Value;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Succeeded,
    Failed,
    Refused,
    /// Nobody knows how the call has ended.
    Unknown,
}

/// Tools, and the word before them.
#[derive(Clone, Debug)]
pub(crate) struct Calls {
    pub(crate) word: String,
    pub(crate) tools: Vec<String>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    OnlyAfter(Vec<String>, Calls),
    Never(Vec<String>, Calls, Option<Calls>),
    AtMost(u64, Calls),
    Sum(String, Calls, u64),
}

#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) kind: Kind,
    pub(crate) within: Option<u64>,
    pub(crate) same: Vec<(String, String)>,
    pub(crate) per: String,
}

/// A call, or an attempt of it.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    /// The number of the call, which its attempts share.
    pub(crate) call: usize,
    pub(crate) tool: String,
    pub(crate) arguments: Value,
    /// The names of its run, session and user.
    pub(crate) scopes: [String; 3],
    pub(crate) begin: u64,
    /// The place in the order of all beginnings and ends.
    pub(crate) begin_order: usize,
    pub(crate) end: Option<(u64, usize, Outcome)>,
}

impl Calls {
    fn read(words: &[&str]) -> Self {
        let word = words.first().filter(|word| ["failed", "refused", "attempted"].contains(word));
        let tools = words.iter().filter(|text| **text != "or" && Some(*text) != word);
        Self { word: word.map_or("", |word| word).to_owned(), tools: tools.map(ToString::to_string).collect() }
    }

    fn has(&self, tool: &str) -> bool {
        self.tools.iter().any(|name| name == tool)
    }

    fn wants(&self, outcome: Outcome) -> bool {
        match self.word.as_str() {
            "" => outcome == Outcome::Succeeded,
            "failed" => outcome == Outcome::Failed,
            "refused" => outcome == Outcome::Refused,
            _ => outcome != Outcome::Unknown,
        }
    }
}

impl Rule {
    /// Reads a rule that has no mistakes.
    pub(crate) fn read(text: &str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let position = |word: &str| words.iter().position(|text| *text == word);
        let clause = |word: &str| position(word).map(|at| words[at + 1]);
        let ends = ["unless", "within", "same", "per"];
        let end = words.iter().position(|word| ends.contains(word)).unwrap_or(words.len());
        let tools = |words: &[&str]| Calls::read(words).tools;
        let kind = match words[0] {
            "never" => {
                let after = position("after").unwrap();
                let unless = position("unless").map(|at| Calls::read(&words[at + 1..position("between").unwrap() - 1]));
                Kind::Never(tools(&words[1..after]), Calls::read(&words[after + 1..end]), unless)
            }
            "at" => Kind::AtMost(words[2].parse().unwrap(), Calls::read(&words[3..end])),
            "sum" => {
                let at = position("at").unwrap();
                Kind::Sum(words[2].to_owned(), Calls::read(&words[4..at]), words[at + 2].parse().unwrap())
            }
            _ => {
                let only = position("only").unwrap();
                Kind::OnlyAfter(tools(&words[..only]), Calls::read(&words[only + 2..end]))
            }
        };
        let same = position("same").map_or(Vec::new(), |at| {
            let end = words[at..].iter().position(|word| ["within", "per", "unless"].contains(word));
            let fields = &words[at + 1..end.map_or(words.len(), |end| at + end)];
            fields
                .split(|word| *word == "and")
                .map(|pair| (pair[0].to_owned(), pair[pair.len() - 1].to_owned()))
                .collect()
        });
        Self { kind, within: clause("within").map(millis), same, per: clause("per").unwrap_or("run").to_owned() }
    }

    fn checked(&self) -> &[String] {
        match &self.kind {
            Kind::OnlyAfter(tools, _) | Kind::Never(tools, ..) => tools,
            Kind::AtMost(_, calls) | Kind::Sum(_, calls, _) => &calls.tools,
        }
    }

    fn remembered(&self) -> &Calls {
        match &self.kind {
            Kind::OnlyAfter(_, calls) | Kind::Never(_, calls, _) | Kind::AtMost(_, calls) | Kind::Sum(_, calls, _) => {
                calls
            }
        }
    }

    fn scope<'e>(&self, event: &'e Event) -> &'e str {
        match self.per.as_str() {
            "run" => &event.scopes[0],
            "session" => &event.scopes[1],
            "user" => &event.scopes[2],
            _ => "",
        }
    }

    /// Returns the values that must be the same. `None` if one is missing.
    fn values(&self, event: &Event, is_checked: bool) -> Option<Vec<String>> {
        let field = |(one, other): &(String, String)| {
            let value = &event.arguments[if is_checked { one } else { other }];
            (!value.is_null()).then(|| value.to_string())
        };
        self.same.iter().map(field).collect()
    }

    fn amount(&self, event: &Event) -> Option<u64> {
        match &self.kind {
            Kind::Sum(field, ..) => event.arguments[field].as_u64(),
            _ => Some(0),
        }
    }

    /// Whether a call has all arguments that the rule needs, or the rule is about other tools.
    fn can_read(&self, call: &Event) -> bool {
        let is_checked = self.checked().contains(&call.tool);
        let unless = matches!(&self.kind, Kind::Never(_, _, Some(unless)) if unless.has(&call.tool));
        let is_other = self.remembered().has(&call.tool) || unless;
        (!is_checked || self.values(call, true).is_some())
            && (!is_other || self.values(call, is_checked && self.remembered().has(&call.tool)).is_some())
            && (!self.remembered().has(&call.tool) || self.amount(call).is_some())
    }

    /// Whether the rule allows a call that begins now, after these events.
    pub(crate) fn allows(&self, call: &Event, events: &[Event], now: u64, hold_for: u64) -> bool {
        if !self.can_read(call) {
            return false;
        }
        if !self.checked().contains(&call.tool) {
            return true;
        }
        let values = self.values(call, true);
        let is_related = |event: &&Event| {
            let both = self.checked().contains(&event.tool) && self.remembered().has(&event.tool);
            self.scope(event) == self.scope(call) && self.values(event, both) == values && event.call != call.call
        };
        let related: Vec<&Event> = events.iter().filter(is_related).collect();
        let in_window = |end: u64| self.within.is_none_or(|within| now - end < within);
        // The events that count, with their ends. A call that runs has no end.
        let is_running = self.remembered().word != "refused";
        let counts = |event: &&&Event| -> bool {
            self.remembered().has(&event.tool)
                && match event.end {
                    Some((end, _, Outcome::Unknown)) => is_running && in_window(end),
                    Some((end, _, outcome)) => self.remembered().wants(outcome) && in_window(end),
                    None if now - event.begin >= hold_for => is_running && in_window(event.begin + hold_for),
                    None => is_running,
                }
        };
        let counted: Vec<&&Event> = related.iter().filter(counts).collect();
        match &self.kind {
            Kind::OnlyAfter(..) => {
                counted.iter().any(|event| event.end.is_some_and(|(_, _, outcome)| outcome != Outcome::Unknown))
            }
            Kind::Never(_, _, unless) => counted.iter().all(|event| {
                let known_end = match event.end {
                    Some((end, order, _)) => Some((end, order)),
                    None if now - event.begin >= hold_for => Some((event.begin + hold_for, 0)),
                    None => None,
                };
                related.iter().any(|other| {
                    let Some(unless) = unless.as_ref().filter(|unless| unless.has(&other.tool)) else { return false };
                    let is_end = other.end.is_some_and(|(_, _, outcome)| unless.wants(outcome));
                    // The call must have begun after the end of the other one.
                    is_end && known_end.is_some_and(|(end, order)| (end, order) <= (other.begin, other.begin_order))
                })
            }),
            Kind::AtMost(most, _) => (once(&counted).len() as u64) < *most,
            Kind::Sum(_, _, most) => {
                let sum: u64 = once(&counted).iter().filter_map(|event| self.amount(event)).sum();
                sum + self.amount(call).unwrap() <= *most
            }
        }
    }
}

/// The attempts of one call count once.
fn once<'e>(events: &[&&'e Event]) -> Vec<&'e Event> {
    let mut found: Vec<&Event> = Vec::new();
    for event in events {
        if !found.iter().any(|other| other.call == event.call) {
            found.push(event);
        }
    }
    found
}

/// Reads a duration.
pub(crate) fn millis(text: &str) -> u64 {
    let digits = text.trim_end_matches(|char: char| char.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        other => panic!("{other}"),
    };
    digits.parse::<u64>().unwrap() * unit
}
