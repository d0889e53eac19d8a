//! A model that records its requests.

use exo_rails::testing::Trace;
use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;

use crate::model::Model;

/// A model that records its requests in a trace and passes them to another model. Use it in an agent or in your own loop.
#[derive(Clone, Debug)]
pub struct TracedModel<M> {
    model: M,
    trace: Trace,
}

impl<M> TracedModel<M> {
    /// Makes a model that records its requests in this trace.
    pub fn new(model: M, trace: &Trace) -> Self {
        trace.watch_model();
        Self { model, trace: trace.clone() }
    }
}

impl<M: Model> Model for TracedModel<M> {
    fn call(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Future<Output = Result<ModelResponse, OperationError>> + Send {
        self.trace.model_asked(&request.messages);
        self.model.call(request)
    }

    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        self.trace.model_asked(&request.messages);
        self.model.stream(request)
    }
}
