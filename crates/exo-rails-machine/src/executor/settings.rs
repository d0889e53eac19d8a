//! The settings of an executor.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use exo_rails::{CancellationToken, KeptValues, Tool};
use serde_json::{Map, Value};

use crate::history::HistoryStep;
use crate::state::SharedSink;

/// The limits of an execution. A limit of 3 allows exactly 3, and refuses the fourth.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// The steps of all paths together. The default is 1,000.
    pub steps: u64,
    /// The visits of each node. The default is 100.
    pub visits: u32,
    /// The time of a single call of `run` or `step`. The default is 5 minutes. `None` means no limit.
    pub time: Option<Duration>,
    /// The model calls in each visit of a node. The default is 50.
    pub model_calls: u32,
    /// How often the machine asks the agent again if the agent makes no choice. The default is 2.
    pub reminders: u32,
    /// The number of messages above which the agent shortens a conversation. The default is 50.
    pub messages: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: 1_000,
            visits: 100,
            time: Some(Duration::from_mins(5)),
            model_calls: 50,
            reminders: 2,
            messages: 50,
        }
    }
}

type OnStep = Arc<dyn Fn(&HistoryStep) + Send + Sync>;
type Clock = Arc<dyn Fn() -> SystemTime + Send + Sync>;

#[derive(Clone)]
pub(super) struct Settings {
    pub(super) limits: Limits,
    pub(super) until: Option<(String, u32)>,
    pub(super) start: Option<String>,
    pub(super) tools: Vec<Tool>,
    pub(super) sink: Option<SharedSink>,
    pub(super) on_step: Option<OnStep>,
    pub(super) clock: Clock,
    pub(super) cancellation: Option<CancellationToken>,
    pub(super) options: Map<String, Value>,
    pub(super) kept: KeptValues,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            until: None,
            start: None,
            tools: Vec::new(),
            sink: None,
            on_step: None,
            clock: Arc::new(SystemTime::now),
            cancellation: None,
            options: Map::new(),
            kept: KeptValues::new(),
        }
    }
}
