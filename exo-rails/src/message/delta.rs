//! Answers that come in pieces, and what puts them together.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::message::extra::KnownFields;
use crate::message::payload::ModelResponse;
use crate::message::{Content, ContentPart, FunctionCall, Message, ToolCall, Usage};

/// A piece of a model's answer: what `Model::stream` yields.
///
/// A [`ResponseBuilder`] makes the answer of them.
///
/// ```
/// use exo_rails::{ModelDelta, ResponseBuilder};
///
/// let deltas = [ModelDelta::Text("Hel".into()), ModelDelta::Text("lo".into()), ModelDelta::Finish("stop".into())];
/// let mut answer = ResponseBuilder::new();
/// answer.extend(deltas);
/// assert_eq!(answer.finish().message.text(), "Hello");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ModelDelta {
    /// More of the text.
    Text(String),
    /// More of a tool call.
    ToolCall(ToolCallDelta),
    /// Fields of the message that this crate does not know, such as `reasoning_content`. Texts and lists are
    /// appended to what was there, objects are merged, and everything else is replaced.
    Fields(Map<String, Value>),
    /// Fields of the answer around the message, such as its `id`. Lists are appended, objects are merged, and
    /// everything else is replaced, texts too: each piece of an answer may repeat them.
    ResponseFields(Map<String, Value>),
    /// Why the model stopped: `stop`, `length`, `tool_calls`, …
    Finish(String),
    /// What the call has cost so far. The last one counts.
    Usage(Usage),
    /// A whole answer at once. It stands in for everything before it.
    Response(Box<ModelResponse>),
}

/// A piece of a tool call.
///
/// Providers differ in what they repeat and leave out; [`ResponseBuilder`] says what is made of it.
///
/// ```
/// use exo_rails::{ModelDelta, ResponseBuilder, ToolCallDelta};
///
/// let mut answer = ResponseBuilder::new();
/// let first = ToolCallDelta { id: Some("call-1".into()), name: Some("search".into()), ..ToolCallDelta::at(0) };
/// answer.add(ModelDelta::ToolCall(first));
/// for arguments in ["{\"query\":", "\"late\"}"] {
///     answer.add(ModelDelta::ToolCall(ToolCallDelta { arguments: arguments.into(), ..ToolCallDelta::at(0) }));
/// }
/// let call = &answer.finish().message.tool_calls[0];
/// assert_eq!((call.function.name.as_str(), call.function.arguments.as_str()), ("search", r#"{"query":"late"}"#));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolCallDelta {
    /// Which of the answer's calls it belongs to. Some providers do not say.
    pub index: Option<usize>,
    /// The id of the call.
    pub id: Option<String>,
    /// The name of the tool.
    pub name: Option<String>,
    /// More of the arguments.
    pub arguments: String,
    /// Other fields of the call, as the protocol writes them: its `type`, and those that this crate does not know.
    /// Those of its function are in an object `function`.
    pub extra: Map<String, Value>,
}

impl ToolCallDelta {
    /// A piece of the call at this place, with nothing in it yet.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self { index: Some(index), ..Self::default() }
    }
}

/// Puts the pieces of an answer together: into what the model would have answered at once.
///
/// Texts are appended, and so are the arguments of each tool call. Which call a piece belongs to is said by its
/// index. A piece that has an id and a name, both different from those of the call at its index, begins another
/// call: some providers give all their calls one index. Without an index, a piece with a known id belongs to that
/// call, one with a new id or with a name begins a call, and any other goes on with the last call. Ids and names
/// may come in pieces, or be repeated with every piece. A call of which no arguments have come has the arguments `{}`,
/// unless the answer was cut: see [`ModelResponse::settle_tool_calls`].
///
/// ```
/// use exo_rails::{ModelDelta, ModelResponse, ResponseBuilder};
///
/// let mut answer = ResponseBuilder::new();
/// answer.add(ModelDelta::Text("It is ".into()));
/// answer.add(ModelDelta::Text("late.".into()));
/// answer.add(ModelDelta::Finish("stop".into()));
/// assert_eq!(answer.finish(), ModelResponse::text("It is late."));
/// ```
#[derive(Clone, Debug)]
pub struct ResponseBuilder {
    /// The answer without its tool calls.
    response: ModelResponse,
    calls: Vec<PartialCall>,
    places: Places,
}

