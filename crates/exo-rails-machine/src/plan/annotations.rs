//! What annotations of nodes, edges and machines mean.

use std::time::Duration;

use exo_rails_dygram::{Annotation, Edge, Machine, Node, NodeId, Value};

use super::{Barrier, Flow, ListName, OnError, Urgency};
use crate::conditions::Name;

const DEFAULT_RETRIES: u32 = 3;
const MAX_RETRIES: u32 = 10;
const DEFAULT_TIMEOUT: u32 = 30_000;
const MAX_TIMEOUT: u32 = 300_000;
const DEFAULT_CONCURRENCY: u32 = 4;
const MAX_CONCURRENCY: u32 = 100;

fn number(annotation: &Annotation, default: u32, least: u32, greatest: u32) -> u32 {
    let number = annotation.number().filter(|number| number.is_finite()).unwrap_or(f64::from(default));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is in the range of `u32`")]
    let number = number.clamp(f64::from(least), f64::from(greatest)) as u32;
    number
}

fn first<'a>(annotations: &'a [Annotation], names: &[&str]) -> Option<&'a Annotation> {
    annotations.iter().find(|annotation| names.iter().any(|name| annotation.is(name)) && annotation.is_enabled())
}

pub(super) fn retries(node: &Node) -> u32 {
    node.annotation("retry").map_or(0, |retry| number(retry, DEFAULT_RETRIES, 0, MAX_RETRIES))
}

pub(super) fn timeout(node: &Node) -> Option<Duration> {
    let timeout = node.annotation("timeout")?;
    Some(Duration::from_millis(u64::from(number(timeout, DEFAULT_TIMEOUT, 1, MAX_TIMEOUT))))
}

pub(super) fn urgency(node: &Node) -> Urgency {
    let has = |name: &str| node.annotation(name).is_some_and(Annotation::is_enabled);
    match () {
        () if has("eager") => Urgency::Eager,
        () if has("lazy") => Urgency::Lazy,
        () => Urgency::Normal,
    }
}

pub(super) fn concurrency(machine: &Machine) -> usize {
    let found = first(&machine.annotations, &["concurrent"]);
    let number = found.map_or(DEFAULT_CONCURRENCY, |found| number(found, DEFAULT_CONCURRENCY, 1, MAX_CONCURRENCY));
    usize::try_from(number).unwrap_or(1)
}

pub(super) fn on_error(machine: &Machine) -> OnError {
    let strategy = first(&machine.annotations, &["errorHandling"]).and_then(Annotation::value).and_then(Value::as_str);
    match strategy {
        Some("continue") => OnError::Continue,
        Some("compensate") => OnError::Compensate,
        _ => OnError::FailFast,
    }
}

pub(super) fn flow(machine: &Machine, node: NodeId, edge: &Edge) -> Flow {
    if let Some(map) = first(&edge.annotations, &["map", "foreach", "each"]) {
        let named = map.value().or_else(|| map.parameter("items")).or_else(|| map.parameter("source"));
        let text = named.and_then(Value::as_str).unwrap_or_default().to_owned();
        let path: Vec<_> = text.split('.').map(|name| name.trim().to_owned()).collect();
        return Flow::Map(ListName { name: Name::of(machine, node, &path), text, path });
    }
    if first(&edge.annotations, &["parallel", "fork"]).is_some() {
        return Flow::Fork;
    }
    if first(&edge.annotations, &["async", "spawn"]).is_some() { Flow::Spawn } else { Flow::Single }
}

pub(super) fn barrier(edge: &Edge) -> Option<Barrier> {
    let found = first(&edge.annotations, &["barrier", "wait", "sync", "join", "merge"])?;
    let named = found.value().or_else(|| found.parameter("id")).and_then(Value::as_str);
    let merges = found.parameter("merge").and_then(Value::as_bool);
    let is_merge = merges.unwrap_or(found.is("join") || found.is("merge"));
    Some(Barrier { name: named.unwrap_or("default").to_owned(), is_merge })
}
