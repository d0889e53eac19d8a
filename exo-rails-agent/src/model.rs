//! What answers an agent: the model behind it.

use std::sync::Arc;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;
use futures_util::stream;

/// A language model, as an [`Agent`](crate::Agent) calls it.
///
/// It asks for a permit, so that no request leaves which the rails have not seen. The permit derefs to the
/// request.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, Model};
/// use exo_rails::message::Role;
///
/// /// Says again what the user said.
/// struct Echo;
///
/// impl Model for Echo {
///     async fn call(&self, request: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
///         let said = request.messages.iter().rfind(|message| message.role == Role::User);
///         let said = said.ok_or("nobody has said anything")?;
///         Ok(ModelResponse::text(said.text()))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), RunError> {
/// let answer = Agent::builder("parrot", Echo).build().run("Hello").await?;
/// assert_eq!(answer.text, "Hello");
/// # Ok(()) }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "a model implements `exo_rails_agent::Model`; for tests there is `ScriptedModel`"
)]
pub trait Model: Send + Sync {
    /// Answers a request.
    ///
    /// # Errors
    /// When the model cannot be reached or does not give an answer.
    fn call(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Future<Output = Result<ModelResponse, OperationError>> + Send;

    /// What it is called, where its requests do not say another: for the [spans](exo_rails::telemetry) of its calls.
    fn model_name(&self) -> Option<&str> {
        None
    }

    /// Who provides it, as the
    /// [OpenTelemetry conventions](https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/) call it,
    /// `openai` or `anthropic`: for the same.
    fn provider(&self) -> Option<&str> {
        None
    }

    /// Answers a request piece by piece. A [`ResponseBuilder`](exo_rails::ResponseBuilder) makes of the pieces what
    /// [`call`](Self::call) would have given.
    ///
    /// A model that does not say how to stream gives its answer as one piece, [`ModelDelta::Response`]. One that
    /// does keeps the permit until the stream ends or is dropped: as long as it has it, the operation goes on. The
    /// stream is asked for nothing after an error.
    ///
    /// ```
    /// use exo_rails::prelude::*;
    /// use exo_rails_agent::Model;
    /// use exo_rails::{ModelDelta, Stream};
    /// use futures_util::stream;
    ///
    /// /// Counts to three.
    /// struct Counter;
    ///
    /// impl Model for Counter {
    ///     async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
    ///         Ok(ModelResponse::text("1 2 3 "))
    ///     }
    ///
    ///     fn stream(
    ///         &self,
    ///         request: Permit<ModelCallInputs>,
    ///     ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
    ///         stream::try_unfold((request, 1), |(request, number)| async move {
    ///             let delta = match number {
    ///                 1..=3 => ModelDelta::Text(format!("{number} ")),
    ///                 4 => ModelDelta::Finish("stop".into()),
    ///                 _ => return Ok(None),
    ///             };
    ///             Ok(Some((delta, (request, number + 1))))
    ///         })
    ///     }
    /// }
    /// ```
    ///
    /// # Errors
    /// The stream ends with an error when the model cannot be reached or breaks off: a short answer is never taken
    /// for a whole one.
    fn stream(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
        stream::once(async move { self.call(request).await.map(|response| ModelDelta::Response(Box::new(response))) })
    }
}

/// A model behind a pointer is the model.
macro_rules! behind_pointers {
    ($($pointer:ty),*) => {$(
        impl<M: Model + ?Sized> Model for $pointer {
            fn call(
                &self,
                request: Permit<ModelCallInputs>,
            ) -> impl Future<Output = Result<ModelResponse, OperationError>> + Send {
                (**self).call(request)
            }

            fn model_name(&self) -> Option<&str> {
                (**self).model_name()
            }

            fn provider(&self) -> Option<&str> {
                (**self).provider()
            }

            fn stream(
                &self,
                request: Permit<ModelCallInputs>,
            ) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send {
                (**self).stream(request)
            }
        }
    )*};
}

behind_pointers!(&M, Arc<M>, Box<M>);
