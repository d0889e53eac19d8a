//! The pieces of a streamed answer, and the builder that puts them together.

use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::message::extra::KnownFields;
use crate::message::payload::ModelResponse;
use crate::message::{Content, ContentPart, FunctionCall, Message, ToolCall, Usage};

/// A piece of a model's answer. `Model::stream` yields such pieces.
///
/// A [`ResponseBuilder`] makes the answer from them.
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
    /// The next part of the text.
    Text(String),
    /// The next part of a tool call.
    ToolCall(ToolCallDelta),
    /// Unknown fields of the message, such as `reasoning_content`. The builder appends texts and lists to the previous
    /// value, merges objects, and replaces everything else.
    Fields(Map<String, Value>),
    /// Fields of the answer around the message, such as its `id`. The builder appends lists, merges objects, and
    /// replaces everything else. It replaces texts too, because each piece of an answer may repeat them.
    ResponseFields(Map<String, Value>),
    /// The reason why the model stopped: `stop`, `length`, `tool_calls`, …
    Finish(String),
    /// The tokens that the call has used so far. The last value counts.
    Usage(Usage),
    /// A whole answer at once. It replaces everything before it.
    Response(Box<ModelResponse>),
}

impl From<&str> for ModelDelta {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for ModelDelta {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// A piece of a tool call.
///
/// Providers repeat and leave out different fields. [`ResponseBuilder`] describes how the builder finds the call of a
/// piece.
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
    /// The index of the call in the answer. Some providers do not send it.
    pub index: Option<usize>,
    /// The id of the call.
    pub id: Option<String>,
    /// The name of the tool.
    pub name: Option<String>,
    /// The next part of the arguments.
    pub arguments: String,
    /// Other fields of the call, in the form of the protocol: its `type`, and unknown fields. The fields of the
    /// function are in an object `function`.
    pub extra: Map<String, Value>,
}

impl ToolCallDelta {
    /// Makes an empty piece of the call at this index.
    #[must_use]
    pub fn at(index: usize) -> Self {
        Self { index: Some(index), ..Self::default() }
    }
}

/// Puts the pieces of an answer together. The result is the answer that the model would have given at once.
///
/// The builder appends texts, and the arguments of each tool call. It finds the call of a piece like this:
///
/// - A piece with an index belongs to the call with this index. If several calls have this index, it belongs to the
///   call with the id of the piece, or to the last of them if none has this id. There is one exception: some providers
///   give the same index to all calls. So a piece with both an id and a name begins a new call if the call at its index
///   has a name and a different id.
/// - A piece without an index belongs to the call with its id. A new id begins a new call, and so does a name without
///   an id. A piece with neither belongs to the last call.
///
/// Ids and names may arrive in pieces, or be repeated with every piece. A call without arguments gets the arguments
/// `{}`, unless the answer was cut: see [`ModelResponse::settle_tool_calls`].
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

/// Indices of the calls. Without them, each piece would search a list of calls that may be long.
#[derive(Clone, Debug, Default)]
struct Places {
    /// The last call with an index.
    at_index: HashMap<usize, usize>,
    /// The last call with an index and an id.
    by_index_and_id: HashMap<(usize, String), usize>,
    /// The last call with an id.
    by_id: HashMap<String, usize>,
}

impl Places {
    /// Records a call that has begun, or whose id has grown.
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

/// A tool call that may grow.
#[derive(Clone, Debug, Default)]
struct PartialCall {
    index: Option<usize>,
    id: String,
    name: String,
    arguments: String,
    extra: Map<String, Value>,
}

impl ResponseBuilder {
    /// Makes a builder without pieces.
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

    /// Returns the answer from the pieces so far.
    #[must_use]
    pub fn finish(self) -> ModelResponse {
        let Self { mut response, mut calls, .. } = self;
        // Calls may arrive in any order. A call without an index follows the call that arrived before it.
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

    /// Makes a builder from a whole answer, to which pieces can be added.
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
        // If the id of a call has grown, the entry for its old id is no longer valid.
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

    /// Returns whether a piece with the same index begins a new call.
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

/// Returns a text that is not empty. Providers write an empty text for a missing one.
fn given(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.is_empty())
}

/// Adds a piece of an id or a name, unless the piece repeats the whole text.
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

/// The ways to merge a text with a previous text.
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
