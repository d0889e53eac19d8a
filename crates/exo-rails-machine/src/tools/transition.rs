//! `transition_to_X`, `spawn_async_to_X` and `map_spawn_to_X`.

use std::sync::Arc;

use exo_rails::{Guard, GuardSet, OperationError, Permit, RunError, ServesOperation, Tool, ToolCallInputs};
use serde_json::{Value, json};

use super::{Desk, invalid, name_of_edge, refused};
use crate::plan::{Flow, PlanEdge};
use crate::state::{Asked, Chosen};
use crate::transition::{Transition, TransitionRecord, TransitionRequest};

impl<R: GuardSet + ServesOperation<Transition> + 'static> Desk<R> {
    pub(super) fn transition_tool(&self, edge: &Arc<PlanEdge>) -> Tool {
        let target = &edge.target;
        let description = match &edge.flow {
            Flow::Spawn => format!("Starts a path at `{target}`, and goes on here."),
            Flow::Map(list) => format!("Starts a path at `{target}` for each item of `{}`.", list.text),
            _ => format!("Goes to `{target}`."),
        };
        let description = edge.description.as_ref().map_or(description.clone(), |text| format!("{description} {text}"));
        let schema = json!({
            "type": "object",
            "properties": { "reason": { "type": "string", "description": "Why?" } },
            "required": ["reason"],
            "additionalProperties": false,
        });
        let (desk, edge) = (self.clone(), edge.clone());
        let name = name_of_edge(&edge).unwrap_or_else(|| edge.tool.clone());
        let run = move |call: Permit<ToolCallInputs>| {
            let (desk, edge) = (desk.clone(), edge.clone());
            async move { desk.choose(&edge, &call).await }
        };
        // The effect is in the state of the machine. A saved state in which the call has not returned is without its effect.
        Tool::with_permit(name, description, schema, run).idempotent()
    }

    async fn choose(&self, edge: &PlanEdge, call: &Permit<ToolCallInputs>) -> Result<String, OperationError> {
        self.ensure_open()?;
        let reason = match call.arguments.get("reason") {
            None | Some(Value::Null) => None,
            Some(Value::String(reason)) => Some(reason.clone()),
            Some(_) => return Err(invalid("`reason` is a text")),
        };
        match self.transition(edge, reason.clone()).await {
            Ok(record) => Ok(taken(edge, &record)),
            Err(error) if error.suspension().is_some() => {
                self.note_asked(edge, reason);
                Err(self.end_with(error, format!("a rail asks a person about the transition to `{}`", edge.target)))
            }
            Err(error) => Err(self.error_of(error)),
        }
    }

    /// Asks the rails whether the agent may take an edge, and notes it when all rails have seen it. A rail may repeat the transition
    /// or refuse it at the end, so it has no effect before.
    pub(crate) async fn transition(
        &self,
        edge: &PlanEdge,
        reason: Option<String>,
    ) -> Result<TransitionRecord, RunError> {
        let request = TransitionRequest {
            path: self.path,
            from: self.node.path.clone(),
            to: edge.target.clone(),
            reason,
            is_automatic: false,
        };
        let mut found = None;
        let find = |request: Permit<TransitionRequest>| {
            let edge = self.find(&request, &edge.flow);
            found = edge.as_ref().ok().map(|edge| (edge.clone(), request.reason.clone()));
            async move { edge.map(|edge| TransitionRecord::new(&request.from, &edge.target)) }
        };
        let record = self.rails.guard_operation::<Transition, _>(request, &mut self.ctx.child(), find).await?;
        let Some((edge, reason)) = found else {
            let message = format!("a rail answered in place of the transition to `{}`", record.to);
            return Err(RunError::Operation(refused(message)));
        };
        self.take_note(reason, &edge);
        Ok(record)
    }

    fn note_asked(&self, edge: &PlanEdge, reason: Option<String>) {
        let asked = Asked { tool: edge.tool.clone(), target: edge.target.clone(), reason };
        self.live.with(|state, _| {
            if let Some(visit) = state.visit_mut(self.path) {
                visit.asked = Some(asked);
            }
        });
    }

    /// Finds the edge of a transition, if the current machine has it and its condition is true now.
    fn find(&self, request: &TransitionRequest, flow: &Flow) -> Result<Arc<PlanEdge>, OperationError> {
        self.ensure_open()?;
        let node = self.live.node(self.path).filter(|node| node.path == self.node.path);
        let node = node.ok_or_else(|| refused(format!("`{}` is not a node of the machine now", self.node.path)))?;
        let is_same = |edge: &&Arc<PlanEdge>| {
            edge.target == request.to && std::mem::discriminant(&edge.flow) == std::mem::discriminant(flow)
        };
        let mut closed = None;
        for edge in node.edges.iter().filter(|edge| !edge.is_auto).filter(is_same) {
            match self.live.is_open(edge, self.path) {
                Ok(true) => return Ok(edge.clone()),
                Ok(false) => closed = Some("the condition of its edge is false now".to_owned()),
                // The cause may have values that the node may not read.
                Err(_) => closed = Some("the condition of its edge cannot be evaluated now".to_owned()),
            }
        }
        let why = closed.unwrap_or_else(|| "there is no such edge".to_owned());
        Err(refused(format!("`{}` cannot go to `{}`: {why}", node.path, request.to)))
    }

    fn take_note(&self, reason: Option<String>, edge: &PlanEdge) {
        self.live.with(|state, plan| {
            if matches!(edge.flow, Flow::Spawn) {
                state.start_path(self.path, plan.entered(&edge.target), false, edge.priority, None);
                if let Some(visit) = state.visit_mut(self.path) {
                    visit.effect = Some(format!("a path has started at `{}`", edge.target));
                }
            } else if let Some(visit) = state.visit_mut(self.path) {
                let is_map = matches!(edge.flow, Flow::Map(_));
                visit.chosen = Some(Chosen { target: edge.target.clone(), is_map, reason });
                visit.effect = Some(format!("the machine goes to `{}`", edge.target));
            }
        });
    }
}

/// Says what has happened to an edge that the agent took.
pub(crate) fn taken(edge: &PlanEdge, record: &TransitionRecord) -> String {
    match edge.flow {
        Flow::Spawn => format!("a path has started at `{}`", record.to),
        _ => format!("the machine goes to `{}`", record.to),
    }
}
