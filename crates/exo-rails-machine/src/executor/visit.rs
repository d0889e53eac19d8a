//! A visit of a node: a run of an agent with the tools and the prompt of the node.

use std::fmt::Write;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::message::{Message, Messages, Role};
use exo_rails::{DynGuardSet, GuardSet, InvokeInputs, OperationError, RunContext, RunError, ServesOperation, Tool};
use exo_rails_agent::{Agent, Checkpoints, Compaction, FailedRun, Model, SuspendedRun};

use super::rails::{EndsVisit, VisitRails};
use super::{Execution, MachineError};
use crate::conditions::Facts;
use crate::history::{AgentInvocation, HistoryStep, Said, TokenUsage};
use crate::meta::Workshop;
use crate::plan::{Flow, PlanEdge, PlanNode, Work};
use crate::prompt::{Parts, Prompt, prompt, reminder};
use crate::state::{Live, SharedSink, Visit};
use crate::tools::{Desk, name_of_edge};
use crate::transition::Transition;

impl<M, R> Execution<'_, M, R>
where
    M: Model + 'static,
    R: GuardSet + ServesOperation<Transition> + 'static,
{
    /// Lets the agent work at a node, until it chooses an edge or has no further tool calls.
    pub(super) async fn visit(&self, id: u64, node: &PlanNode) -> Result<(), MachineError> {
        let visit = self.prepare(id, node)?;
        let fatal = Arc::new(Mutex::new(None));
        let agent = self.agent(id, node, &visit, &fatal);
        let result = match visit.run.clone() {
            Some(mut run) => {
                let turn = run.context.turn;
                // Other paths may have counted further since the run was saved, and all paths share these values.
                if let Ok(context) = self.ctx.save(&self.executor.settings.kept) {
                    run.context = context;
                    run.context.turn = turn;
                }
                agent.run_in(run, &mut self.ctx.child()).await
            }
            None => agent.run_in(self.inputs(id, node, &visit), &mut self.new_run()).await,
        };
        match result {
            Ok(output) => {
                let error = fatal.lock().unwrap_or_else(PoisonError::into_inner).take();
                self.live.with(|state, _| {
                    if let Some(visit) = state.visit_mut(id) {
                        visit.has_worked = true;
                        // The step at which `EndsVisit` has ended the run made no call.
                        let was_ended = error.is_some() || visit.chosen.is_some() || visit.has_new_tools;
                        let made = output.steps.saturating_sub(u32::from(was_ended));
                        visit.model_calls = visit.model_calls.saturating_add(made);
                        visit.run = None;
                        visit.usage += &output.usage;
                        visit.note(&output.messages);
                    }
                    // A further attempt begins anew.
                    if !matches!(error, Some(RunError::StepLimit { .. })) {
                        state.conversations.insert(node.conversation(id), without_instructions(&output.messages));
                    }
                });
                match error {
                    None => Ok(()),
                    Some(error) if error.suspension().is_some() => Err(self.suspend(id, node, error).await),
                    Some(error) => Err(MachineError::Run { node: node.path.clone(), error }),
                }
            }
            Err(failed) => Err(self.visit_failed(id, node, failed)),
        }
    }

    fn visit_failed(&self, id: u64, node: &PlanNode, failed: FailedRun) -> MachineError {
        let FailedRun { error, so_far, suspended, .. } = failed;
        let node = node.path.clone();
        let is_suspended = suspended.is_some();
        self.live.with(|state, _| {
            if let Some(visit) = state.visit_mut(id) {
                if !is_suspended {
                    visit.usage += &so_far.usage;
                    visit.note(&so_far.messages);
                }
                visit.run = suspended;
            }
        });
        match error {
            error if is_suspended => MachineError::Suspended { node, error },
            RunError::Cancelled => MachineError::Cancelled,
            error => MachineError::Run { node, error },
        }
    }

    /// Returns the visit that is under way, or begins one.
    fn prepare(&self, id: u64, node: &PlanNode) -> Result<Visit, MachineError> {
        if let Some(visit) = self.live.with(|state, _| state.visit_mut(id).cloned()) {
            return Ok(visit);
        }
        let edges = self.choices(id, node)?;
        let Prompt { system, user } = self.prompt(id, node, &edges)?;
        let offered = edges.iter().filter_map(|edge| name_of_edge(edge)).collect();
        let failed = self.live.with(|state, _| state.path_mut(id).and_then(|path| path.failed_visit.take()));
        let visit = Visit { input: user.clone(), system, user, offered, ..Visit::after(failed) };
        self.live.with(|state, _| {
            if let Some(path) = state.path_mut(id) {
                path.visit = Some(visit.clone());
            }
        });
        Ok(visit)
    }

    /// Returns the edges for which the agent has tools.
    fn choices<'n>(&self, id: u64, node: &'n PlanNode) -> Result<Vec<&'n Arc<PlanEdge>>, MachineError> {
        let mut edges = self.offered(id, node)?;
        // Where nobody works, all paths have started before the agent is asked for the way.
        let starts_paths = |edge: &&Arc<PlanEdge>| match edge.flow {
            Flow::Spawn => node.work != Work::None,
            Flow::Map(_) => true,
            Flow::Single | Flow::Fork => false,
        };
        for edge in node.edges.iter().filter(|edge| !edge.is_auto).filter(starts_paths) {
            if self.is_open(id, node, edge)? {
                edges.push(edge);
            }
        }
        Ok(edges)
    }

    fn prompt(&self, id: u64, node: &PlanNode, edges: &[&Arc<PlanEdge>]) -> Result<Prompt, MachineError> {
        let made = self.live.with(|state, plan| {
            let item = state.path(id).and_then(|path| path.item.as_ref());
            let facts = Facts { errors: &state.errors, node: &node.path, item };
            let text = |template: &crate::plan::Template| template.text(&state.contexts, &node.grants, &facts);
            let parts = Parts {
                title: plan.title(),
                node,
                rules: plan.rules(),
                objective: node.prompt.as_ref().map(text).transpose()?,
                outer: node.outer.iter().map(text).collect::<Result<_, _>>()?,
                edges: edges.to_vec(),
                item: item.map(ToString::to_string),
            };
            Ok(prompt(&parts))
        });
        made.map_err(|problem| MachineError::Prompt { node: node.path.clone(), problem })
    }

    /// Asks the agent again in the same conversation.
    pub(super) fn remind(&self, id: u64, node: &PlanNode, offered: &[&Arc<PlanEdge>]) -> Result<(), MachineError> {
        let limit = self.executor.settings.limits.reminders;
        let is_reminded = self.live.with(|state, _| {
            let Some(visit) = state.visit_mut(id).filter(|visit| visit.reminders < limit) else { return false };
            visit.reminders += 1;
            true
        });
        if is_reminded {
            return self.go_on(id, node, reminder(offered));
        }
        let targets = offered.iter().map(|edge| format!("`{}`", edge.target)).collect();
        Err(MachineError::NoDecision { node: node.path.clone(), targets, reminders: limit })
    }

    /// Lets the agent go on in the same conversation, with another input.
    pub(super) fn go_on(&self, id: u64, node: &PlanNode, input: String) -> Result<(), MachineError> {
        let edges = self.choices(id, node)?;
        // The agent may have opened and closed edges since its instructions were written.
        let system = self.prompt(id, node, &edges)?.system;
        self.live.with(|state, _| {
            if let Some(visit) = state.visit_mut(id) {
                visit.has_worked = false;
                visit.system = system;
                visit.input = input;
                visit.offered = edges.iter().filter_map(|edge| name_of_edge(edge)).collect();
            }
        });
        Ok(())
    }

    /// Lets the agent go on with new tools, if it has made some. Returns whether it goes on.
    pub(super) fn renew(&self, id: u64, node: &PlanNode) -> Result<bool, MachineError> {
        if !self.live.with(|state, _| state.visit_mut(id).is_some_and(|visit| visit.has_new_tools)) {
            return Ok(false);
        }
        let limit = self.executor.settings.limits.model_calls;
        let goes_on = self.live.with(|state, _| {
            let Some(visit) = state.visit_mut(id) else { return false };
            visit.has_new_tools = false;
            let goes_on = visit.chosen.is_none() && visit.renewals < limit;
            visit.renewals += u32::from(goes_on);
            goes_on
        });
        if goes_on {
            self.go_on(id, node, "The tools of this node have changed. Go on.".to_owned())?;
        }
        Ok(goes_on)
    }

    /// Makes the context of a new run of an agent. An answer of a person is for one run only, so each has its number.
    fn new_run(&self) -> RunContext {
        let turn = self.live.with(|state, _| {
            state.runs = state.runs.saturating_add(1);
            state.runs
        });
        self.ctx.child().with_session(self.ctx.run_id(), self.ctx.session.clone(), turn)
    }

    fn inputs(&self, id: u64, node: &PlanNode, visit: &Visit) -> InvokeInputs {
        let messages =
            self.live.with(|state, _| state.conversations.get(&node.conversation(id)).cloned()).unwrap_or_default();
        InvokeInputs { messages, ..InvokeInputs::new(visit.input.as_str()) }
    }

    fn agent(
        &self,
        id: u64,
        node: &PlanNode,
        visit: &Visit,
        fatal: &Arc<Mutex<Option<RunError>>>,
    ) -> Agent<Arc<M>, VisitRails> {
        let settings = &self.executor.settings;
        let model_calls = settings.limits.model_calls;
        let ends_visit = EndsVisit { live: Arc::clone(&self.live), path: id, fatal: Arc::clone(fatal), model_calls };
        let rails = VisitRails { ends_visit, rails: DynGuardSet::new(Arc::clone(&self.executor.rails)) };
        let limit = settings.limits.messages;
        let compaction = Compaction::over(limit).with_counter(|messages| messages.len() as u64);
        let mut agent = Agent::builder(self.ctx.agent(), Arc::clone(&self.executor.model))
            .rails(rails)
            .tools(self.tools(id, node, visit, fatal))
            .instructions(visit.system.as_str())
            .max_steps(model_calls.saturating_add(1))
            .parallel_tools(NonZeroUsize::MIN)
            .kept_values(settings.kept.clone())
            .compaction(compaction);
        for (name, value) in &settings.options {
            agent = agent.option(name.as_str(), value.clone());
        }
        let checkpoints = VisitCheckpoints { live: Arc::clone(&self.live), path: id, sink: settings.sink.clone() };
        agent.checkpoints(checkpoints).build()
    }

    fn tools(&self, id: u64, node: &PlanNode, visit: &Visit, fatal: &Arc<Mutex<Option<RunError>>>) -> Vec<Tool> {
        let desk = self.desk(id, node, fatal);
        let mut edges: Vec<&Arc<PlanEdge>> = Vec::new();
        for name in &visit.offered {
            edges.extend(node.edges.iter().find(|edge| name_of_edge(edge).as_ref() == Some(name)));
        }
        let mut tools = desk.tools(&edges);
        let program = self.program_tools(node);
        tools.extend(program.iter().cloned());
        let model: Arc<dyn Model> = Arc::clone(&self.executor.model) as _;
        let all = self.executor.settings.tools.as_slice().into();
        let workshop = Workshop { desk, model, program: program.into(), all, compositions: 0 };
        if node.is_meta {
            tools.extend(workshop.tools());
        }
        tools.extend(workshop.constructed_tools(|name| node.is_meta || node.tools.iter().any(|tool| tool == name)));
        tools
    }

    /// Makes what the tools of a visit share.
    pub(super) fn desk(&self, id: u64, node: &PlanNode, fatal: &Arc<Mutex<Option<RunError>>>) -> Desk<R> {
        Desk {
            live: Arc::clone(&self.live),
            rails: Arc::clone(&self.executor.rails),
            ctx: Arc::new(self.transition_context(id)),
            path: id,
            node: Arc::new(node.clone()),
            fatal: Arc::clone(fatal),
            is_in_composition: false,
        }
    }

    /// Returns the tools of the program that the node may use.
    fn program_tools(&self, node: &PlanNode) -> Vec<Tool> {
        let plan = self.live.plan();
        let may_use =
            |tool: &&Tool| node.tools.iter().any(|name| name == tool.name()) || !plan.is_named_tool(tool.name());
        self.executor.settings.tools.iter().filter(may_use).cloned().collect()
    }
}

