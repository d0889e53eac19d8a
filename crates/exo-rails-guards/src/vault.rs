//! The values behind placeholders, for the tools that receive them and for the guards that judge their calls.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use data_encoding::HEXLOWER;
use exo_rails::{Excerpt, Pattern, Permit, RunScope, Search, SharedExtensions, ToolCallInputs};
use exo_rails_policy::ToolPattern;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::finding::Finding;
use crate::history::{self, values};
use crate::scan::readings_of;
use crate::store::StoreError;
use crate::store::{Change, StateStore, StateStoreExt, key};

/// The name of the numbers in the state of a run or session. The state is saved with it, so no number is used twice.
const NUMBERS: &str = "exo_rails_guards.placeholders";

/// The largest number that a text can reserve.
const LARGEST: u64 = 1_000_000_000;

/// The values of a session, or of a run without a session. No event, record, log or saved run has it.
#[derive(Clone, Default)]
pub(crate) struct Vault(Arc<Mutex<Values>>);

#[derive(Default)]
struct Values {
    of_value: HashMap<Arc<str>, Arc<str>>,
    of_placeholder: HashMap<Arc<str>, Arc<str>>,
    /// The tools that receive the values.
    tools: Arc<[ToolPattern]>,
}

impl Vault {
    /// Returns the vault of a session or run, if it has one.
    fn of(scope: &RunScope) -> Option<Self> {
        values(scope).get()
    }

    fn lock(&self) -> MutexGuard<'_, Values> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Values {
    fn receives(&self, tool: &str) -> bool {
        self.tools.iter().any(|pattern| pattern.matches(tool))
    }

    /// Returns the text with the values. Returns `None` if it has no placeholder of a value.
    fn reveal(&self, text: &str) -> Option<String> {
        let mut revealed = String::new();
        let mut rest = text;
        let mut changed = false;
        while let Some((before, placeholder, after)) = next_mark(rest) {
            revealed.push_str(before);
            let value = self.of_placeholder.get(placeholder);
            changed |= value.is_some();
            revealed.push_str(value.map_or(placeholder, |value| value));
            rest = after;
        }
        revealed.push_str(rest);
        changed.then_some(revealed)
    }

    /// Returns the text with placeholders in the place of the values.
    fn hide(&self, text: &str) -> String {
        let mut found: Vec<_> = self.of_value.iter().filter(|(value, _)| text.contains(&***value)).collect();
        // A value may be a part of a longer one.
        found.sort_unstable_by_key(|(value, _)| std::cmp::Reverse(value.len()));
        found.into_iter().fold(text.to_owned(), |text, (value, placeholder)| text.replace(&**value, placeholder))
    }

    fn hide_in(&self, finding: &mut Finding) {
        finding.message = self.hide(&finding.message).into();
        // The names in a pointer have escapes.
        let names = finding.place.pointer.split('/').map(|name| {
            let hidden = self.hide(&name.replace("~1", "/").replace("~0", "~"));
            hidden.replace('~', "~0").replace('/', "~1")
        });
        finding.place.pointer = names.collect::<Vec<_>>().join("/");
    }

    fn is_in(&self, value: &Value) -> bool {
        match value {
            Value::String(text) => self.reveal(text).is_some(),
            Value::Array(values) => values.iter().any(|value| self.is_in(value)),
            Value::Object(fields) => {
                fields.iter().any(|(name, value)| self.reveal(name).is_some() || self.is_in(value))
            }
            _ => false,
        }
    }

    /// Changes each text that has a placeholder of a value. `change` receives the text with the values.
    fn map(&self, value: &mut Value, change: &impl Fn(String) -> String) {
        match value {
            Value::String(text) => {
                if let Some(revealed) = self.reveal(text) {
                    *text = change(revealed);
                }
            }
            Value::Array(values) => values.iter_mut().for_each(|value| self.map(value, change)),
            Value::Object(fields) => {
                let changed = std::mem::take(fields).into_iter().map(|(name, mut value)| {
                    self.map(&mut value, change);
                    (self.reveal(&name).map_or(name, change), value)
                });
                *fields = changed.collect();
            }
            _ => {}
        }
    }

