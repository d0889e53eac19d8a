//! Learning from what the model reads: results, the conversation, the schemas of tools.

use std::hash::{DefaultHasher, Hash, Hasher};

use exo_rails::message::{Message, Messages, Role, ToolCall, ToolSpec};
use exo_rails::{InvokeInputs, RunScope, ToolCallInputs, ToolOutput};
use exo_rails_policy::ToolName;
use serde_json::Value;

use super::Sanitizer;
use super::declared::{Declaration, Declared};
use super::guard::{DataFlow, FlowError};
use super::marks::Form;
use super::state::{ALL, FlowState};
use super::watched::Watched;
use crate::arguments::{Search, each_leaf, nested};

/// A result, as the guard reads it.
struct Read<'r> {
    tool_name: &'r str,
    arguments: &'r Value,
    content: &'r str,
    /// The output, if the call has just run. A result in a conversation does not say whether the call has succeeded.
    output: Option<&'r ToolOutput>,
}

impl DataFlow {
    /// Reads what the program has declared.
    pub(super) fn learn_declared(&self, ctx: &RunScope) -> Result<(), FlowError> {
        // In shadow, the declarations stay for the guards that decide.
        let declared = if ctx.is_shadow() { ctx.run.get::<Declared>() } else { ctx.run.remove::<Declared>() };
        let Some(Declared(all)) = declared else { return Ok(()) };
        let form = self.form(ctx)?;
        for declaration in all {
            match declaration {
                Declaration::Taint { text, source, label } => {
                    let marks = form.tainted(&text, &[], self.config.max_marks);
                    self.with(ctx, |state| {
                        let origin = state.origin(&source, &label);
                        state.taint(&marks, origin, self.config.max_marks);
                    })?;
                }
                Declaration::Trust { text } => self.trust(&text, ALL, form, ctx)?,
                Declaration::Clear { value, labels } => {
                    self.with(ctx, |state| {
                        let labels = if labels.is_empty() { ALL } else { state.labels(&labels) };
                        state.clear_value(&value, labels);
                    })?;
                }
            }
        }
        Ok(())
    }

    /// Reads the words of a user or of a memory. Without a label, they are trusted.
    pub(super) fn learn_words(
        &self,
        text: &str,
        source: &str,
        label: Option<&str>,
        ctx: &RunScope,
    ) -> Result<(), FlowError> {
        let form = self.form(ctx)?;
        let Some(label) = label else { return self.trust(text, ALL, form, ctx) };
        let marks = form.tainted(text, &[], self.config.max_marks);
        self.with(ctx, |state| {
            let origin = state.origin(source, label);
            state.taint(&marks, origin, self.config.max_marks);
        })
    }

    fn trust(&self, text: &str, labels: u64, form: Form, ctx: &RunScope) -> Result<(), FlowError> {
        let marks = form.trusted(text, self.config.max_marks);
        self.with(ctx, |state| state.trust(&marks, labels, self.config.max_marks))
    }

    /// Reads the conversation before an inner run. A tool has made it, usually with the words of a model, so neither its
    /// instructions nor its input are trusted. They count as read, so that no later event trusts them.
    pub(super) fn learn_task(&self, run: &InvokeInputs, ctx: &RunScope) -> Result<(), FlowError> {
        for message in run.messages.iter().filter(|message| message.role != Role::Tool && !message.is_recalled) {
            self.is_new(&(role(message), &message.tool_call_id, message.text()), ctx)?;
        }
        self.is_new(&("user", &None::<String>, run.input.text()), ctx)?;
        self.learn_messages(&run.messages, false, ctx)
    }

