//! `update_definition`: another machine in place of this one, checked as a whole before it takes effect.

use std::sync::Arc;

use exo_rails::{GuardSet, OperationError, ServesOperation};
use exo_rails_dygram::Reader;
use serde_json::{Value, json};

use super::{Workshop, note, text_of};
use crate::plan::Plan;
use crate::state::PathStatus;
use crate::tools::{invalid, names_of, refused};
use crate::transition::Transition;

impl<R: GuardSet + ServesOperation<Transition> + 'static> Workshop<R> {
    pub(super) fn update_definition(&self, arguments: &Value) -> Result<String, OperationError> {
        let (definition, reason) = (text_of(arguments, "definition"), text_of(arguments, "reason"));
        let is_strict = self.desk.live.plan().machine().is_strict();
        let reader = if is_strict { Reader::new().strict() } else { Reader::new() };
        let machine =
            reader.read("definition", &definition).into_result().map_err(|report| invalid(report.to_string()))?;
        // Without the annotation, the next change would not be strict.
        if is_strict && !machine.is_strict() {
            return Err(invalid(
                "the machine is strict, and the definition is not: write `@StrictMode` after its title",
            ));
        }
        let plan = self.desk.live.plan().changed(&machine).map_err(|error| invalid(error.to_string()))?;
        self.check_plan(&plan)?;
        let output = "the machine is replaced".to_owned();
        self.desk.live.with(|state, _| {
            state.definition = machine.to_string();
            state.is_changed = true;
            state.contexts.add_missing(&machine);
            if let Some(visit) = state.visit_mut(self.desk.path) {
                note(
                    visit,
                    "update_definition",
                    json!({ "definition": machine.to_string(), "reason": reason }),
                    &output,
                );
            }
        });
        self.desk.live.set_plan(Arc::new(plan));
        Ok(output)
    }

    /// Checks that all paths have their nodes, and that no tool is missing or has the name of another one.
    fn check_plan(&self, plan: &Plan) -> Result<(), OperationError> {
        let missing = self.desk.live.with(|state, _| {
            let nodes = state.paths.iter().filter(|path| !path.status.is_over()).flat_map(|path| {
                let target = match &path.status {
                    PathStatus::Waiting { target, .. } => Some(target.clone()),
                    _ => None,
                };
                std::iter::once(path.node.clone()).chain(target)
            });
            let chosen = state
                .paths
                .iter()
                .filter_map(|path| path.visit.as_ref()?.chosen.as_ref())
                .map(|chosen| chosen.target.clone());
            nodes.chain(chosen).find(|node| plan.node(node).is_none())
        });
        if let Some(node) = missing {
            return Err(refused(format!("the machine is at `{node}`, and the definition has no such node")));
        }
        let constructed =
            self.desk.live.with(|state, _| state.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>());
        let is_known = |name: &str| self.all.iter().any(|tool| tool.name() == name);
        for node in plan.nodes() {
            let known = |name: &String| is_known(name) || constructed.contains(name);
            if let Some(tool) = node.tools.iter().find(|tool| !known(tool) && !plan.describes_tool(tool)) {
                return Err(invalid(format!("`{}` uses the tool `{tool}`, which does not exist", node.path)));
            }
            if let Some(tool) = names_of(node).into_iter().find(known) {
                return Err(invalid(format!(
                    "the machine would make a tool `{tool}` for `{}`, and there is one already",
                    node.path
                )));
            }
        }
        Ok(())
    }
}
