//! What the guards of secrets and of personal data have in common: they hide what an engine finds, at each event.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use exo_rails::message::{Message, Messages};
use exo_rails::{
    Excerpt, InvokeInputs, MemoryEntry, ModelResponse, NoRetry, NoSubstitute, OperationError, Pattern, PatternMatch,
    RailAction, RailContext, Reason, RecalledMemory, Search, StreamWindow, ToolCallInputs, ToolOutput, Verdict,
};
use exo_rails_policy::{Action, Actions, At, Override};
use exo_rails_policy::{ConfigError, Severity};
use serde_json::Value;

use super::action::Table;
use super::cut_off::CutOff;
use super::engine::{Engine, Found};
use super::in_readings::first;
use super::json;
use super::places::{Here, Places};
use super::readings;
use super::rule::Rule;
use crate::finding::{Finding, Place};
use crate::history::Judge;

/// The mark of a text that was not searched.
const NOT_SEARCHED: &str = "[NOT_SEARCHED]";

/// The name of the rule in findings about a text that was not searched.
const TOO_LARGE: &str = "too_large";

/// How often the text that is left is searched again. After that, all of it is hidden.
const ROUNDS: usize = 8;

/// Makes the text that replaces a secret.
pub(crate) type Mark<'m> = &'m mut dyn FnMut(&Rule, &str) -> String;

/// Makes the mark of a rule.
pub(crate) fn plain(rule: &Rule, _: &str) -> String {
    format!("[{}]", rule.mark())
}

/// A guard that hides what its engine finds.
#[derive(Debug)]
pub(crate) struct Redactor {
    engine: Engine,
    judge: Judge,
    guard: &'static str,
    severity: Severity,
    actions: Table,
    max_text_bytes: usize,
    /// What replaces a text that cannot be redacted in part.
    whole: &'static str,
}

/// What a redactor needs beside its rules.
pub(crate) struct Settings<'s> {
    pub(crate) guard: &'static str,
    pub(crate) severity: Severity,
    pub(crate) actions: Actions,
    pub(crate) overrides: &'s [Override],
    pub(crate) max_text_bytes: usize,
    pub(crate) whole: &'static str,
}

thread_local! {
    /// The JSON of arguments, kept so that a search does not allocate.
    static JSON: RefCell<String> = const { RefCell::new(String::new()) };
}

impl Redactor {
    pub(crate) fn new(rules: Vec<Rule>, settings: &Settings<'_>) -> Result<Self, ConfigError> {
        let names: Vec<&str> = rules.iter().map(|rule| &*rule.id).collect();
        let actions = Table::new(&names, settings.actions, settings.overrides)?;
        if settings.max_text_bytes == 0 {
            let message = "0 would hide every text: write a number of bytes, such as 1_048_576";
            return Err(ConfigError::new(message).in_key("max_text_bytes"));
        }
        let Settings { guard, severity, max_text_bytes, whole, .. } = *settings;
        Ok(Self { engine: Engine::new(rules), judge: Judge::new(), guard, severity, actions, max_text_bytes, whole })
    }

    pub(crate) fn rules(&self) -> &[Rule] {
        self.engine.rules()
    }

    /// Begins to look at the texts of an event, whose places are known.
    fn at<'r>(&'r self, at: At, places: Places<'r>) -> Sight<'r> {
        Sight {
            redactor: self,
            at,
            places,
            here: None,
            seen: BTreeMap::new(),
            refused: None,
            is_too_large: false,
            keeps_doubtful: at == At::Arguments,
        }
    }