    /// Reads the messages that are new: instructions and results, and the user's messages if `has_user` is set.
    pub(super) fn learn_messages(&self, messages: &Messages, has_user: bool, ctx: &RunScope) -> Result<(), FlowError> {
        let read = |state: &mut FlowState| {
            let [without, with] = &state.read;
            messages.shared_start(with).max(if has_user { 0 } else { messages.shared_start(without) })
        };
        let from = self.with(ctx, read)?;
        // The results of the calls of an earlier message may be new.
        let calling = messages.iter().take(from).rposition(|message| !message.tool_calls.is_empty()).unwrap_or(from);
        // The calls that have no result yet. Two calls can have the same id.
        let mut calls: Vec<&ToolCall> = Vec::new();
        let mut is_beginning = messages.iter().take(calling).all(Message::is_instructions);
        for (number, message) in messages.iter().enumerate().skip(calling) {
            is_beginning &= message.is_instructions();
            if !message.tool_calls.is_empty() {
                calls = message.tool_calls.iter().collect();
            }
            let id = message.tool_call_id.as_deref().unwrap_or_default();
            let call = calls.iter().position(|call| message.role == Role::Tool && call.id == id);
            let call = call.map(|place| calls.remove(place));
            if number < from {
                continue;
            }
            // A later message of the system, such as a warning of a guard, may quote the model.
            let is_read = is_beginning
                || message.role == Role::Tool
                || (has_user && message.role == Role::User)
                || message.is_recalled;
            if !is_read || !self.is_new(&(role(message), &message.tool_call_id, message.text()), ctx)? {
                continue;
            }
            let text = message.text();
            if message.is_recalled {
                if let Some(label) = &self.config.memory {
                    self.learn_words(&text, "the memory", Some(label), ctx)?;
                }
            } else if message.role == Role::Tool {
                let (name, arguments) = call.map_or(("", Value::Null), |call| {
                    let text = &call.function.arguments;
                    (&*call.function.name, serde_json::from_str(text).unwrap_or_else(|_| text.clone().into()))
                });
                self.learn(&Read { tool_name: name, arguments: &arguments, content: &text, output: None }, ctx)?;
            } else {
                let label = self.config.user_input.as_deref().filter(|_| message.role == Role::User);
                self.learn_words(&text, "the user's input", label, ctx)?;
            }
        }
        if !messages.is_empty() {
            self.with(ctx, |state| state.read[usize::from(has_user)] = messages.clone())?;
        }
        Ok(())
    }

    /// Trusts the values that the schemas of tools name.
    pub(super) fn learn_schemas(&self, tools: &[ToolSpec], ctx: &RunScope) -> Result<(), FlowError> {
        for tool in tools {
            if self.is_new(&("tool", &tool.function.name, &tool.function.parameters), ctx)? {
                let mut names = String::new();
                schema_values(&tool.function.parameters, &mut names);
                let form = self.form(ctx)?;
                self.trust(&names, ALL, form, ctx)?;
            }
        }
        Ok(())
    }

    /// Reads the result of a call that has just run. `used` is the tool of a fallback that has made the result.
    pub(super) fn learn_output(
        &self,
        call: &ToolCallInputs,
        output: &ToolOutput,
        is_tools: bool,
        used: Option<&str>,
        ctx: &RunScope,
    ) -> Result<(), FlowError> {
        let id = Some(call.id.clone()).filter(|id| !id.is_empty());
        self.is_new(&("tool", &id, &*output.content), ctx)?;
        let read = Read {
            tool_name: &call.tool_name,
            arguments: &call.arguments,
            content: &output.content,
            output: Some(output).filter(|output| is_tools && !output.is_error),
        };
        self.learn(&read, ctx)?;
        match used {
            Some(tool_name) => self.learn(&Read { tool_name, output: None, ..read }, ctx),
            None => Ok(()),
        }
    }

    /// Reads the failure of a call. Its text may come from outside.
    pub(super) fn learn_failure(&self, call: &ToolCallInputs, text: &str, ctx: &RunScope) -> Result<(), FlowError> {
        let read = Read { tool_name: &call.tool_name, arguments: &call.arguments, content: text, output: None };
        self.learn(&read, ctx)
    }

    fn learn(&self, read: &Read<'_>, ctx: &RunScope) -> Result<(), FlowError> {
        let name = ToolName::new(read.tool_name);
        let config = &self.config;
        let form = self.form(ctx)?;
        let is_cleaning =
            |of: &&Sanitizer| of.tool.iter().any(|tool| tool.allows(&name)) && has_result(of, read.content);
        let cleaning = config.sanitizers.iter().filter(|of| read.output.is_some() && is_cleaning(of));
        let cleaning: Vec<&Sanitizer> = cleaning.collect();
        let through = self.taint_of(read, &name, form, ctx)?;
        for sanitizer in &cleaning {
            self.clean(sanitizer, read, form, ctx)?;
        }
        let mut left = through.clone();
        for sanitizer in cleaning.iter().filter(|sanitizer| sanitizer.result) {
            left.retain(|(_, label)| !sanitizer.labels.is_empty() && !sanitizer.labels.contains(label));
        }
        let sources: Vec<_> =
            config.sources.iter().filter(|source| source.tool.iter().any(|tool| tool.catches(&name))).collect();
        if !left.is_empty() {
            let marks = form.tainted(read.content, &[], config.max_marks);
            self.with(ctx, |state| {
                for (source, label) in &left {
                    let origin = state.origin(source, label);
                    state.taint(&marks, origin, config.max_marks);
                }
            })?;
        }
        for source in &sources {
            let marks = form.tainted(read.content, &source.values, config.max_marks);
            self.with(ctx, |state| {
                let origin = state.origin(read.tool_name, &source.label);
                state.taint(&marks, origin, config.max_marks);
            })?;
        }
        let is_trusted = || config.trusted.iter().any(|tool| tool.allows(&name));
        if sources.is_empty() && through.is_empty() && read.output.is_some() && is_trusted() {
            self.trust(read.content, ALL, form, ctx)?;
        }
        Ok(())
    }

