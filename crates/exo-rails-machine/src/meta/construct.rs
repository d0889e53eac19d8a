//! `construct_tool`, `propose_tool_improvement`, `list_available_tools` and `build_tool_from_node`.

use std::collections::BTreeSet;

use exo_rails::{GuardSet, OperationError, ServesOperation};
use exo_rails_dygram::{META_TOOLS, Machine, NodeId, NodeKind};
use serde_json::{Value, json};

use super::{MAX_TOOLS, Workshop, note, schema, text_of};
use crate::contexts::json_of;
use crate::state::{ConstructedTool, Implementation};
use crate::tools::{invalid, names_of, refused};
use crate::transition::Transition;

/// Names that begin in this way are those of tools that the machine makes.
const RESERVED: [&str; 5] = ["transition_to_", "read_", "write_", "spawn_async_to_", "map_spawn_to_"];

impl<R: GuardSet + ServesOperation<Transition> + 'static> Workshop<R> {
    pub(super) fn construct(&self, arguments: &Value) -> Result<String, OperationError> {
        let strategy = text_of(arguments, "implementation_strategy");
        let implementation = implementation(&strategy, &text_of(arguments, "implementation_details"))?;
        self.add(ConstructedTool {
            name: text_of(arguments, "name"),
            description: text_of(arguments, "description"),
            input_schema: arguments.get("input_schema").cloned().unwrap_or_else(|| json!({})),
            output_schema: arguments.get("output_schema").cloned(),
            implementation,
            improvements: Vec::new(),
        })
    }

    fn add(&self, tool: ConstructedTool) -> Result<String, OperationError> {
        self.check_name(&tool.name)?;
        self.check_implementation(&tool)?;
        let output = format!("the tool `{}` is ready", tool.name);
        self.desk.live.with(|state, _| {
            if state.tools.iter().any(|other| other.name == tool.name) {
                return Err(refused(format!("there is a tool `{}` already: propose an improvement", tool.name)));
            }
            if state.tools.len() >= MAX_TOOLS {
                return Err(refused(format!(
                    "the agents have constructed {MAX_TOOLS} tools, and may not construct more"
                )));
            }
            if let Some(visit) = state.visit_mut(self.desk.path) {
                note(visit, "construct_tool", json!(tool), &output);
            }
            state.tools.push(tool);
            Ok(output)
        })
    }

    fn check_name(&self, name: &str) -> Result<(), OperationError> {
        let is_name = (1..=64).contains(&name.len())
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        if !is_name {
            return Err(invalid("`name` may have up to 64 letters, digits, `_` and `-`"));
        }
        if let Some(reserved) = RESERVED.iter().find(|reserved| name.starts_with(**reserved)) {
            return Err(refused(format!(
                "`{name}` is reserved: names that begin with `{reserved}` belong to tools of the machine"
            )));
        }
        let is_generated = self.desk.live.plan().nodes().any(|node| names_of(node).iter().any(|other| other == name));
        let is_program = self.all.iter().any(|tool| tool.name() == name);
        if META_TOOLS.contains(&name) || is_program || is_generated {
            return Err(refused(format!("there is a tool `{name}` already")));
        }
        Ok(())
    }

    fn check_implementation(&self, tool: &ConstructedTool) -> Result<(), OperationError> {
        schema::ensure_supported(&tool.input_schema).map_err(invalid)?;
        match &tool.implementation {
            Implementation::AgentBacked(instructions) if instructions.trim().is_empty() => {
                Err(invalid("for `agent_backed`, write the instructions in `implementation_details`"))
            }
            Implementation::AgentBacked(_) => Ok(()),
            Implementation::Composition(steps) => self.check_steps(tool, steps),
            Implementation::CodeGeneration(code) => check_code(code),
        }
    }

    /// Checks that the tools of a composition exist, that none leads back to it, and that each fits to the one before.
    fn check_steps(&self, tool: &ConstructedTool, steps: &[String]) -> Result<(), OperationError> {
        if steps.is_empty() {
            return Err(invalid(
                "for `composition`, write the names of tools in `implementation_details`, such as `a -> b`",
            ));
        }
        if self.leads_to(steps, &tool.name) {
            return Err(refused(format!("`{}` would call itself", tool.name)));
        }
        let mut given = Some(tool.input_schema.clone());
        for step in steps {
            let (expected, result) = self.schemas(step).ok_or_else(|| {
                let names: Vec<_> = self.parts().iter().map(|tool| format!("`{}`", tool.name())).collect();
                invalid(format!("there is no tool `{step}` for a composition; the tools are {}", names.join(", ")))
            })?;
            if let Some(given) = &given {
                schema::feeds(given, &expected)
                    .map_err(|problem| invalid(format!("`{step}` does not fit the step before it: {problem}")))?;
            }
            given = result;
        }
        Ok(())
    }

    /// Returns what a tool takes, and what it returns if that is known.
    fn schemas(&self, name: &str) -> Option<(Value, Option<Value>)> {
        let constructed = self.desk.live.with(|state, _| state.tools.iter().find(|tool| tool.name == name).cloned());
        if let Some(tool) = constructed {
            return Some((tool.input_schema, tool.output_schema));
        }
        let parts = self.parts();
        let tool = parts.iter().find(|tool| tool.name() == name)?;
        Some((tool.spec().function.parameters.clone(), None))
    }

    fn leads_to(&self, steps: &[String], name: &str) -> bool {
        let tools = self.desk.live.with(|state, _| state.tools.clone());
        let (mut seen, mut open) = (BTreeSet::new(), steps.to_vec());
        while let Some(step) = open.pop() {
            if step == name {
                return true;
            }
            if let Some(Implementation::Composition(inner)) =
                tools.iter().find(|tool| tool.name == step).map(|tool| &tool.implementation)
                && seen.insert(step)
            {
                open.extend(inner.iter().cloned());
            }
        }
        false
    }

    pub(super) fn improve(&self, arguments: &Value) -> Result<String, OperationError> {
        let (name, rationale) = (text_of(arguments, "tool_name"), text_of(arguments, "rationale"));
        let details = arguments.get("implementation_details").and_then(Value::as_str);
        let known = self.desk.live.with(|state, _| state.tools.iter().find(|tool| tool.name == name).cloned());
        let changed = match (known, details) {
            (Some(tool), Some(details)) => {
                let changed = ConstructedTool { implementation: changed(&tool.implementation, details), ..tool };
                self.check_implementation(&changed)?;
                Some(changed)
            }
            (Some(_), None) => None,
            (None, Some(_)) => {
                return Err(refused(format!(
                    "`{name}` is not a constructed tool: without `implementation_details`, you can propose an improvement"
                )));
            }
            (None, None) if self.parts().iter().any(|tool| tool.name() == name) => None,
            (None, None) => return Err(invalid(format!("there is no tool `{name}`"))),
        };
        let how = if changed.is_some() { "changed" } else { "proposed" };
        let output = format!("the improvement of `{name}` is {how}");
        self.desk.live.with(|state, _| {
            if let Some(tool) = state.tools.iter_mut().find(|tool| tool.name == name) {
                if let Some(changed) = changed {
                    *tool = changed;
                }
                tool.improvements.push(rationale.clone());
            }
            if let Some(visit) = state.visit_mut(self.desk.path) {
                note(visit, "propose_tool_improvement", arguments.clone(), &output);
            }
        });
        Ok(output)
    }

    pub(super) fn list(&self) -> String {
        let constructed = self.desk.live.with(|state, _| state.tools.clone());
        let program = self.parts();
        let program = program.iter().filter(|tool| constructed.iter().all(|other| other.name != tool.name()));
        let mut tools: Vec<_> = program
            .map(|tool| json!({ "name": tool.name(), "description": tool.spec().function.description }))
            .collect();
        tools.extend(constructed.iter().map(|tool| json!(tool)));
        Value::from(tools).to_string()
    }

    pub(super) fn tool_nodes(&self) -> String {
        let plan = self.desk.live.plan();
        let machine = plan.machine();
        let nodes = machine.ids().filter(|id| machine.kind(*id) == NodeKind::Tool);
        let shown = nodes.map(|id| json!({ "node": machine.path(id), "title": machine.node(id).title, "attributes": attributes(machine, id) }));
        Value::from(shown.collect::<Vec<_>>()).to_string()
    }

    /// Makes a tool from a node with one of the attributes `prompt`, `composition` and `code`.
    pub(super) fn build_from_node(&self, arguments: &Value) -> Result<String, OperationError> {
        let path = text_of(arguments, "node");
        let plan = self.desk.live.plan();
        let machine = plan.machine();
        let found = machine.find(&path).filter(|id| machine.kind(*id) == NodeKind::Tool);
        let id = found.ok_or_else(|| invalid(format!("the machine has no tool node `{path}`")))?;
        let fields = attributes(machine, id);
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        let ways = [("prompt", "agent_backed"), ("composition", "composition"), ("code", "code_generation")];
        let found = ways.iter().find_map(|(name, strategy)| Some((*strategy, text(name)?)));
        let (strategy, details) = found.ok_or_else(|| {
            invalid(format!("`{path}` does not say how it works: add `prompt`, `composition` or `code`"))
        })?;
        let schema = ["parameters", "input", "schema"].iter().find_map(|name| fields.get(*name));
        let described = text("description").map(str::to_owned).or_else(|| machine.node(id).title.clone());
        self.add(ConstructedTool {
            name: machine.node(id).name.clone(),
            description: described.unwrap_or_default(),
            input_schema: schema
                .filter(|schema| schema.is_object())
                .cloned()
                .unwrap_or_else(|| json!({ "type": "object" })),
            output_schema: fields.get("output").filter(|schema| schema.is_object()).cloned(),
            implementation: implementation(strategy, details)?,
            improvements: Vec::new(),
        })
    }
}

