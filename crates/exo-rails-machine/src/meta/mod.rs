//! The tools with which an agent at a node with `meta` changes the tools and the machine.

#[cfg(feature = "code")]
mod code;
mod construct;
mod definition;
mod run;
mod schema;

use std::sync::Arc;

use exo_rails::{GuardSet, OperationError, ServesOperation, Tool};
use exo_rails_agent::Model;
use serde_json::{Value, json};

use crate::contexts::{MAX_DEPTH, is_flat};
use crate::history::Mutation;
use crate::state::Visit;
use crate::tools::Desk;
use crate::transition::Transition;

/// How many tools the agents of a machine may construct.
const MAX_TOOLS: usize = 100;

/// How many compositions may run inside each other. Each of them needs a part of the stack.
const MAX_COMPOSITIONS: usize = 8;

/// What the meta tools of a visit share.
pub(crate) struct Workshop<R> {
    pub(crate) desk: Desk<R>,
    pub(crate) model: Arc<dyn Model>,
    /// The tools of the program that the node may use.
    pub(crate) program: Arc<[Tool]>,
    /// All tools of the program.
    pub(crate) all: Arc<[Tool]>,
    /// The number of compositions inside which the tools run.
    pub(crate) compositions: usize,
}

impl<R> Clone for Workshop<R> {
    fn clone(&self) -> Self {
        let (model, program, all) = (Arc::clone(&self.model), Arc::clone(&self.program), Arc::clone(&self.all));
        Self { desk: self.desk.clone(), model, program, all, compositions: self.compositions }
    }
}

impl<R: GuardSet + ServesOperation<Transition> + 'static> Workshop<R> {
    /// Returns the meta tools.
    pub(crate) fn tools(&self) -> Vec<Tool> {
        let text = json!({ "type": "string" });
        let object = json!({ "type": "object" });
        let tool = json!({
            "name": text, "description": text, "input_schema": object, "output_schema": object,
            "implementation_strategy": { "type": "string", "enum": ["agent_backed", "code_generation", "composition"] },
            "implementation_details": {
                "type": "string",
                "description": "Instructions for `agent_backed`, names such as `a -> b` for `composition`, a program in Rhai for `code_generation`.",
            },
        });
        let improvement = json!({ "tool_name": text, "rationale": text, "implementation_details": text });
        let definition = json!({ "definition": text, "reason": text });
        let required = ["name", "description", "input_schema", "implementation_strategy", "implementation_details"];
        vec![
            self.meta("construct_tool", "Makes a new tool.", &tool, &required, Self::construct),
            self.meta("list_available_tools", "Lists the tools.", &json!({}), &[], |this, _| Ok(this.list())),
            self.meta(
                "propose_tool_improvement",
                "Proposes how a tool could be better. With `implementation_details`, a constructed tool is changed.",
                &improvement,
                &["tool_name", "rationale"],
                Self::improve,
            ),
            self.meta("get_machine_definition", "Returns the machine in DyGram.", &json!({}), &[], |this, _| {
                Ok(this.desk.live.with(|state, _| state.definition.clone()))
            }),
            self.meta("get_tool_nodes", "Lists the tool nodes of the machine.", &json!({}), &[], |this, _| {
                Ok(this.tool_nodes())
            }),
            self.meta(
                "build_tool_from_node",
                "Makes a tool from a tool node.",
                &json!({ "node": text }),
                &["node"],
                Self::build_from_node,
            ),
            self.meta(
                "update_definition",
                "Replaces the machine.",
                &definition,
                &["definition", "reason"],
                Self::update_definition,
            ),
        ]
    }

    /// Returns the tools that agents have constructed, and that the node may use.
    pub(crate) fn constructed_tools(&self, may_use: impl Fn(&str) -> bool) -> Vec<Tool> {
        let constructed = self.desk.live.with(|state, _| state.tools.clone());
        constructed.iter().filter(|tool| may_use(&tool.name)).map(|tool| self.constructed(tool)).collect()
    }

    fn meta(
        &self,
        name: &str,
        description: &str,
        properties: &Value,
        required: &[&str],
        run: fn(&Self, &Value) -> Result<String, OperationError>,
    ) -> Tool {
        let this = self.clone();
        let schema =
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        let checked = schema.clone();
        let call = move |arguments: Value| {
            let deep = format!("the arguments are nested deeper than {MAX_DEPTH} levels");
            let flat = if is_flat(&arguments, MAX_DEPTH) { Ok(()) } else { Err(deep) };
            let checked = flat.and_then(|()| schema::check(&checked, &arguments)).map_err(crate::tools::invalid);
            let result = checked.and_then(|()| this.desk.ensure_open()).and_then(|()| run(&this, &arguments));
            async move { result }
        };
        Tool::new(name, description, schema, call).idempotent()
    }
}

/// Notes a change in a visit.
fn note(visit: &mut Visit, kind: &str, data: Value, output: &str) {
    visit.mutations.push(Mutation { kind: kind.to_owned(), data });
    visit.effect = Some(output.to_owned());
    visit.has_new_tools = true;
}

fn text_of(arguments: &Value, name: &str) -> String {
    arguments.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
}