/// Where calls are: an answer may have so many that nobody searches them for each piece.
#[derive(Clone, Debug, Default)]
struct Places {
    /// The last call at an index.
    at_index: HashMap<usize, usize>,
    /// The last call with an index and an id.
    by_index_and_id: HashMap<(usize, String), usize>,
    /// The last call with an id.
    by_id: HashMap<String, usize>,
}

impl Places {
    /// A call has begun, or has more of its id.
    fn note(&mut self, place: usize, call: &PartialCall) {
        if let Some(index) = call.index {
            let last = self.at_index.entry(index).or_insert(place);
            *last = place.max(*last);
            if !call.id.is_empty() {
                self.by_index_and_id.insert((index, call.id.clone()), place);
            }
        }
        if !call.id.is_empty() {
            self.by_id.insert(call.id.clone(), place);
        }
    }
}

/// A tool call that more may come of.
#[derive(Clone, Debug, Default)]
struct PartialCall {
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
    extra: Map<String, Value>,
}

impl ResponseBuilder {
    /// An answer of which nothing has come yet.
    #[must_use]
    pub fn new() -> Self {
        Self { response: ModelResponse::empty(), calls: Vec::new(), places: Places::default() }
    }

    /// Adds a piece.
    pub fn add(&mut self, delta: ModelDelta) {
        match delta {
            ModelDelta::Text(text) => append_text(&mut self.response.message, text),
            ModelDelta::ToolCall(delta) => self.add_to_call(delta),
            ModelDelta::Fields(mut fields) => {
                Message::retain_unknown(&mut fields);
                merge(&mut self.response.message.extra, fields, Texts::Append);
            }
            ModelDelta::ResponseFields(mut fields) => {
                ModelResponse::retain_unknown(&mut fields);
                merge(&mut self.response.extra, fields, Texts::Replace);
            }
            ModelDelta::Finish(reason) => self.response.finish_reason = Some(reason),
            ModelDelta::Usage(usage) => self.response.usage = Some(usage),
            ModelDelta::Response(response) => *self = Self::of(*response),
        }
    }

    /// The answer as it is by now.
    #[must_use]
    pub fn finish(self) -> ModelResponse {
        let Self { mut response, mut calls, .. } = self;
        // Calls may come in any order. Those without an index stay behind the call that they came after.
        let mut last = 0;
        for call in &mut calls {
            last = call.index.unwrap_or(last);
            call.index = Some(last);
        }
        calls.sort_by_key(|call| call.index);
        response.message.tool_calls = calls.into_iter().map(PartialCall::finish).collect();
        response.settle_tool_calls();
        response
    }

    /// A whole answer, to which more may be added.
    fn of(mut response: ModelResponse) -> Self {
        let calls = std::mem::take(&mut response.message.tool_calls);
        let calls: Vec<_> = calls.into_iter().enumerate().map(|(index, call)| PartialCall::of(index, call)).collect();
        let mut places = Places::default();
        calls.iter().enumerate().for_each(|(place, call)| places.note(place, call));
        Self { response, calls, places }
    }

    fn add_to_call(&mut self, delta: ToolCallDelta) {
        let known = match delta.index {
            Some(index) => self.known_by_index(index, &delta),
            None => self.known_without_index(&delta),
        };
        let place = known.unwrap_or_else(|| {
            self.calls.push(PartialCall { index: delta.index, ..PartialCall::default() });
            self.calls.len() - 1
        });
        let Some(call) = self.calls.get_mut(place) else { return };
        let id = call.id.len();
        call.add(delta);
        if known.is_none() || call.id.len() != id {
            self.places.note(place, call);
        }
    }