    /// Returns the arguments as the tool of the call receives them, if they differ.
    fn revealed(&self, call: &ToolCallInputs) -> Option<Value> {
        // Arguments that could not be read as JSON are a text. With the values, the text could become JSON that no rail has seen.
        if call.arguments.is_string() || !self.receives(&call.tool_name) || !self.is_in(&call.arguments) {
            return None;
        }
        let mut arguments = call.arguments.clone();
        self.map(&mut arguments, &|revealed| revealed);
        Some(arguments)
    }
}

/// Returns the text before the next mark, the mark, and the text after it.
fn next_mark(text: &str) -> Option<(&str, &str, &str)> {
    let mut from = 0;
    while let Some(open) = text[from..].find('[').map(|open| from + open) {
        let length = text[open + 1..].bytes().take_while(|byte| is_mark_byte(*byte)).count();
        let end = open + 1 + length;
        if length > 0 && text[end..].starts_with(']') {
            return Some((&text[..open], &text[open..=end], &text[end + 1..]));
        }
        from = open + 1;
    }
    None
}

/// Returns whether a mark may have this byte between its brackets.
const fn is_mark_byte(byte: u8) -> bool {
    matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_')
}

/// Finds marks in a stream, so that a mark is found although two pieces have a part of it each.
#[derive(Debug)]
pub(crate) struct Marks;

/// The letters of a mark in a stream, at most. The kinds and the numbers are shorter.
const LONGEST_MARK: usize = 60;

impl Pattern for Marks {
    type Found = ();

    fn search(&self, Excerpt { text, from, .. }: Excerpt<'_>) -> Search {
        match next_mark(&text[from..]) {
            Some((before, mark, _)) => {
                let start = from + before.len();
                Search::Match(start..start + mark.len(), ())
            }
            None => match text[from..].rfind('[').map(|open| from + open) {
                Some(open) if text.len() - open < LONGEST_MARK => Search::Undecided { from: open },
                _ => Search::Nothing,
            },
        }
    }
}

/// Returns the kind and the number of a placeholder.
fn kind_and_number(placeholder: &str) -> Option<(&str, &str)> {
    placeholder.strip_prefix('[')?.strip_suffix(']')?.rsplit_once('_')
}

/// Makes placeholders for the values of an event.
#[derive(Clone)]
pub(crate) struct Placing {
    store: SharedExtensions,
    /// The run, if the store is that of a session. A run can be saved without its session.
    run: Option<SharedExtensions>,
    max_values: usize,
}

impl Placing {
    pub(crate) fn new(scope: &RunScope, max_values: usize) -> Self {
        let run = scope.session_id().is_some().then(|| scope.run.clone());
        Self { store: values(scope).clone(), run, max_values }
    }

    /// Makes the mark of a value: its placeholder, or the mark of the recogniser if the vault is full.
    pub(crate) fn mark(&self, kind: &str, value: &str) -> String {
        self.placeholder(kind, value).map_or_else(|| format!("[{kind}]"), |placeholder| placeholder.to_string())
    }

    fn placeholder(&self, kind: &str, value: &str) -> Option<Arc<str>> {
        let vault = self.store.update(|vault: &mut Vault| vault.clone());
        if let Some(known) = vault.lock().of_value.get(value) {
            return Some(Arc::clone(known));
        }
        // One lock at a time. So another call can be faster, and a number is left out.
        let is_full = vault.lock().of_value.len() >= self.max_values;
        let number = if is_full { None } else { self.raise(kind, |number| number.checked_add(1)) }?;
        let mut values = vault.lock();
        if values.of_value.len() < self.max_values && !values.of_value.contains_key(value) {
            let (value, placeholder): (Arc<str>, Arc<str>) = (value.into(), format!("[{kind}_{number}]").into());
            values.of_value.insert(Arc::clone(&value), Arc::clone(&placeholder));
            values.of_placeholder.insert(placeholder, value);
        }
        values.of_value.get(value).cloned()
    }