    /// Begins to look at texts without a place.
    fn nowhere(&self, at: At) -> Sight<'_> {
        self.at(at, Places::none(&self.engine))
    }

    /// Returns whether a text has nothing to look at closely. It allocates nothing.
    fn is_clean(&self, text: &str) -> bool {
        text.len() <= self.max_text_bytes && self.engine.is_clean(text)
    }

    /// Returns whether arguments have nothing to look at closely. It allocates nothing.
    fn has_clean_arguments(&self, call: &ToolCallInputs) -> bool {
        call.extra.is_empty() && self.is_clean_json(&call.arguments)
    }

    fn is_clean_json(&self, value: &Value) -> bool {
        JSON.with_borrow_mut(|json| {
            json.clear();
            json::write(value, json);
            let is_clean = json.len() <= self.max_text_bytes
                && if readings::is_plain(json) {
                    self.engine.is_clean_json(json)
                } else {
                    self.engine.is_clean(json) && self.has_clean_texts(value)
                };
            json.shrink_to(1 << 16);
            is_clean
        })
    }

    fn has_clean_texts(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.is_clean(text),
            Value::Array(values) => values.iter().all(|value| self.has_clean_texts(value)),
            Value::Object(fields) => {
                fields.iter().all(|(name, value)| self.is_clean(name) && self.has_clean_texts(value))
            }
            _ => true,
        }
    }

    fn has_clean_answer(&self, response: &ModelResponse) -> bool {
        let message = &response.message;
        response.extra.is_empty()
            && message.extra.is_empty()
            && matches!(&message.content, None | Some(exo_rails::message::Content::Text(_)))
            && self.is_clean(&message.text())
            && message.tool_calls.iter().all(|call| {
                let function = &call.function;
                call.extra.is_empty()
                    && function.extra.is_empty()
                    && !function.arguments.contains('\\')
                    && self.is_clean(&function.name)
                    && self.is_clean(&function.arguments)
            })
    }

    /// Returns how many messages of a conversation were searched in an earlier turn.
    pub(crate) fn searched_before(&self, messages: &Messages, ctx: &RailContext) -> usize {
        self.judge.read_before(messages, ctx)
    }

    pub(crate) fn input(&self, run: &mut InvokeInputs, ctx: &mut RailContext, mark: Mark<'_>) -> RailAction {
        let from = self.searched_before(&run.messages, ctx);
        let mut sight = self.at(At::Input, Places::of_input(&self.engine, run, from));
        run.for_each_text_from(from, |text| sight.hide(text, mark));
        if let Some(reason) = sight.decide(ctx) {
            return RailAction::abort(reason);
        }
        self.judge.has_read(&run.messages, ctx);
        RailAction::Continue
    }

    pub(crate) fn recalled(
        &self,
        memory: &mut RecalledMemory,
        ctx: &mut RailContext,
        mark: Mark<'_>,
    ) -> RailAction<NoSubstitute, NoRetry> {
        let mut sight = self.at(At::Memory, Places::of_recalled(&self.engine, memory));
        memory.for_each_text(|text| sight.hide(text, mark));
        sight.decide(ctx).map_or(RailAction::Continue, RailAction::skip)
    }

    pub(crate) fn stored(
        &self,
        entry: &mut MemoryEntry,
        ctx: &mut RailContext,
        mark: Mark<'_>,
    ) -> RailAction<NoSubstitute, NoRetry> {
        let mut sight = self.at(At::Memory, Places::of_entry(&self.engine, entry));
        entry.for_each_text(|text| sight.hide(text, mark));
        sight.decide(ctx).map_or(RailAction::Continue, RailAction::skip)
    }

    pub(crate) fn arguments(&self, call: &mut ToolCallInputs, ctx: &mut RailContext, mark: Mark<'_>) -> Option<Reason> {
        if let Some(reason) = self.refused_in_answer(call, ctx) {
            return Some(reason);
        }
        if self.has_clean_arguments(call) {
            return None;
        }
        let mut sight = self.nowhere(At::Arguments);
        sight.hide_names(&mut call.arguments, mark);
        sight.places = Places::of_arguments(&self.engine, call);
        call.for_each_text(|text| sight.hide(text, mark));
        sight.decide(ctx)
    }

    pub(crate) fn output(&self, output: &mut ToolOutput, ctx: &mut RailContext, mark: Mark<'_>) {
        let at_cut = ctx.extra.get().and_then(|cut| self.at_cut(&output.content, cut));
        if at_cut.is_none() && output.extra.is_empty() && self.is_clean(&output.content) {
            return;
        }
        let mut sight = self.at(At::Output, Places::of_output(&self.engine, output));
        if let Some((found, note)) = at_cut {
            sight.hide_at_cut(&mut output.content, found, &note, mark);
        }
        output.for_each_text(|text| sight.hide_in_output(text, mark));
        if let Some(reason) = sight.decide(ctx) {
            *output = ToolOutput::error(reason.to_string());
        }
    }

    /// Returns the secret of which an output that was cut has only the beginning, and the note at the end of the output.
    fn at_cut(&self, content: &str, CutOff { note, rest }: &CutOff) -> Option<(Found, String)> {
        let kept = content.strip_suffix(note.as_str())?;
        let rest = &rest[..rest.floor_char_boundary(self.max_text_bytes.saturating_sub(kept.len()))];
        let whole = format!("{kept}{rest}");
        let found = self.engine.find_all(&whole, |rule| self.actions.get(rule, At::Output) > Action::Off);
        let is_cut = |found: &Found| (found.secret.start..found.secret.end).contains(&kept.len());
        let mut found = found.into_iter().find(|found| is_cut(found) && found.secret.start < kept.len())?;
        found.value.get_or_insert_with(|| whole[found.secret.clone()].to_owned());
        Some((found, note.clone()))
    }

    /// Returns why a call is refused whose arguments have no secret any more, because its answer was redacted.
    fn refused_in_answer(&self, call: &ToolCallInputs, ctx: &RailContext) -> Option<Reason> {
        if !self.actions.refuses(At::Arguments) {
            return None;
        }
        ctx.run.get::<RefusedCalls>()?.0.get(&(self.guard, call.id.clone())).cloned()
    }

    /// Remembers the calls of an answer that are refused because of their arguments, before the arguments are redacted.
    fn refuse_calls(&self, response: &ModelResponse, ctx: &mut RailContext) {
        for (number, call) in response.message.tool_calls.iter().enumerate() {
            let place = format!("/message/tool_calls/{number}/function/arguments");
            let mut sight = self.at(At::Arguments, Places::all(&self.engine, place));
            let arguments = &call.function.arguments;
            match serde_json::from_str(arguments) {
                Ok(value) => {
                    let mut inputs = ToolCallInputs::new("").with_arguments(value);
                    sight.hide_names(&mut inputs.arguments, &mut plain);
                    inputs.for_each_text(|text| sight.hide(text, &mut plain));
                }
                Err(_) => sight.hide(&mut arguments.clone(), &mut plain),
            }
            // What is only redacted is reported when the call runs.
            let is_refused = sight.refused.is_some() || sight.is_too_large;
            if let Some(reason) = is_refused.then(|| sight.decide(ctx)).flatten() {
                ctx.run.update(|RefusedCalls(calls)| calls.insert((self.guard, call.id.clone()), reason));
            }
        }
    }

    pub(crate) fn answer(&self, response: &mut ModelResponse, ctx: &mut RailContext, mark: Mark<'_>) -> Verdict {
        let refuses = self.actions.refuses(At::Arguments);
        if refuses {
            // The ids of calls may come again.
            ctx.run.update(|RefusedCalls(calls)| calls.retain(|(guard, _), _| *guard != self.guard));
        }
        if self.has_clean_answer(response) {
            return Verdict::Continue;
        }
        if refuses {
            self.refuse_calls(response, ctx);
        }
        let mut sight = self.at(At::Answer, Places::of_answer(&self.engine, response));
        let mut calls = Message { tool_calls: std::mem::take(&mut response.message.tool_calls), ..Message::default() };
        response.for_each_text(|text| sight.hide(text, mark));
        sight.keeps_doubtful = true;
        calls.for_each_text(|text| sight.hide(text, mark));
        response.message.tool_calls = calls.tool_calls;
        for call in &mut response.message.tool_calls {
            sight.hide(&mut call.function.name, mark);
            let arguments = &mut call.function.arguments;
            // Without escapes, the names were searched in the JSON.
            if arguments.contains('\\')
                && let Ok(mut value) = serde_json::from_str(arguments)
                && sight.hide_names(&mut value, mark)
            {
                *arguments = value.to_string();
            }
        }
        sight.decide(ctx).map_or(Verdict::Continue, Verdict::abort)
    }

    /// Hides secrets in a window of a streamed answer.
    pub(crate) fn piece(&self, window: &mut StreamWindow, ctx: &mut RailContext, mark: Mark<'_>) -> Verdict {
        let mut sight = self.at(At::Answer, Places::all(&self.engine, "/message/content"));
        if window.is_last && window.left() == 0 && window.fresh().len() == window.text.len() {
            // The whole answer is here.
            if !self.is_clean(&window.text) {
                sight.hide(&mut window.text, mark);
            }
        } else {
            let rounds = window.replace_in_rounds(self, ROUNDS, |PatternMatch { text, found }, round| {
                let value = found.value.as_deref().unwrap_or(text);
                sight.mark(&found.rules, value, None, round, mark).unwrap_or_else(|| text.to_owned())
            });
            if rounds == ROUNDS {
                // Each redaction has made another secret.
                self.whole.clone_into(&mut window.text);
            }
        }
        sight.decide(ctx).map_or(Verdict::Continue, Verdict::abort)
    }

    /// Returns the output in place of the error of a tool, if the error has a secret.
    pub(crate) fn tool_error(
        &self,
        call: &ToolCallInputs,
        error: &OperationError,
        ctx: &mut RailContext,
        mark: Mark<'_>,
    ) -> RailAction<ToolOutput> {
        let mut sight = self.nowhere(At::Output);
        let Some(error) = sight.error(error, mark) else { return RailAction::Continue };
        let hides = sight.hides();
        match sight.decide(ctx) {
            Some(reason) => RailAction::skip_with(ToolOutput::error(reason.to_string()), reason),
            None if hides => {
                let output = ToolOutput::error(format!("The call of `{}` failed: {error}", call.tool_name));
                RailAction::skip_with(output, format!("{}: the error of the tool was redacted", self.guard))
            }
            None => RailAction::Continue,
        }
    }

    /// Ends the run if the error of a model has a secret. A rail cannot change the error.
    pub(crate) fn model_error(&self, error: &OperationError, ctx: &mut RailContext, mark: Mark<'_>) -> Verdict {
        let mut sight = self.nowhere(At::Answer);
        let _ = sight.error(error, mark);
        let hides = sight.hides();
        match sight.decide(ctx) {
            Some(reason) => Verdict::abort(reason),
            None => Verdict::abort_if(hides, format!("{}: the error of the model has a secret", self.guard)),
        }
    }

    /// Returns the values that the rules find, in order: the first rule of each, and its bytes.
    pub(crate) fn find(&self, text: &str) -> Vec<(&str, Range<usize>)> {
        self.named(self.engine.find_all(text, |_| true))
    }

    /// Returns the same for a text without escapes, with a search that runs every rule.
    #[cfg(test)]
    pub(crate) fn find_with_every_rule(&self, text: &str) -> Vec<(&str, Range<usize>)> {
        self.named(self.engine.find_with_every_rule(text))
    }

    fn named(&self, found: Vec<Found>) -> Vec<(&str, Range<usize>)> {
        let found = found.into_iter();
        found.map(|found| (&*self.engine.rules()[found.rules[0]].id, found.secret)).collect()
    }

    /// Returns the text without what the rules of this place hide.
    pub(crate) fn redacted(&self, text: &str, at: At) -> String {
        let mut text = text.to_owned();
        self.nowhere(at).hide(&mut text, &mut plain);
        text
    }
}

