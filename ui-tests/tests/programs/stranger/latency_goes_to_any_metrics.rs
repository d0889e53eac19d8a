//! What it shows: a generic rail around the model call whose parameter is a `dyn` type, listed as `Latency<dyn Metrics>`.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use exo_rails::Next;
use exo_rails::operations::LlmCall;
use exo_rails::prelude::*;

trait Metrics: Send + Sync {
    fn observe(&self, series: String, took: Duration);
}

#[derive(Default)]
struct InMemory(Mutex<Vec<(String, Duration)>>);

impl Metrics for InMemory {
    fn observe(&self, series: String, took: Duration) {
        self.0.lock().unwrap().push((series, took));
    }
}

struct Latency<M: ?Sized> {
    metrics: Arc<M>,
}

#[rail(priority = 5, name = "latency")]
impl<M: Metrics + ?Sized> Latency<M> {
    #[on(PreLlmCall, around)]
    async fn measure(&self, request: &ModelCallInputs, next: impl Next<LlmCall>) -> Result<ModelResponse, OperationError> {
        let (started, attempt) = (Instant::now(), next.attempt());
        let result = next.run().await;
        let model = request.model.as_deref().unwrap_or("default");
        self.metrics.observe(format!("{model}/{attempt}"), started.elapsed());
        result
    }
}

#[rail(on = [LlmError])]
fn once_more(error: &OperationError) -> RailAction {
    RailAction::retry(error.message.clone())
}

rail_chain! {
    struct Observed { latency: Latency<dyn Metrics>, once_more }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), RunError> {
    let metrics = Arc::new(InMemory::default());
    let rails = Observed { latency: Latency { metrics: metrics.clone() } };
    let request = ModelCallInputs { model: Some("tiny".to_owned()), ..ModelCallInputs::default() };
    let model = |request: Permit<ModelCallInputs>| async move {
        if request.attempt() == 0 { Err("the socket is closed") } else { Ok("Hello!") }
    };
    let response = rails.guard_llm_call(request, &mut RunContext::new("desk"), model).await?;
    assert_eq!(response.message.text(), "Hello!");

    let observed = metrics.0.lock().unwrap();
    let series: Vec<_> = observed.iter().map(|(series, _)| series.as_str()).collect();
    assert_eq!(series, ["tiny/0", "tiny/1"]);
    assert!(observed.iter().all(|(_, took)| *took < Duration::from_secs(60)));
    Ok(())
}
