//! Which edge a path takes: by itself, or by the decision of the agent.

use std::sync::Arc;

use exo_rails::{Guard, GuardSet, OperationError, OperationErrorKind, Permit, RunError, ServesOperation};
use exo_rails_agent::Model;
use serde_json::{Map, Value};

use super::{Execution, MachineError};
use crate::conditions::Facts;
use crate::plan::{Flow, ListName, PlanEdge, PlanNode, Work, value_at};
use crate::state::{Allowed, Chosen};
use crate::transition::{Transition, TransitionRecord, TransitionRequest};

/// Where a path goes.
pub(super) enum Next {
    /// By one edge.
    Take { edge: Arc<PlanEdge>, reason: Option<String>, by_agent: bool },
    /// By several edges at once.
    Fork(Vec<Arc<PlanEdge>>),
    /// By one edge, for each item.
    Map { edge: Arc<PlanEdge>, items: Vec<Value>, reason: Option<String>, by_agent: bool },
    /// Nowhere.
    End,
}

impl<M, R> Execution<'_, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Does the work of a node, and chooses where the path goes.
    pub(super) async fn choose(&self, id: u64, node: &PlanNode) -> Result<Next, MachineError> {
        if node.is_end && node.work != Work::Task {
            return Ok(Next::End);
        }
        if node.work == Work::None {
            self.spawn_all(id, node).await?;
        }
        let has_begun = self.live.with(|state, _| state.visit_mut(id).is_some());
        if node.work != Work::Task
            && !has_begun
            && let Some(next) = self.automatic(id, node).await?
        {
            return Ok(next);
        }
        let asks = node.work != Work::None || has_begun || self.offered(id, node)?.len() > 1;
        if asks { self.ask(id, node).await } else { self.only_way(id, node).await }
    }

    /// Lets the agent work, and asks it again if it has made no choice.
    async fn ask(&self, id: u64, node: &PlanNode) -> Result<Next, MachineError> {
        loop {
            // An agent may have changed the machine.
            let current = self.live.node(id);
            let node = current.as_deref().unwrap_or(node);
            if let Some(asked) = self.live.with(|state, _| state.visit_mut(id).and_then(|visit| visit.asked.clone())) {
                self.decide_asked(id, node, asked).await?;
                continue;
            }
            let has_worked = self.live.with(|state, _| state.visit_mut(id).is_some_and(|visit| visit.has_worked));
            if !has_worked {
                self.visit(id, node).await?;
            }
            let current = self.live.node(id);
            let node = current.as_deref().unwrap_or(node);
            if self.renew(id, node)? {
                continue;
            }
            if let Some(chosen) = self.live.with(|state, _| state.visit_mut(id).and_then(|visit| visit.chosen.clone()))
            {
                return self.chosen(id, node, chosen);
            }
            if node.is_end {
                return Ok(Next::End);
            }
            if let Some(next) = self.automatic(id, node).await? {
                return Ok(next);
            }
            let offered = self.offered(id, node)?;
            if offered.len() < 2 {
                return self.only_way(id, node).await;
            }
            self.remind(id, node, &offered)?;
        }
    }

    /// Returns the edge that the agent chose. The tool has checked it, and the guard has allowed it.
    fn chosen(&self, id: u64, node: &PlanNode, chosen: Chosen) -> Result<Next, MachineError> {
        let current = self.live.node(id);
        let edges = current.as_deref().map_or(&node.edges, |node| &node.edges);
        // Other edges may have the same target: automatic ones, and those whose condition is false.
        let is_it = |edge: &&Arc<PlanEdge>| match edge.flow {
            Flow::Single => !chosen.is_map && !edge.is_auto && edge.target == chosen.target,
            Flow::Map(_) => chosen.is_map && !edge.is_auto && edge.target == chosen.target,
            Flow::Spawn | Flow::Fork => false,
        };
        let is_open = |edge: &&Arc<PlanEdge>| self.live.is_open(edge, id).unwrap_or(false);
        let mut candidates = edges.iter().filter(is_it);
        let first = candidates.clone().next();
        // If another path has closed the edge since the choice, the choice still counts.
        let Some(edge) = candidates.find(is_open).or(first).cloned() else {
            let message = format!("the agent chose `{}`, and the machine has no such edge now", chosen.target);
            let error = RunError::Operation(OperationError::new(OperationErrorKind::Denied, message));
            return Err(MachineError::Run { node: node.path.clone(), error });
        };
        let reason = chosen.reason;
        match &edge.flow {
            Flow::Map(list) => {
                let items = self.items(id, node, list)?;
                Ok(Next::Map { edge, items, reason, by_agent: true })
            }
            _ => Ok(Next::Take { edge, reason, by_agent: true }),
        }
    }

    /// Takes the only edge that is left, or ends the path.
    async fn only_way(&self, id: u64, node: &PlanNode) -> Result<Next, MachineError> {
        let offered = self.offered(id, node)?;
        if let Some(edge) = offered.first() {
            let edge = self.allowed(id, node, edge).await?;
            return Ok(Next::Take { edge, reason: None, by_agent: false });
        }
        let conditions = node.edges.iter().filter(|edge| !matches!(edge.flow, Flow::Spawn));
        let conditions: Vec<_> = conditions.filter_map(|edge| edge.condition.as_ref()).collect();
        if conditions.is_empty() {
            return Ok(Next::End);
        }
        let conditions = conditions.iter().map(|condition| format!("`{}`", condition.text())).collect();
        Err(MachineError::NoWay { node: node.path.clone(), conditions })
    }

    /// Returns the first edge that needs no decision and whose condition is true.
    async fn automatic(&self, id: u64, node: &PlanNode) -> Result<Option<Next>, MachineError> {
        for edge in &node.edges {
            let decides = match edge.flow {
                Flow::Single => edge.is_auto || (edge.condition.is_some() && node.work != Work::Task),
                Flow::Fork | Flow::Map(_) => true,
                Flow::Spawn => false,
            };
            if !decides || !self.is_open(id, node, edge)? {
                continue;
            }
            return Ok(Some(match &edge.flow {
                Flow::Fork => Next::Fork(self.allowed_all(id, node, |flow| matches!(flow, Flow::Fork)).await?),
                Flow::Map(list) => {
                    let mut items = self.items(id, node, list)?;
                    let edge = self.allowed(id, node, edge).await?;
                    // A rail may have chosen an edge with another list.
                    if let Flow::Map(list) = &edge.flow {
                        items = self.items(id, node, list)?;
                    }
                    Next::Map { edge, items, reason: None, by_agent: false }
                }
                _ => Next::Take { edge: self.allowed(id, node, edge).await?, reason: None, by_agent: false },
            }));
        }
        Ok(None)
    }

    /// Returns the edges of one flow that are open, and that the rails allow.
    async fn allowed_all(
        &self,
        id: u64,
        node: &PlanNode,
        is_flow: fn(&Flow) -> bool,
    ) -> Result<Vec<Arc<PlanEdge>>, MachineError> {
        let mut edges = Vec::new();
        // Before the machine was suspended, rails may have allowed some of them. A person is not asked twice.
        let mut before = self.live.with(|state, _| state.path(id).map(|path| path.allowed.clone())).unwrap_or_default();
        for edge in node.edges.iter().filter(|edge| is_flow(&edge.flow)) {
            if !self.is_open(id, node, edge)? {
                continue;
            }
            let known = before.iter().position(|allowed| allowed.asked == edge.target).map(|at| before.remove(at));
            if let Some(taken) = known.and_then(|known| self.find_edge(id, node, edge, &known.taken).ok()) {
                edges.push(taken);
                continue;
            }
            let taken = self.allowed(id, node, edge).await?;
            let allowed = Allowed { asked: edge.target.clone(), taken: taken.target.clone() };
            self.live.with(|state, _| state.path_mut(id).map(|path| path.allowed.push(allowed)));
            edges.push(taken);
        }
        self.live.with(|state, _| state.path_mut(id).map(|path| path.allowed.clear()));
        Ok(edges)
    }

    /// Starts the paths beside this one, if nobody works at the node. Otherwise, the agent starts them.
    async fn spawn_all(&self, id: u64, node: &PlanNode) -> Result<(), MachineError> {
        let has_some = node.edges.iter().any(|edge| matches!(edge.flow, Flow::Spawn));
        if !has_some || self.live.with(|state, _| state.path(id).is_none_or(|path| path.has_spawned)) {
            return Ok(());
        }
        let edges = self.allowed_all(id, node, |flow| matches!(flow, Flow::Spawn)).await?;
        self.live.with(|state, plan| {
            for edge in &edges {
                state.start_path(id, plan.entered(&edge.target), false, edge.priority, None);
            }
            if let Some(path) = state.path_mut(id) {
                path.has_spawned = true;
            }
        });
        Ok(())
    }

    /// Returns the edges among which the agent may choose: no automatic ones, and none whose condition is false.
    pub(super) fn offered<'n>(&self, id: u64, node: &'n PlanNode) -> Result<Vec<&'n Arc<PlanEdge>>, MachineError> {
        let mut offered: Vec<&Arc<PlanEdge>> = Vec::new();
        for edge in node.single_edges().filter(|edge| !edge.is_auto) {
            let is_known = offered.iter().any(|known| known.target == edge.target);
            if !is_known && self.is_open(id, node, edge)? {
                offered.push(edge);
            }
        }
        Ok(offered)
    }

    pub(super) fn is_open(&self, id: u64, node: &PlanNode, edge: &PlanEdge) -> Result<bool, MachineError> {
        self.live.is_open(edge, id).map_err(|error| MachineError::Condition {
            node: node.path.clone(),
            target: edge.target.clone(),
            error,
        })
    }

    fn items(&self, id: u64, node: &PlanNode, list: &ListName) -> Result<Vec<Value>, MachineError> {
        let found = self.live.with(|state, _| {
            let item = state.path(id).and_then(|path| path.item.as_ref());
            let facts = Facts { errors: &state.errors, node: &node.path, item };
            let mut values = Map::new();
            list.name.put(&state.contexts, &facts, &mut values)?;
            match value_at(&Value::Object(values), &list.path) {
                Some(Value::Array(items)) => Ok(items.clone()),
                Some(_) => Err("it has another type".to_owned()),
                None => Err("it has no value".to_owned()),
            }
        });
        found.map_err(|problem| MachineError::NotAList { node: node.path.clone(), list: list.text.clone(), problem })
    }

    /// Asks the rails whether the machine may take an edge. They may choose another edge of the node.
    pub(super) async fn allowed(
        &self,
        id: u64,
        node: &PlanNode,
        edge: &Arc<PlanEdge>,
    ) -> Result<Arc<PlanEdge>, MachineError> {
        let request = TransitionRequest {
            path: id,
            from: node.path.clone(),
            to: edge.target.clone(),
            reason: None,
            is_automatic: true,
        };
        let mut taken = None;
        let result = self
            .executor
            .rails
            .guard_operation::<Transition, _>(
                request,
                &mut self.transition_context(id),
                |request: Permit<TransitionRequest>| {
                    let found = self.find_edge(id, node, edge, &request.to);
                    let record = found.as_ref().map(|edge| TransitionRecord::new(&request.from, &edge.target));
                    let record =
                        record.map_err(|message| OperationError::new(OperationErrorKind::Denied, message.clone()));
                    taken = found.ok();
                    async move {
                        drop(request);
                        record
                    }
                },
            )
            .await;
        let failed = |error| MachineError::Run { node: node.path.clone(), error };
        match result {
            Err(error) if error.suspension().is_some() => return Err(self.suspend(id, node, error).await),
            result => drop(result.map_err(failed)?),
        }
        taken.ok_or_else(|| {
            let message = format!("a rail answered in place of the transition to `{}`", edge.target);
            failed(RunError::Operation(OperationError::new(OperationErrorKind::Denied, message)))
        })
    }

    fn find_edge(&self, id: u64, node: &PlanNode, edge: &Arc<PlanEdge>, target: &str) -> Result<Arc<PlanEdge>, String> {
        if edge.target == target {
            return Ok(edge.clone());
        }
        let same_flow =
            |other: &&Arc<PlanEdge>| std::mem::discriminant(&other.flow) == std::mem::discriminant(&edge.flow);
        for other in node.edges.iter().filter(same_flow).filter(|other| other.target == target) {
            if self.live.is_open(other, id).map_err(|error| error.to_string())? {
                return Ok(other.clone());
            }
        }
        Err(format!("`{}` has no edge to `{target}` that can be taken", node.path))
    }
}
