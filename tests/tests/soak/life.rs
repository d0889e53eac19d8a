//! How a run is begun, and ended from outside.

use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use exo_rails::DynGuardSet;
use exo_rails::message::Messages;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, Compaction, RunEvent, RunStream, Session};
use tests::Polls;
use tokio::time::sleep;

use crate::operations::{TOOLS, Talker, compact, tool, wait};
use crate::plan::{Ending, Set};
use crate::rails::Sets;
use crate::random::Random;
use crate::trace::{Line, Outcome, Run, Told, What};

/// Runs it, as its plan says.
pub(crate) async fn live(run: &Arc<Run>, sets: &Sets) {
    match run.plan.set {
        Set::Chain => Box::pin(guarded(run, sets.chain.clone())).await,
        Set::Nested => Box::pin(guarded(run, sets.nested.clone())).await,
        Set::Manager => Box::pin(guarded(run, sets.manager.clone())).await,
        Set::HooksOfChain => Box::pin(guarded(run, sets.hooks_of_chain.clone())).await,
        Set::HooksOfManager => Box::pin(guarded(run, sets.hooks_of_manager.clone())).await,
    }
    run.forget();
}

async fn guarded(run: &Arc<Run>, rails: Arc<dyn GuardSet>) {
    let life = whole(Arc::clone(run), DynGuardSet::of(rails));
    match run.plan.ending {
        Ending::Left | Ending::Unread(_) => life.await,
        Ending::CancelledBetweenPolls(polls) => cancelled(run, life, polls).await,
        Ending::CancelledMeanwhile(time) => {
            let cancelling = tokio::spawn(cancel_after(Arc::clone(run), time));
            life.await;
            cancelling.await.unwrap();
        }
        Ending::Dropped(polls) => {
            if Polls(polls).of(life).await.is_none() {
                run.record(Line::Outside, What::Gone);
            }
        }
        Ending::Aborted(time) => aborted(run, life, time).await,
    }
}

async fn cancel_after(run: Arc<Run>, time: u64) {
    sleep(Duration::from_micros(time)).await;
    cancel(&run);
}

fn cancel(run: &Run) {
    run.record(Line::Outside, What::Cancels);
    run.token.cancel();
}

/// Cancels it after so many polls: nothing can have happened in between.
async fn cancelled(run: &Run, life: impl Future<Output = ()>, polls: usize) {
    let (mut life, mut left) = (pin!(life), polls);
    std::future::poll_fn(|cx| {
        if left > 0 {
            left -= 1;
            if left == 0 {
                cancel(run);
            }
        }
        let poll = life.as_mut().poll(cx);
        if left > 0 && poll.is_pending() {
            return Poll::Pending;
        }
        poll
    })
    .await;
}

async fn aborted(run: &Run, life: impl Future<Output = ()> + Send + 'static, time: u64) {
    let task = tokio::spawn(life);
    sleep(Duration::from_micros(time)).await;
    task.abort();
    match task.await {
        Ok(()) => {}
        Err(error) if error.is_cancelled() => drop(run.record(Line::Outside, What::Gone)),
        Err(error) => std::panic::resume_unwind(error.into_panic()),
    }
}

async fn whole(run: Arc<Run>, rails: DynGuardSet) {
    let plan = &run.plan;
    let mut agent = Agent::builder("soak", Talker).tools(TOOLS.map(tool));
    agent = agent.max_steps(plan.max_steps).parallel_tools(plan.bound);
    if plan.compaction {
        let count = |messages: &Messages| messages.len() as u64;
        agent = agent.compaction(Compaction::over(3).with_counter(count).with_strategy(compact));
    }
    let agent = Arc::new(agent.rails(rails).build());
    match plan.turns {
        None => alone(&run, &agent).await,
        Some(turns) => in_session(&run, &agent, turns).await,
    }
}

async fn alone(run: &Run, agent: &Agent<Talker, DynGuardSet>) {
    let mut ctx = RunContext::new("soak").with_run_id(run.name());
    if !matches!(run.plan.ending, Ending::Left) {
        ctx = ctx.with_cancellation(run.token.clone());
    }
    ctx.run.insert(run.marker());
    run.begin_turn();
    let outcome = if run.plan.streamed {
        read(run, agent.stream_in("begin", &mut ctx)).await
    } else {
        outcome(&agent.run_in("begin", &mut ctx).await.map_err(RunError::from))
    };
    run.record(Line::Main, What::TurnEnds(outcome));
}

async fn in_session(run: &Run, agent: &Arc<Agent<Talker, DynGuardSet>>, turns: u32) {
    let mut session = match Session::start(Arc::clone(agent), run.name()).await {
        Ok(session) => session.with_cancellation(run.token.clone()),
        Err(error) => {
            run.record(Line::Main, What::SessionStarts(Some(Outcome::from(&error))));
            return;
        }
    };
    run.record(Line::Main, What::SessionStarts(None));
    session.values().insert(run.marker());
    for _ in 0..turns {
        run.begin_turn();
        let outcome = if run.plan.streamed {
            read(run, session.stream("begin")).await
        } else {
            outcome(&session.run("begin").await.map_err(RunError::from))
        };
        run.record(Line::Main, What::TurnEnds(outcome));
    }
    session.end().await;
}

fn outcome(result: &Result<InvokeOutput, RunError>) -> Outcome {
    match result {
        Ok(output) => Outcome::Answered(output.text.clone()),
        Err(error) => Outcome::from(error),
    }
}

/// Reads a stream to its end, or not.
async fn read(run: &Run, mut events: RunStream<'_>) -> Outcome {
    let mut random = Random::of(&[run.number()]);
    let mut left = match run.plan.ending {
        Ending::Unread(events) => events,
        _ => usize::MAX,
    };
    while let Some(event) = events.next().await {
        if left == 0 {
            return Outcome::Dropped;
        }
        left -= 1;
        match event {
            Ok(RunEvent::Finished(output)) => return outcome(&Ok(*output)),
            Err(failed) => return Outcome::from(&failed.error),
            Ok(event) => run.tell(told(event)),
        }
        if random.permille(100) {
            wait(&mut random).await;
        }
    }
    Outcome::Other("the stream has no end".into())
}

fn told(event: RunEvent) -> Told {
    match event {
        RunEvent::Text(text) => Told::Text(text),
        RunEvent::Restart | RunEvent::RunAgain | RunEvent::ToolCalls(_) => Told::Reset,
        _ => Told::Other,
    }
}
