//! `read_C` and `write_C`.

use std::sync::Arc;

use exo_rails::{OperationError, Tool, ToolOutput};
use serde_json::{Map, Value, json};

use super::{Desk, context_names, invalid, refused};
use crate::contexts::Grant;
use crate::plan::{Plan, PlanNode};
use crate::prompt::field_names;

impl<R: Send + Sync + 'static> Desk<R> {
    pub(crate) fn context_tools(&self) -> Vec<Tool> {
        let plan = self.live.plan();
        let mut tools = Vec::new();
        for (context, name) in context_names(&self.node) {
            let Some(grant) = self.node.grants.iter().find(|grant| grant.context == context) else { continue };
            if !grant.reads.is_empty() {
                tools.push(self.read_tool(&plan, grant, &name));
            }
            if !grant.writes.is_empty() {
                tools.push(self.write_tool(&plan, grant, &name));
            }
        }
        tools
    }

    fn read_tool(&self, plan: &Plan, grant: &Grant, name: &str) -> Tool {
        let (desk, context) = (self.clone(), grant.context.clone());
        let field = match field_names(plan.rules(), &context, &grant.reads) {
            Some(names) => json!({ "type": "string", "enum": names }),
            None => json!({ "type": "string" }),
        };
        let schema = json!({
            "type": "object",
            "properties": {
                "field": { "description": "The field to read. Without it, all fields are read.", "anyOf": [field] },
                "fields": { "type": "array", "items": field, "description": "Several fields to read." },
            },
            "additionalProperties": false,
        });
        let run = move |arguments: Value| {
            let result = desk.read(&context, &arguments);
            async move { result }
        };
        Tool::new(format!("read_{name}"), format!("Reads the context `{}`.", grant.context), schema, run).idempotent()
    }

    fn read(&self, context: &str, arguments: &Value) -> Result<ToolOutput, OperationError> {
        self.ensure_open()?;
        let fields = names_in(arguments)?;
        let read =
            self.live.with(|state, plan| state.contexts.read(plan.rules(), grants(plan, &self.node), context, &fields));
        let mut value = read.map_err(|error| refused(error.to_string()))?;
        // One field is read as it is.
        let single = arguments.get("field").and_then(Value::as_str).filter(|_| fields.len() == 1);
        if let Some(value_of) = single.and_then(|field| value.get_mut(field)).map(Value::take) {
            value = value_of;
        }
        ToolOutput::json(&value).map_err(|error| invalid(error.to_string()))
    }

    fn write_tool(&self, plan: &Arc<Plan>, grant: &Grant, name: &str) -> Tool {
        let (desk, context) = (self.clone(), grant.context.clone());
        let run = move |arguments: Value| {
            let result = desk.write(&context, &arguments);
            async move { result }
        };
        let schema = write_schema(plan, grant);
        Tool::new(format!("write_{name}"), format!("Writes the context `{}`.", grant.context), schema, run).idempotent()
    }

    fn write(&self, context: &str, arguments: &Value) -> Result<String, OperationError> {
        self.ensure_open()?;
        let data = data_in(context, arguments)?;
        let names: Vec<_> = data.keys().map(|name| format!("`{name}`")).collect();
        self.live.with(|state, plan| {
            let written = state.contexts.write(plan.rules(), grants(plan, &self.node), context, data);
            let written = written.map_err(|error| refused(error.to_string()))?;
            let output = format!("{} of `{context}` written", names.join(", "));
            if let Some(visit) = state.visit_mut(self.path) {
                visit.writes.extend(written);
                visit.effect = (!self.is_in_composition).then(|| output.clone());
            }
            Ok(output)
        })
    }
}

/// Returns the permissions of a node now. An agent may have changed the machine.
fn grants<'p>(plan: &'p Plan, node: &PlanNode) -> &'p [Grant] {
    plan.node(&node.path).map_or(&[], |node| &node.grants)
}

fn write_schema(plan: &Plan, grant: &Grant) -> Value {
    let names = field_names(plan.rules(), &grant.context, &grant.writes);
    let field =
        names.as_ref().map_or_else(|| json!({ "type": "string" }), |names| json!({ "type": "string", "enum": names }));
    let rules = plan.rules().among(&grant.context, &grant.writes);
    let properties: Map<_, _> = rules.iter().map(|rule| (rule.name.clone(), rule.schema.clone())).collect();
    json!({
        "type": "object",
        "properties": {
            "field": { "description": "The field to write, with `value`.", "anyOf": [field] },
            "value": { "description": "The value of `field`." },
            "data": {
                "type": "object",
                "description": "Several fields with their values, instead of `field` and `value`.",
                "properties": properties,
                "additionalProperties": names.is_none(),
            },
        },
        "additionalProperties": false,
    })
}

/// Returns the fields that a call names, in both shapes.
fn names_in(arguments: &Value) -> Result<Vec<String>, OperationError> {
    let text = |value: &Value| {
        value.as_str().map(str::to_owned).ok_or_else(|| invalid("`field` is a text, and `fields` is an array of texts"))
    };
    match (arguments.get("field"), arguments.get("fields")) {
        (None | Some(Value::Null), None | Some(Value::Null)) => Ok(Vec::new()),
        (Some(field), None | Some(Value::Null)) => Ok(vec![text(field)?]),
        (None | Some(Value::Null), Some(Value::Array(fields))) => fields.iter().map(text).collect(),
        (None | Some(Value::Null), Some(_)) => Err(invalid("`fields` is an array of texts")),
        _ => Err(invalid("pass `field` or `fields`, not both")),
    }
}

/// Returns the fields with the values that a call writes, in both shapes.
fn data_in(context: &str, arguments: &Value) -> Result<Map<String, Value>, OperationError> {
    match (arguments.get("field"), arguments.get("value"), arguments.get("data")) {
        (Some(Value::String(field)), Some(value), None) => Ok([(field.clone(), value.clone())].into_iter().collect()),
        (None, None, Some(Value::Object(data))) => Ok(data.clone()),
        (Some(Value::String(field)), None, None) => Err(invalid(format!("`value` of `{field}` is missing"))),
        (Some(_), _, Some(_)) => Err(invalid("pass `field` and `value`, or `data`, not both")),
        (Some(_), ..) => Err(invalid("`field` is a text")),
        (None, _, Some(_)) => Err(invalid("`data` is an object with the fields as names")),
        (None, ..) => Err(invalid(format!(
            "nothing to write to `{context}`: pass `field` and `value`, or several fields in `data`"
        ))),
    }
}