    /// Reserves the placeholders in a text and in its readings, because they may be of a conversation whose numbers are not known, or a
    /// person may have written them. A value with such a number would be revealed in their place.
    pub(crate) fn reserve(&self, text: &str, is_kind: impl Fn(&str) -> bool) {
        self.reserve_in(text, &is_kind);
        for reading in readings_of(Excerpt::new(text, true)) {
            self.reserve_in(reading.read.text(), &is_kind);
        }
    }

    fn reserve_in(&self, text: &str, is_kind: impl Fn(&str) -> bool) {
        let mut rest = text;
        while let Some((_, placeholder, after)) = next_mark(rest) {
            if let Some((kind, number)) = kind_and_number(placeholder)
                && is_kind(kind)
                && let Some(number) = number.parse::<u64>().ok().filter(|number| *number <= LARGEST)
            {
                let _ = self.raise(kind, |known| Some(number.max(known)));
            }
            rest = after;
        }
    }

    /// Changes the last number of a kind, in the run and in the session. Returns the new one.
    ///
    /// Returns `None` if the state has something else under the name. Then there are no numbers, because a number could be used
    /// twice.
    fn raise(&self, kind: &str, change: impl Fn(u64) -> Option<u64>) -> Option<u64> {
        type Numbers = BTreeMap<String, u64>;
        let of_run = match &self.run {
            Some(run) => run.state().update_as(NUMBERS, |numbers: &mut Numbers| numbers.get(kind).copied()).ok()?,
            None => None,
        };
        let raised = self.store.state().update_as(NUMBERS, |numbers: &mut Numbers| {
            let last = numbers.get(kind).copied().max(of_run).unwrap_or_default();
            let next = change(last)?;
            numbers.insert(kind.to_owned(), next);
            Some(next)
        });
        let number = raised.ok()??;
        if let Some(run) = &self.run {
            let raise = |numbers: &mut Numbers| {
                let known = numbers.entry(kind.to_owned()).or_default();
                *known = number.max(*known);
            };
            run.state().update_as(NUMBERS, raise).ok()?;
        }
        Some(number)
    }
}

/// Sets the tools that receive the values, at an event of a guard whose configuration names them.
pub(crate) fn set_tools(scope: &RunScope, tools: &Arc<[ToolPattern]>) {
    // In shadow, no tool receives anything.
    if scope.is_shadow() {
        return;
    }
    if let Some(vault) = Vault::of(scope) {
        let mut values = vault.lock();
        if !Arc::ptr_eq(&values.tools, tools) {
            values.tools = Arc::clone(tools);
        }
    }
}

/// Returns the first placeholder in these arguments that stands for no value.
pub(crate) fn unknown(scope: &RunScope, arguments: &Value, is_kind: impl Fn(&str) -> bool) -> Option<String> {
    let vault = Vault::of(scope);
    let is_unknown =
        |placeholder: &str| vault.as_ref().is_none_or(|vault| !vault.lock().of_placeholder.contains_key(placeholder));
    let text = arguments.to_string();
    let mut rest = text.as_str();
    while let Some((_, placeholder, after)) = next_mark(rest) {
        if kind_and_number(placeholder).is_some_and(|(kind, _)| is_kind(kind)) && is_unknown(placeholder) {
            return Some(placeholder.to_owned());
        }
        rest = after;
    }
    None
}

/// Returns the arguments of a call with the values in the place of the placeholders.
///
/// Call it in a tool, with the permit of the call. If the configuration does not name the tool in
/// [`Placeholders::tools`](crate::personal_data::Placeholders::tools), the arguments stay as they are. Arguments that are a text
/// stay too, because they are not JSON. Only the caller of this function sees the values: the call that rails, the event bus, logs
/// and a stream of the run see keeps the placeholders.
///
/// See [`PersonalData`](crate::PersonalData) for an example.
#[must_use]
pub fn true_arguments(call: &Permit<ToolCallInputs>) -> Value {
    let revealed = Vault::of(call.scope()).and_then(|vault| vault.lock().revealed(call));
    revealed.unwrap_or_else(|| call.arguments.clone())
}