    fn known_by_index(&self, index: usize, delta: &ToolCallDelta) -> Option<usize> {
        let by_id = delta.id.clone().and_then(|id| self.places.by_index_and_id.get(&(index, id)));
        // An id that came in pieces is no longer what it was.
        let by_id = by_id.filter(|place| delta.id.as_ref() == Some(&self.calls[**place].id));
        let last = *by_id.or_else(|| self.places.at_index.get(&index))?;
        (!self.calls[last].ends_before(delta)).then_some(last)
    }

    fn known_without_index(&self, delta: &ToolCallDelta) -> Option<usize> {
        match (given(delta.id.as_ref()), given(delta.name.as_ref())) {
            (Some(id), _) => self.places.by_id.get(id).copied().filter(|place| self.calls[*place].id == id),
            (None, Some(_)) => None,
            (None, None) => self.calls.len().checked_sub(1),
        }
    }
}

impl Default for ResponseBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl Extend<ModelDelta> for ResponseBuilder {
    fn extend<T: IntoIterator<Item = ModelDelta>>(&mut self, deltas: T) {
        deltas.into_iter().for_each(|delta| self.add(delta));
    }
}

impl PartialCall {
    fn of(index: usize, call: ToolCall) -> Self {
        let ToolCall { id, kind, function, mut extra } = call;
        extra.insert("type".to_owned(), kind.into());
        if !function.extra.is_empty() {
            extra.insert("function".to_owned(), function.extra.into());
        }
        Self { index: Some(index), id, name: function.name, arguments: function.arguments, extra }
    }

    /// Whether a piece at the same index begins another call all the same.
    fn ends_before(&self, delta: &ToolCallDelta) -> bool {
        let (Some(id), Some(_)) = (given(delta.id.as_ref()), given(delta.name.as_ref())) else { return false };
        !self.name.is_empty() && !self.id.is_empty() && id != self.id
    }

    fn add(&mut self, delta: ToolCallDelta) {
        add_or_repeat(&mut self.id, delta.id);
        add_or_repeat(&mut self.name, delta.name);
        self.arguments.push_str(&delta.arguments);
        merge(&mut self.extra, delta.extra, Texts::Replace);
    }

    fn finish(self) -> ToolCall {
        let Self { id, name, arguments, mut extra, .. } = self;
        let mut call = ToolCall::new(id, name, &Value::Null);
        call.function.arguments = arguments;
        if let Some(Value::String(kind)) = extra.remove("type") {
            call.kind = kind;
        }
        if let Some(Value::Object(fields)) = extra.remove("function") {
            call.function.extra = fields;
        }
        FunctionCall::retain_unknown(&mut call.function.extra);
        ToolCall::retain_unknown(&mut extra);
        call.extra = extra;
        call
    }
}

/// A text that says something: providers write the empty one for none.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

/// A piece of an id or a name: the whole again, or more of it.
fn add_or_repeat(text: &mut String, piece: Option<String>) {
    if let Some(piece) = piece.filter(|piece| piece != text) {
        text.push_str(&piece);
    }
}

fn append_text(message: &mut Message, text: String) {
    match &mut message.content {
        None => message.content = Some(Content::Text(text)),
        Some(Content::Text(before)) => before.push_str(&text),
        Some(Content::Parts(parts)) => {
            parts.push(ContentPart { kind: "text".to_owned(), text: Some(text), extra: Map::new() });
        }
    }
}

/// What becomes of a text where there is one already.
#[derive(Clone, Copy)]
enum Texts {
    Append,
    Replace,
}

fn merge(into: &mut Map<String, Value>, fields: Map<String, Value>, texts: Texts) {
    for (name, value) in fields {
        match (into.get_mut(&name), value) {
            (Some(Value::Object(before)), Value::Object(more)) => merge(before, more, texts),
            (Some(Value::Array(before)), Value::Array(more)) => before.extend(more),
            (Some(Value::String(before)), Value::String(more)) if matches!(texts, Texts::Append) => {
                before.push_str(&more);
            }
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}