fn without_instructions(messages: &Messages) -> Messages {
    messages.iter().filter(|message| message.role != Role::System).cloned().collect()
}

impl Visit {
    /// Notes what was said in a run of the agent: everything behind its input.
    fn note(&mut self, messages: &Messages) {
        let is_input = |message: &Message| message.role == Role::User && message.text() == self.input.as_str();
        let all: Vec<_> = messages.iter().collect();
        let begin = all.iter().rposition(|message| is_input(message)).unwrap_or_default();
        for message in all.into_iter().skip(begin).filter(|message| message.role != Role::System) {
            for call in &message.tool_calls {
                let name = &call.function.name;
                if !self.tools_used.contains(name) {
                    self.tools_used.push(name.clone());
                }
            }
            self.said.push(said(message));
        }
    }

    /// Moves what the agent did into a step of the history.
    pub(super) fn record_in(self, step: &mut HistoryStep) {
        step.agent_invocation = Some(AgentInvocation {
            system_prompt: self.system,
            user_prompt: self.user,
            conversation_history: self.said,
            tools_used: self.tools_used,
            transition_chosen: self.chosen.map(|chosen| chosen.target).unwrap_or_default(),
            token_usage: TokenUsage::from(&self.usage),
        });
        step.mutations = self.mutations;
        step.writes = self.writes;
    }
}