    /// Returns the origins of the arguments of a call, each with its label: the result may have their values, too.
    fn taint_of(
        &self,
        read: &Read<'_>,
        name: &ToolName<'_>,
        form: Form,
        ctx: &RunScope,
    ) -> Result<Vec<(String, String)>, FlowError> {
        let config = &self.config;
        let is_silent = || config.no_propagation.iter().any(|tool| tool.allows(name));
        if !config.propagate || self.with(ctx, |state| state.is_clean())? || is_silent() {
            return Ok(Vec::new());
        }
        let watched = Watched::new(read.arguments, &[]);
        let folded = watched.folded(form);
        let known = self.known(form);
        self.with(ctx, |state| {
            let everything = self.everything(state, ALL);
            let found = watched.find(&folded, state, self.least(), everything, &known);
            let set = found.iter().fold(0, |set, hit| set | hit.origins);
            let of = |(source, label): (&str, &str)| {
                let first = source.split(", which read ").last().unwrap_or(source);
                (format!("{}, which read {first}", read.tool_name), label.to_owned())
            };
            state.origins(set).map(of).collect()
        })
    }

    /// Clears what a sanitizer has checked or cleaned.
    fn clean(&self, sanitizer: &Sanitizer, read: &Read<'_>, form: Form, ctx: &RunScope) -> Result<(), FlowError> {
        let mut values = Vec::new();
        for value in sanitizer.arguments.iter().flat_map(|place| place.exact(read.arguments)) {
            each_leaf(value, &mut |_, leaf| match &*leaf {
                Value::String(text) => values.push(text.clone()),
                Value::Number(number) => values.push(number.to_string()),
                _ => {}
            });
        }
        let marks = sanitizer.result.then(|| form.trusted(read.content, self.config.max_marks));
        self.with(ctx, |state| {
            let labels = if sanitizer.labels.is_empty() { ALL } else { state.labels(&sanitizer.labels) };
            for value in &values {
                state.clear_value(value, labels);
            }
            if let Some(marks) = &marks {
                state.trust(marks, labels, self.config.max_marks);
            }
        })
    }

    /// Returns whether a message is new, and remembers it.
    fn is_new(&self, message: &impl Hash, ctx: &RunScope) -> Result<bool, FlowError> {
        self.with(ctx, |state| {
            let mut hasher = DefaultHasher::new();
            (state.form, message).hash(&mut hasher);
            state.see(hasher.finish())
        })
    }
}

fn role(message: &Message) -> &'static str {
    match message.role {
        Role::Tool => "tool",
        Role::User => "user",
        _ => "other",
    }
}

fn has_result(sanitizer: &Sanitizer, content: &str) -> bool {
    let is_there =
        |result: Value| sanitizer.if_result.iter().all(|(pointer, wanted)| result.pointer(pointer) == Some(wanted));
    sanitizer.if_result.is_empty() || nested(content).is_some_and(is_there)
}

/// Collects the values that a schema allows, and the names of its properties. Not its descriptions, because the server of the
/// tools writes them.
fn schema_values(schema: &Value, names: &mut String) {
    let mut open = vec![schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match (name.as_str(), value) {
                        ("enum" | "const" | "default" | "examples", values) => {
                            each_leaf(values, &mut |_, leaf| push(leaf.as_str(), names));
                        }
                        ("properties", Value::Object(properties)) => {
                            for name in properties.keys() {
                                push(Some(name), names);
                            }
                            open.push(value);
                        }
                        _ => open.push(value),
                    }
                }
            }
            Value::Array(items) => open.extend(items),
            _ => {}
        }
    }
}

fn push(name: Option<&str>, names: &mut String) {
    if let Some(name) = name {
        names.push_str(name);
        // So that two names are not one phrase.
        names.push_str(" | ");
    }
}
