//! What answers an agent: the model behind it.

use std::sync::Arc;

use crate::error::OperationError;
use crate::payload::{ModelCallInputs, ModelResponse};
use crate::permit::Permit;

/// A language model, as an [`Agent`](crate::Agent) calls it.
///
/// It asks for a permit, so that no request leaves which the rails have not seen. The permit derefs to the
/// request.
///
/// ```
/// use exo_rails::prelude::*;
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
    note = "a model implements `exo_rails::Model`; for tests there is `ScriptedModel`"
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
        }
    )*};
}

behind_pointers!(&M, Arc<M>, Box<M>);
