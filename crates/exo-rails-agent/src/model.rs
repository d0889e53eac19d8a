//! The model of an agent.

use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use exo_rails::{ModelCallInputs, ModelDelta, ModelResponse, OperationError, Permit};
use futures_core::Stream;
use futures_util::stream;

/// A language model that an [`Agent`](crate::Agent) calls.
///
/// The methods of a model take a permit, which derefs to the request. Only a guard makes permits, so the rails have seen
/// every request that a model sends.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, Model};
/// use exo_rails::message::Role;
///
/// /// Repeats the last message of the user.
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
///
/// # Models that are chosen at run time
///
/// `Box<dyn Model>`, `Arc<dyn Model>` and `&dyn Model` are models. A call through a pointer allocates its future.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_agent::{Agent, Model, ScriptedModel};
/// # struct Echo;
/// # impl Model for Echo {
/// #     async fn call(&self, _: Permit<ModelCallInputs>) -> Result<ModelResponse, OperationError> {
/// #         Ok(ModelResponse::text("Hello"))
/// #     }
/// # }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let is_dry_run = true;
/// let scripted: ScriptedModel = r#"[{ "say": "Hello" }]"#.parse()?;
/// let model: Box<dyn Model> = if is_dry_run { Box::new(scripted) } else { Box::new(Echo) };
/// assert_eq!(Agent::builder("parrot", model).build().run("Hello").await?.text, "Hello");
/// # Ok(()) }
/// ```
///
/// A configuration names a model by its provider and its name: see [`<dyn Model>::from_spec`](#method.from_spec).
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a model",
    label = "not a model",
    note = "a model implements `exo_rails_agent::Model`; for tests there is `ScriptedModel`",
    note = "a model that is chosen at run time is a `Box<dyn Model>` or an `Arc<dyn Model>`; a model by its name is `<dyn Model>::from_spec(\"openai:gpt-4o\")?`"
)]
pub trait Model: DynModel + Send + Sync {
    /// Answers a request.
    ///
    /// # Errors
    /// Returns an error if the model cannot be reached or gives no answer.
    fn call(
        &self,
        request: Permit<ModelCallInputs>,
    ) -> impl Future<Output = Result<ModelResponse, OperationError>> + Send
    where
        Self: Sized;

    /// The name of the model, for the [spans](exo_rails::telemetry) of its calls. A request can name another model.
    fn model_name(&self) -> Option<&str> {
        None
    }

    /// The name of the provider in the [OpenTelemetry
    /// conventions](https://opentelemetry.io/docs/specs/semconv/registry/attributes/gen-ai/), such as `openai` or
    /// `anthropic`. The spans of the calls have this name too.
    fn provider(&self) -> Option<&str> {
        None
    }

    /// Answers a request piece by piece. A [`ResponseBuilder`](exo_rails::ResponseBuilder) turns the pieces into the
    /// answer that [`call`](Self::call) would return.
    ///
    /// By default, a model calls [`call`](Self::call) and returns the answer as one piece, a [`ModelDelta::Response`]. If
    /// you implement this method, keep the permit until the stream ends or is dropped: the guarded operation lasts until
    /// the permit is dropped. After an error, the agent does not poll the stream again.
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
    /// The stream ends with an error if the model cannot be reached or breaks off its answer. A model must not end the
    /// stream of an incomplete answer without an error.
    fn stream(&self, request: Permit<ModelCallInputs>) -> impl Stream<Item = Result<ModelDelta, OperationError>> + Send
    where
        Self: Sized,
    {
        stream::once(async move { self.call(request).await.map(|response| ModelDelta::Response(Box::new(response))) })
    }
}

type Answer<'a> = Pin<Box<dyn Future<Output = Result<ModelResponse, OperationError>> + Send + 'a>>;
type Pieces<'a> = Pin<Box<dyn Stream<Item = Result<ModelDelta, OperationError>> + Send + 'a>>;

/// The methods of `dyn Model`. Every model implements this trait.
pub trait DynModel {
    /// Calls [`Model::call`].
    fn call_boxed(&self, request: Permit<ModelCallInputs>) -> Answer<'_>;

    /// Calls [`Model::stream`].
    fn stream_boxed(&self, request: Permit<ModelCallInputs>) -> Pieces<'_>;
}

#[diagnostic::do_not_recommend]
impl<M: Model> DynModel for M {
    fn call_boxed(&self, request: Permit<ModelCallInputs>) -> Answer<'_> {
        Box::pin(self.call(request))
    }

    fn stream_boxed(&self, request: Permit<ModelCallInputs>) -> Pieces<'_> {
        Box::pin(self.stream(request))
    }
}

/// Implements [`Model`] for a pointer to a model, including a pointer to `dyn Model`.
macro_rules! behind_pointers {
    ($($pointer:ty),*) => {$(
        #[diagnostic::do_not_recommend]
        impl<M: Model + ?Sized> Model for $pointer {
            fn call(
                &self,
                request: Permit<ModelCallInputs>,
            ) -> impl Future<Output = Result<ModelResponse, OperationError>> + Send {
                (**self).call_boxed(request)
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
                (**self).stream_boxed(request)
            }
        }
    )*};
}

behind_pointers!(&M, Arc<M>, Box<M>);

impl fmt::Debug for dyn Model + '_ {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("provider", &self.provider())
            .field("model_name", &self.model_name())
            .finish_non_exhaustive()
    }
}
