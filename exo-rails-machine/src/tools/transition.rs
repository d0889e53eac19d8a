//! `transition_to_X`, `spawn_async_to_X` and `map_spawn_to_X`.

use exo_rails::{Guard, GuardSet, OperationError, Permit, RunContext, RunError, ServesOperation, Tool, ToolCallInputs};
use serde_json::{Value, json};

use super::{Desk, invalid, name_of_edge, refused};
use crate::plan::{Flow, PlanEdge};
use crate::state::Chosen;
use crate::transition::{Transition, TransitionRecord, TransitionRequest};

impl<R: GuardSet + ServesOperation<Transition> + 'static> Desk<R> {
    pub(super) fn transition_tool(&self, edge: &PlanEdge) -> Tool {
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
        let request = TransitionRequest {
            path: self.path,
            from: self.node.path.clone(),
            to: edge.target.clone(),
            reason,
            is_automatic: false,
        };
        let record = self.guarded(request, &edge.flow, &mut call.context()).await;
        match record {
            Ok(record) if matches!(edge.flow, Flow::Spawn) => Ok(format!("a path has started at `{}`", record.to)),
            Ok(record) => Ok(format!("the machine goes to `{}`", record.to)),
            Err(error) => Err(self.error_of(error)),
        }
    }

    /// Notes a transition when all rails have seen it. A rail may repeat it or refuse it at the end, so it has no effect before.
    async fn guarded(
        &self,
        request: TransitionRequest,
        flow: &Flow,
        ctx: &mut RunContext,
    ) -> Result<TransitionRecord, RunError> {
        let mut taken = None;
        let find = |request: Permit<TransitionRequest>| {
            let found = self.find(&request, flow);
            taken = found.as_ref().ok().map(|edge| (edge.clone(), request.reason.clone()));
            async move { found.map(|edge| TransitionRecord::new(&request.from, &edge.target)) }
        };
        let record = self.rails.guard_operation::<Transition, _>(request, ctx, find).await?;
        let Some((edge, reason)) = taken else {
            let message = format!("a rail answered in place of the transition to `{}`", record.to);
            return Err(RunError::Operation(refused(message)));
        };
        self.take_note(reason, &edge);
        Ok(record)
    }

    /// Finds the edge of a transition, if the current machine has it and its condition is true now.
    fn find(&self, request: &TransitionRequest, flow: &Flow) -> Result<PlanEdge, OperationError> {
        self.ensure_open()?;
        let node = self.live.node(self.path).filter(|node| node.path == self.node.path);
        let node = node.ok_or_else(|| refused(format!("`{}` is not a node of the machine now", self.node.path)))?;
        let is_same = |edge: &&PlanEdge| {
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