/// Returns a text with the values in the place of the placeholders, for a person who may see them.
///
/// The program calls it with the context of the run, for example to show the user the last answer.
#[must_use]
pub fn reveal(scope: &RunScope, text: &str) -> String {
    Vault::of(scope).and_then(|vault| vault.lock().reveal(text)).unwrap_or_else(|| text.to_owned())
}

/// Puts the values in the place of the placeholders of a streamed answer, for a person who may see them.
///
/// A model may split a placeholder: `[EMA`, `IL_1]`. So the last bytes of a piece are held back while they may begin a placeholder, at
/// most 60 of them. The texts that [`push`](Self::push) and [`finish`](Self::finish) return are, one behind the other, what [`reveal`]
/// returns for the whole text.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::PersonalData;
/// use exo_rails_guards::personal_data::{Placeholders, Reveal};
///
/// rail_chain! { struct Guards { personal_data: PersonalData } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let guards = Guards { personal_data: PersonalData::builder().placeholders(Placeholders::default()).build()? };
/// let mut ctx = RunContext::new("desk");
/// let customer = |_| async { Ok::<_, OperationError>(ToolOutput::text("ada@example.com")) };
/// let output = guards.guard_tool_call(ToolCallInputs::new("customer"), &mut ctx, customer).await?;
/// assert_eq!(output.content, "[EMAIL_1]");
///
/// // The pieces of the model's answer.
/// let mut reveal = Reveal::new(&ctx);
/// assert_eq!(reveal.push("I wrote to [EMA"), "I wrote to ");
/// assert_eq!(reveal.push("IL_1]. [1"), "ada@example.com. ");
/// assert_eq!(reveal.finish(), "[1");
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Reveal {
    values: SharedExtensions,
    held: String,
}

impl Reveal {
    /// Reveals the placeholders of this run, or of its session. Values that the run meets later are known too.
    #[must_use]
    pub fn new(scope: &RunScope) -> Self {
        Self { values: values(scope).clone(), held: String::new() }
    }

    /// Takes the next piece. Returns the text that is decided, with the values.
    #[must_use]
    pub fn push(&mut self, piece: &str) -> String {
        self.held.push_str(piece);
        let is_open = |open: usize| {
            let letters = &self.held[open + 1..];
            letters.len() < LONGEST_MARK && letters.bytes().all(is_mark_byte)
        };
        let open = self.held.rfind('[').filter(|open| is_open(*open));
        let rest = self.held.split_off(open.unwrap_or(self.held.len()));
        self.revealed(rest)
    }

    /// Ends the stream. Returns the text that was held back.
    #[must_use]
    pub fn finish(mut self) -> String {
        self.revealed(String::new())
    }

    /// Returns the text that is held, with the values, and holds another one.
    fn revealed(&mut self, next: String) -> String {
        let text = std::mem::replace(&mut self.held, next);
        let vault: Option<Vault> = self.values.get();
        vault.and_then(|vault| vault.lock().reveal(&text)).unwrap_or(text)
    }
}

/// Removes all values.
pub(crate) fn forget(scope: &RunScope) {
    drop(scope.session.remove::<Vault>());
    // The marks in the conversation are reserved again.
    history::forget(scope);
}

/// Returns a call as its tool receives it. Guards compare it with their rules. Use [`hidden`] for what they say about it.
pub(crate) fn revealed<'c>(call: &'c ToolCallInputs, scope: &RunScope) -> Cow<'c, ToolCallInputs> {
    match Vault::of(scope).and_then(|vault| vault.lock().revealed(call)) {
        Some(arguments) => Cow::Owned(ToolCallInputs { arguments, ..call.clone() }),
        None => Cow::Borrowed(call),
    }
}

/// Returns a finding without the values behind placeholders.
pub(crate) fn hidden(mut finding: Finding, scope: &RunScope) -> Finding {
    if let Some(vault) = Vault::of(scope) {
        vault.lock().hide_in(&mut finding);
    }
    finding
}

