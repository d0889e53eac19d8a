//! The addresses of the playground.

use std::convert::Infallible;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Json, Request, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, ORIGIN, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::middleware::{self, Next};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use futures_util::{Stream, StreamExt, stream};
use serde::Deserialize;

use super::playground::{Playground, Received, Refusal};
use crate::arguments::{AnswerOptions, UnknownCalls};

/// Only the files of the program run in the page. The drawing has a style of its own.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the routes.
pub(super) fn routes(playground: Arc<Playground>, port: u16) -> Router {
    let page = || async { text("text/html; charset=utf-8", include_str!("page/index.html")) };
    let script = || async { text("text/javascript; charset=utf-8", include_str!("page/page.js")) };
    let style = || async { text("text/css; charset=utf-8", include_str!("page/page.css")) };
    Router::new()
        .route("/", get(page))
        .route("/page.js", get(script))
        .route("/page.css", get(style))
        .route("/events", get(events))
        .route("/execute", post(|State(all): State<Arc<Playground>>| async move { done(all.go(false)) }))
        .route("/step", post(|State(all): State<Arc<Playground>>| async move { done(all.go(true)) }))
        .route("/stop", post(|State(all): State<Arc<Playground>>| async move { done(all.stop()) }))
        .route("/reset", post(|State(all): State<Arc<Playground>>| async move { done(all.reset()) }))
        .route("/settings", post(settings))
        .route("/answer", post(answer))
        .layer(middleware::from_fn(move |request, next| only_from_the_page(port, request, next)))
        .with_state(playground)
}

fn text(content_type: &'static str, text: &'static str) -> Response {
    ([(CONTENT_TYPE, content_type)], text).into_response()
}

fn done(result: Result<(), Refusal>) -> Response {
    match result {
        Ok(()) => StatusCode::NO_CONTENT.into_response(),
        Err(refusal) => (StatusCode::CONFLICT, refusal).into_response(),
    }
}

/// Refuses requests of other pages. A browser sends requests of any page to this machine, and a foreign name may lead here.
async fn only_from_the_page(port: u16, request: Request, next: Next) -> Response {
    if !is_from_the_page(request.headers(), port) {
        return (StatusCode::FORBIDDEN, "only the page of this program may use this address").into_response();
    }
    let mut response = next.run(request).await;
    for (name, value) in
        [(CONTENT_SECURITY_POLICY, POLICY), (X_CONTENT_TYPE_OPTIONS, "nosniff"), (CACHE_CONTROL, "no-store")]
    {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn is_from_the_page(headers: &HeaderMap, port: u16) -> bool {
    let names = [format!("127.0.0.1:{port}"), format!("localhost:{port}")];
    let value = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    let is_host = value(HOST).is_some_and(|host| names.iter().any(|name| name == host));
    let is_origin =
        value(ORIGIN).is_none_or(|origin| names.iter().any(|name| origin.strip_prefix("http://") == Some(name)));
    is_host && is_origin
}

/// Streams what the page shows, whenever it changes.
async fn events(State(playground): State<Arc<Playground>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    let begin = (Arc::clone(&playground), playground.watch(), Received::default());
    let news = stream::unfold(begin, |(playground, mut changes, received)| async move {
        changes.changed().await.ok()?;
        let news = playground.news(received);
        let mut events = Vec::new();
        // A browser drops events without data.
        events.extend(news.is_new_log.then(|| Event::default().event("clear").data("log")));
        events.extend(news.lines.iter().filter_map(|line| Event::default().event("line").json_data(line).ok()));
        events.extend(Event::default().event("snapshot").json_data(&news.snapshot).ok());
        Some((stream::iter(events.into_iter().map(Ok)), (playground, changes, news.received)))
    });
    Sse::new(news.flatten()).keep_alive(KeepAlive::default())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewSettings {
    model: String,
    key: String,
}

async fn settings(State(playground): State<Arc<Playground>>, Json(new): Json<NewSettings>) -> Response {
    done(playground.choose(&new.model, new.key))
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum NewAnswer {
    Approve(String),
    Deny(String),
    RepeatCalls,
    TellModel,
}

async fn answer(State(playground): State<Arc<Playground>>, Json(answer): Json<NewAnswer>) -> Response {
    let none = AnswerOptions::default();
    done(playground.answer(&match answer {
        NewAnswer::Approve(id) => AnswerOptions { approve: vec![id], ..none },
        NewAnswer::Deny(id) => AnswerOptions { deny: vec![id], ..none },
        NewAnswer::RepeatCalls => AnswerOptions { unknown_calls: Some(UnknownCalls::Repeat), ..none },
        NewAnswer::TellModel => AnswerOptions { unknown_calls: Some(UnknownCalls::Tell), ..none },
    }))
}