fn said(message: &Message) -> Said {
    let role = if message.role == Role::Assistant { "assistant" } else { "user" };
    let mut content = message.text().into_owned();
    for call in &message.tool_calls {
        if !content.is_empty() {
            content.push('\n');
        }
        // Writing to a `String` cannot fail.
        let _ = write!(content, "[{}({})]", call.function.name, call.function.arguments);
    }
    Said { role: role.to_owned(), content }
}

/// Notes the run of the agent in the state of the machine, and saves the whole state if it has a place.
struct VisitCheckpoints {
    live: Arc<Live>,
    path: u64,
    sink: Option<SharedSink>,
}

impl Checkpoints for VisitCheckpoints {
    async fn save(&self, run: SuspendedRun) -> Result<(), OperationError> {
        let state = self.live.with(|state, _| {
            // The values of the run are in the context of the agent's run too, and are newer there.
            state.context = Some(run.context.clone());
            if let Some(visit) = state.visit_mut(self.path) {
                visit.run = Some(Box::new(run));
                visit.effect = None;
            }
            self.sink.is_some().then(|| state.clone())
        });
        match (&self.sink, state) {
            (Some(sink), Some(state)) => sink.save(state).await,
            _ => Ok(()),
        }
    }

    async fn remove(&self, _: &str, _: u64) -> Result<(), OperationError> {
        // The state after the visit replaces this one.
        Ok(())
    }
}