fn attributes(machine: &Machine, id: NodeId) -> Value {
    let fields = machine.node(id).attributes.iter();
    let value =
        |field: &exo_rails_dygram::Attribute| field.value.as_ref().map(|value| json_of(value, field.ty.as_ref()));
    Value::Object(fields.map(|field| (field.name.clone(), value(field).unwrap_or_default())).collect())
}

fn implementation(strategy: &str, details: &str) -> Result<Implementation, OperationError> {
    match strategy {
        "agent_backed" => Ok(Implementation::AgentBacked(details.to_owned())),
        "composition" => Ok(Implementation::Composition(steps(details))),
        "code_generation" => Ok(Implementation::CodeGeneration(details.to_owned())),
        _ => Err(invalid("`implementation_strategy` is `agent_backed`, `composition` or `code_generation`")),
    }
}

fn changed(implementation: &Implementation, details: &str) -> Implementation {
    match implementation {
        Implementation::AgentBacked(_) => Implementation::AgentBacked(details.to_owned()),
        Implementation::Composition(_) => Implementation::Composition(steps(details)),
        Implementation::CodeGeneration(_) => Implementation::CodeGeneration(details.to_owned()),
    }
}

fn steps(details: &str) -> Vec<String> {
    details.split("->").map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

#[cfg(feature = "code")]
fn check_code(code: &str) -> Result<(), OperationError> {
    super::code::check(code)
}

#[cfg(not(feature = "code"))]
fn check_code(_: &str) -> Result<(), OperationError> {
    Err(refused("this program cannot run code: use `agent_backed` or `composition`"))
}
