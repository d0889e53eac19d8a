//! What a suspended machine waits for, and the answers.

use exo_rails::{OpenQuestion, SavedContext};
use exo_rails_agent::NotOpen;
use serde_json::Value;

use super::{MachineState, Path};

/// A question that has no answer yet. [`MachineState::questions`] returns these questions.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct PathQuestion<'s> {
    /// The id for [`MachineState::answer`]. It is unique among the open questions of the machine.
    pub id: String,
    /// The node at which the path is.
    pub node: &'s str,
    /// The question, with the rail that asks it.
    pub open: &'s OpenQuestion,
}

impl Path {
    /// Returns the open questions of the path, with ids that no other question of the path has.
    fn questions(&self) -> impl Iterator<Item = (String, &OpenQuestion)> {
        let run = self.visit.as_ref().and_then(|visit| visit.run.as_ref());
        let of_run = run.into_iter().flat_map(|run| run.questions());
        of_run.chain(&self.question).map(|open| (open.question.id(), open))
    }
}

impl MachineState {
    /// Returns the questions of rails that have no answer yet. They are about the work of agents or about transitions.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::ScriptedModel;
    /// use exo_rails_machine::{Executor, MachineError, PreTransition, Transition, TransitionRecord, TransitionRequest};
    ///
    /// #[rail(priority = 20, on = [PreTransition])]
    /// fn approval(request: &TransitionRequest, ctx: &RailContext) -> Result<RailAction<TransitionRecord>, serde_json::Error> {
    ///     if request.to != "publish" {
    ///         return Ok(RailAction::Continue);
    ///     }
    ///     let question = ctx.question("publish the text");
    ///     Ok(match ctx.answer_to(&question)? {
    ///         None => RailAction::suspend(question),
    ///         Some(true) => RailAction::Continue,
    ///         Some(false) => RailAction::skip("the editor has refused the text"),
    ///     })
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let file = "State draft; State publish; End done; draft -> publish -> done;";
    /// let machine = exo_rails_dygram::read("flow.dygram", file).machine;
    /// let rails = rail_chain![#[chain(operations = [Transition])] approval];
    /// let executor = Executor::builder(&machine, "[]".parse::<ScriptedModel>()?).rails(rails).build()?;
    /// let stopped = executor.run().await.unwrap_err();
    /// assert!(matches!(stopped.error, MachineError::Suspended { .. }));
    ///
    /// // The state may be saved now, and answered days later in another process.
    /// let mut state = *stopped.state;
    /// let id = {
    ///     let asked = state.questions().next().unwrap();
    ///     assert_eq!((asked.node, asked.open.question.text.as_str()), ("draft", "publish the text"));
    ///     asked.id
    /// };
    /// state.answer(&id, true)?;
    /// let done = executor.resume(state)?.run().await?;
    /// assert_eq!(done.ended_at, ["done"]);
    /// # Ok(()) }
    /// ```
    pub fn questions(&self) -> impl Iterator<Item = PathQuestion<'_>> {
        self.paths.iter().flat_map(|path| {
            let question = |(id, open)| PathQuestion { id: format!("{}/{id}", path.id), node: &path.node, open };
            path.questions().map(question)
        })
    }

    /// Answers the question with this [id](PathQuestion::id). The rail reads the answer with
    /// [`answer_to`](exo_rails::RailContext::answer_to) when the machine is [resumed](crate::Executor::resume).
    ///
    /// # Errors
    ///
    /// If no question with this id waits for an answer.
    pub fn answer(&mut self, id: &str, answer: impl Into<Value>) -> Result<(), NotOpen> {
        let found = self.questions().find(|asked| asked.id == id).map(|asked| asked.open.question.clone());
        let number = id.split_once('/').and_then(|(path, _)| path.parse().ok());
        let open = || self.questions().map(|asked| asked.id).collect();
        let (Some(question), Some(number)) = (found, number) else {
            return Err(NotOpen::Question { id: id.to_owned(), open: open() });
        };
        let Some(path) = self.path_mut(number) else { return Ok(()) };
        if path.question.take_if(|open| open.question == question).is_none() {
            let run = path.visit.as_mut().and_then(|visit| visit.run.as_mut());
            return run.map_or(Ok(()), |run| run.answer(&question.id(), answer));
        }
        self.context.get_or_insert_default().answers.push((question, answer.into()));
        Ok(())
    }

    /// Returns the context of the machine with all answers: those that people gave to the runs of agents are in the contexts of
    /// the runs.
    pub(crate) fn take_context(&mut self) -> Option<SavedContext> {
        let mut context = self.context.take()?;
        // Only the runs of agents have numbers, and the context may be the one of such a run.
        context.turn = 0;
        let known = context.answers.clone();
        for run in self.suspended_runs() {
            let new = run.context.answers.iter().filter(|answer| !known.contains(answer));
            context.answers.extend(new.cloned());
        }
        Some(context)
    }
}
