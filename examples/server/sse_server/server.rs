//! The server: a session for each customer, and a stream of events for each question.

use std::collections::HashMap;
use std::convert::Infallible;
use std::future::ready;
use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, Sse};
use axum::routing::post;
use exo_rails::prelude::*;
use exo_rails_agent::{Agent, FailedRun, Model, RunEvent, Session};
use futures_util::{Stream, StreamExt};
use tokio::sync::Mutex;

use crate::rails::ServiceRails;

type Support = Agent<Box<dyn Model>, ServiceRails>;
type SharedSession = Arc<Mutex<Session<Arc<Support>>>>;

/// The number of sessions that the server may have at the same time.
const MOST_SESSIONS: usize = 100;

/// The number of bytes that a question may have.
const LONGEST_QUESTION: usize = 4 * 1024;

/// One agent with one chain, and the sessions of its customers.
pub(crate) struct Service {
    agent: Arc<Support>,
    sessions: Mutex<HashMap<String, SharedSession>>,
}

type Refusal = (StatusCode, String);

impl Service {
    pub(crate) fn new(agent: Support) -> Arc<Self> {
        Arc::new(Self { agent: Arc::new(agent), sessions: Mutex::default() })
    }

    /// Returns the session of this customer. The first question begins the session.
    async fn session(&self, id: &str) -> Result<SharedSession, Refusal> {
        let mut sessions = self.sessions.lock().await;
        if let Some(session) = sessions.get(id) {
            return Ok(Arc::clone(session));
        }
        if sessions.len() >= MOST_SESSIONS {
            return Err((StatusCode::SERVICE_UNAVAILABLE, "there are too many sessions".to_owned()));
        }
        let session = Session::start(Arc::clone(&self.agent), id).await.map_err(|error| refusal(&error))?;
        let session = Arc::new(Mutex::new(session));
        sessions.insert(id.to_owned(), Arc::clone(&session));
        Ok(session)
    }

    /// Ends all sessions that are not in use.
    pub(crate) async fn end(&self) {
        let sessions = std::mem::take(&mut *self.sessions.lock().await);
        for session in sessions.into_values().filter_map(Arc::into_inner) {
            session.into_inner().end().await;
        }
    }
}

/// Returns the routes of the server.
pub(crate) fn routes(service: Arc<Service>) -> Router {
    Router::new().route("/ask/{session}", post(ask)).layer(DefaultBodyLimit::max(LONGEST_QUESTION)).with_state(service)
}

/// Answers a question. The stream owns the session, and releases it when the stream ends or the client goes away.
async fn ask(
    State(service): State<Arc<Service>>,
    Path(id): Path<String>,
    question: String,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Refusal> {
    let session = service.session(&id).await?;
    let session = session
        .try_lock_owned()
        .map_err(|_| (StatusCode::CONFLICT, "the answer to another question is on its way".to_owned()))?;
    let events = Session::stream_owned(session, question);
    Ok(Sse::new(events.filter_map(|event| ready(shown(event).map(Ok)))))
}

/// Turns an event of the run into an event for the client.
fn shown(event: Result<RunEvent, FailedRun>) -> Option<Event> {
    let shown = match event {
        Ok(RunEvent::Text(text)) => Event::default().event("text").data(text),
        Ok(RunEvent::Restart | RunEvent::RunAgain) => Event::default().event("restart").data(""),
        Ok(RunEvent::ToolCalls(calls)) => {
            let names: Vec<_> = calls.into_iter().map(|call| call.tool_name).collect();
            Event::default().event("tools").data(names.join(", "))
        }
        // The whole answer. A rail may have given the answer instead of the model.
        Ok(RunEvent::Finished(output)) => Event::default().event("done").data(output.text),
        Ok(_) => return None,
        Err(failed) => {
            let (status, told) = refusal(&failed.error);
            Event::default().event("error").data(format!("{status}: {told}"))
        }
    };
    Some(shown)
}

/// Returns the text of an error for the client: the reason of a rail, or only the kind of another error.
fn refusal(error: &RunError) -> Refusal {
    match error {
        RunError::Abort(abort) => (StatusCode::FORBIDDEN, abort.reason.to_string()),
        RunError::Operation(error) if error.kind == OperationErrorKind::RateLimited => {
            (StatusCode::TOO_MANY_REQUESTS, "the model is busy".to_owned())
        }
        _ => (StatusCode::BAD_GATEWAY, "there is no answer".to_owned()),
    }
}