impl Pattern for Redactor {
    type Found = Found;

    fn search(&self, excerpt: Excerpt<'_>) -> Search<Found> {
        first(self, excerpt)
    }

    /// Searches a streamed answer. What is only reported is found in each round, because it is still there.
    fn search_all(&self, excerpt: Excerpt<'_>, each: &mut dyn FnMut(Range<usize>, Found)) -> Option<usize> {
        let runs = |rule| self.actions.get(rule, At::Answer) > Action::Off;
        let (found, open) = self.engine.find_decided(excerpt, &runs);
        for found in found {
            each(found.secret.clone(), found);
        }
        open
    }

    /// An escape before the text may be a letter or the end of a word.
    fn context(&self) -> usize {
        64
    }
}

/// The calls of the last answer that are refused because of their arguments: the guard and the id of each call, and why.
#[derive(Clone, Debug, Default)]
struct RefusedCalls(HashMap<(&'static str, String), Reason>);

/// The texts of one event, and what was found in them.
pub(crate) struct Sight<'r> {
    redactor: &'r Redactor,
    at: At,
    places: Places<'r>,
    /// The place of the text that is searched now.
    here: Option<Here>,
    /// The rules that found something.
    seen: BTreeMap<usize, Seen>,
    refused: Option<usize>,
    is_too_large: bool,
    /// Whether a value that may be something else stays, because a program uses the text.
    keeps_doubtful: bool,
}

/// What a rule found.
#[derive(Debug, Default)]
struct Seen {
    count: usize,
    /// The first known place.
    place: Option<Place>,
}

impl Sight<'_> {
    /// Hides all secrets in a text, until another search finds none.
    pub(crate) fn hide(&mut self, text: &mut String, mark: Mark<'_>) {
        if text.len() > self.redactor.max_text_bytes {
            self.is_too_large = true;
            NOT_SEARCHED.clone_into(text);
            return;
        }
        self.here = self.places.take(text);
        for round in 0..ROUNDS {
            if !self.hide_once(text, round, mark) {
                return;
            }
        }
        // Each redaction has made another secret. That happens only in a text that was written for it.
        self.redactor.whole.clone_into(text);
    }

    /// Hides all secrets in a text that may be JSON. A secret that is a number becomes a text, so that JSON stays JSON.
    fn hide_in_output(&mut self, text: &mut String, mark: Mark<'_>) {
        let before = text.clone();
        self.hide(text, mark);
        let is_json = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
        if *text == before || !before.trim_start().starts_with(['{', '[']) || is_json(text) {
            return;
        }
        let Ok(arguments) = serde_json::from_str(&before) else { return };
        // The secrets are counted already.
        let mut sight = self.redactor.nowhere(self.at);
        let mut call = ToolCallInputs::new("").with_arguments(arguments);
        call.for_each_text(|text| sight.hide(text, mark));
        *text = match call.arguments {
            Value::String(text) => text,
            value => value.to_string(),
        };
    }

    /// Hides the beginning of a secret at the end of an output that was cut.
    fn hide_at_cut(&mut self, content: &mut String, found: Found, note: &str, mark: Mark<'_>) {
        let Found { secret, rules, value, .. } = found;
        let kept = content.len() - note.len();
        let Some(mark) = self.mark(&rules, &value.unwrap_or_default(), None, 0, mark) else { return };
        content.truncate(secret.start);
        // A mark that is longer than the beginning of the secret would exceed the limit.
        if secret.start + mark.len() <= kept {
            content.push_str(&mark);
        }
        content.push_str(note);
    }

    /// Hides secrets in the names of fields. Returns whether there were any.
    fn hide_names(&mut self, value: &mut Value, mark: Mark<'_>) -> bool {
        let mut hides = false;
        let fields = match value {
            Value::Object(fields) => fields,
            Value::Array(values) => {
                for value in values {
                    hides |= self.hide_names(value, mark);
                }
                return hides;
            }
            _ => return false,
        };
        for value in fields.values_mut() {
            hides |= self.hide_names(value, mark);
        }
        if fields.keys().any(|name| !self.redactor.is_clean(name)) {
            let renamed = std::mem::take(fields).into_iter().map(|(mut name, value)| {
                let before = name.clone();
                self.hide(&mut name, mark);
                hides |= name != before;
                (name, value)
            });
            *fields = renamed.collect();
        }
        hides
    }

    /// Hides the secrets in a text that one search finds. Returns whether there were any.
    /// In round 0, the bytes of the text are those of the payload.
    fn hide_once(&mut self, text: &mut String, round: usize, mark: Mark<'_>) -> bool {
        let Redactor { engine, actions, max_text_bytes, .. } = self.redactor;
        if text.len() > *max_text_bytes {
            self.is_too_large = true;
            NOT_SEARCHED.clone_into(text);
            return false;
        }
        let found = engine.find_all(text, |rule| actions.get(rule, self.at) > Action::Off);
        let mut hidden = String::new();
        let mut from = 0;
        for Found { secret, rules, value, is_certain, .. } in &found {
            let refuses = || rules.iter().any(|rule| actions.get(*rule, self.at) == Action::Refuse);
            if self.keeps_doubtful && !is_certain && !refuses() {
                continue;
            }
            let bytes = (round == 0).then(|| secret.clone());
            let value = value.as_deref().unwrap_or(&text[secret.clone()]);
            if let Some(mark) = self.mark(rules, value, bytes, round, mark) {
                hidden.push_str(&text[from..secret.start]);
                hidden.push_str(&mark);
                from = secret.end;
            }
        }
        if from == 0 {
            return false;
        }
        hidden.push_str(&text[from..]);
        *text = hidden;
        true
    }

    /// Records a secret and its bytes, and returns the mark in its place. Returns `None` if the secret is only reported. Such a secret
    /// is found in each round again, and counts once.
    fn mark(
        &mut self,
        rules: &[usize],
        secret: &str,
        bytes: Option<Range<usize>>,
        round: usize,
        mark: Mark<'_>,
    ) -> Option<String> {
        let Redactor { engine, actions, .. } = self.redactor;
        let strictest = rules.iter().copied().max_by_key(|rule| actions.get(*rule, self.at))?;
        if round > 0 && actions.get(strictest, self.at) <= Action::Report {
            return None;
        }
        let seen = self.seen.entry(rules[0]).or_default();
        seen.count += 1;
        if seen.place.is_none() {
            seen.place = self.places.place(self.here.as_ref(), bytes);
        }
        match actions.get(strictest, self.at) {
            Action::Off | Action::Report => return None,
            Action::Redact => {}
            Action::Refuse => self.refused = Some(strictest),
        }
        Some(mark(&engine.rules()[rules[0]], secret))
    }

    /// Looks for secrets in an error and in its causes. Returns its text without them if there are any.
    ///
    /// A log may have the error in any form: as `Debug`, or as `Display` with its causes.
    fn error(&mut self, error: &OperationError, mark: Mark<'_>) -> Option<String> {
        self.hide(&mut format!("{error:?}"), mark);
        let mut text = error.to_string();
        self.also(&mut text, mark);
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            self.also(&mut error.to_string(), mark);
            cause = error.source();
        }
        (!self.seen.is_empty() || self.is_too_large).then_some(text)
    }

    /// Hides the secrets in another form of the texts. Those that were found before are not counted again.
    fn also(&mut self, text: &mut String, mark: Mark<'_>) {
        let mut other = self.redactor.nowhere(self.at);
        other.hide(text, mark);
        let Sight { seen, refused, is_too_large, .. } = other;
        for (rule, seen) in seen {
            self.seen.entry(rule).or_insert(seen);
        }
        self.refused = self.refused.or(refused);
        self.is_too_large |= is_too_large;
    }

    /// Returns whether something was hidden.
    fn hides(&self) -> bool {
        let actions = &self.redactor.actions;
        self.is_too_large || self.seen.keys().any(|rule| actions.get(*rule, self.at) >= Action::Redact)
    }

    /// Reports what was found. Returns the reason of a refusal.
    pub(crate) fn decide(self, ctx: &mut RailContext) -> Option<Reason> {
        let Self { redactor, at, seen, refused, is_too_large, .. } = self;
        let mut reason = None;
        for (number, Seen { count, place }) in seen {
            let rule = &redactor.engine.rules()[number];
            let action = match redactor.actions.get(number, at) {
                Action::Off | Action::Report => "was found in",
                Action::Redact => "was hidden in",
                Action::Refuse => "is not allowed in",
            };
            let times = if count > 1 { format!(" ({count} times)") } else { String::new() };
            let message = format!("{} {action} {}{times}", rule.description, at.name());
            let finding =
                Finding::new(redactor.guard, rule.id.clone(), redactor.severity, message).at(place.unwrap_or_default());
            if refused.is_some() && (refused == Some(number) || reason.is_none()) {
                reason = Some(finding.reason());
            }
            finding.report(ctx);
        }
        if is_too_large {
            let message = format!(
                "a text in {} has more than {} bytes, so it was hidden and not searched",
                at.name(),
                redactor.max_text_bytes
            );
            Finding::new(redactor.guard, TOO_LARGE, redactor.severity, message).report(ctx);
        }
        reason
    }
}