/// The arguments of a call for rules that compare calls of different runs.
pub(crate) struct Comparable<'c> {
    /// A keyed hash is in the place of each text with a placeholder. It is the same in all runs that use the store.
    pub(crate) hashed: Cow<'c, Value>,
    /// The arguments with the values, whatever the tool receives. They must not be stored.
    pub(crate) revealed: Cow<'c, Value>,
}

impl<'c> Comparable<'c> {
    /// Reads the key in the store, if the arguments have placeholders. Without a store, the key is that of the process.
    pub(crate) async fn new(
        arguments: &'c Value,
        scope: &RunScope,
        store: Option<&Arc<dyn StateStore>>,
    ) -> Result<Self, StoreError> {
        let vault = Vault::of(scope).filter(|vault| vault.lock().is_in(arguments));
        let Some(vault) = vault else {
            return Ok(Self { hashed: Cow::Borrowed(arguments), revealed: Cow::Borrowed(arguments) });
        };
        let key = match store {
            Some(store) => HashKey::of(store).await?,
            None => *PROCESS,
        };
        let (mut hashed, mut revealed) = (arguments.clone(), arguments.clone());
        let values = vault.lock();
        values.map(&mut hashed, &|revealed| key.hash(&revealed));
        values.map(&mut revealed, &|revealed| revealed);
        Ok(Self { hashed: Cow::Owned(hashed), revealed: Cow::Owned(revealed) })
    }

    /// Returns whether the arguments have placeholders.
    pub(crate) const fn has_values(&self) -> bool {
        matches!(self.hashed, Cow::Owned(_))
    }
}

/// The key of hashes of values.
#[derive(Clone, Copy)]
struct HashKey([u8; 32]);

/// The key for what stays in this process.
static PROCESS: LazyLock<HashKey> = LazyLock::new(HashKey::random);

impl HashKey {
    fn random() -> Self {
        // The standard library seeds each `RandomState` with random bytes of the operating system.
        let random = RandomState::new();
        let mut key = [0; 32];
        for (number, part) in key.chunks_exact_mut(8).enumerate() {
            part.copy_from_slice(&random.hash_one(number).to_le_bytes());
        }
        Self(key)
    }

    /// Reads the key of a store, or writes a new one.
    async fn of(store: &Arc<dyn StateStore>) -> Result<Self, StoreError> {
        let new = Self::random();
        let place = key(["personal_data", "key"]);
        let known = store.update(&place, |known: Option<[u8; 32]>| match known {
            Some(known) => (Change::Keep, known),
            None => (Change::Put(new.0, None), new.0),
        });
        Ok(Self(known.await?))
    }

    /// Returns the hash of a text, in a form that no argument has by chance.
    fn hash(self, text: &str) -> String {
        let hash = Sha256::new().chain_update(self.0).chain_update(text).finalize();
        // Without the second half, nobody can continue the hash with a longer text.
        format!("[#{}]", HEXLOWER.encode(&hash[..16]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_depends_on_the_key_and_the_text() {
        let (one, other) = (HashKey([1; 32]), HashKey([2; 32]));
        assert_eq!(one.hash("a"), one.hash("a"));
        assert_ne!(one.hash("a"), one.hash("b"));
        assert_ne!(one.hash("a"), other.hash("a"));
        assert_ne!(HashKey::random().0, HashKey::random().0);
        assert!(HashKey::random().0.iter().any(|byte| *byte != 0));
    }

    #[test]
    fn longer_values_are_hidden_first() {
        let mut values = Values::default();
        for (value, placeholder) in [("a@x.example", "[EMAIL_1]"), ("a/~a@x.example", "[EMAIL_2]")] {
            values.of_value.insert(value.into(), placeholder.into());
        }
        assert_eq!(values.hide("a@x.example, a/~a@x.example"), "[EMAIL_1], [EMAIL_2]");
        let mut finding = Finding::new("g", "r", exo_rails_policy::Severity::Low, "a@x.example")
            .at(crate::finding::Place::pointer("/a~1~0a@x.example/b"));
        values.hide_in(&mut finding);
        assert_eq!((&*finding.message, finding.place.pointer.as_str()), ("[EMAIL_1]", "/[EMAIL_2]/b"));
    }
}
