//! The reasons why a reply does not count.

use exo_rails_policy::approval::Remember;

use crate::store::StoreError;

/// The reason why a reply does not count.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplyError {
    /// Somebody has already replied.
    #[error("the request already has a reply: only the first reply counts")]
    AlreadyReplied,
    /// The time for the reply is over.
    #[error("the request has expired: the time for a reply is over")]
    Expired,
    /// The run that asked has ended or was cancelled, or somebody has withdrawn the request.
    #[error("the request was withdrawn: nobody waits for a reply")]
    Withdrawn,
    /// There is another request under this id now.
    #[error("the request has changed: list the open requests, and reply to the new one")]
    OtherRequest,
    /// The request does not offer to remember an approval this long.
    #[error("the request does not offer to remember an approval {}: approve the call once, or deny it", match .remember {
        Remember::Session => "for the session",
        Remember::Forever => "for ever",
    })]
    NotOffered {
        /// How long the reply wants the approval to be remembered.
        remember: Remember,
    },
    /// The request is a question of the model, and the reply is one about a tool call, or the other way round.
    #[error("the request is {request}, so reply with a `{expected}`")]
    OtherKind {
        /// What the request is.
        request: &'static str,
        /// The type of the reply.
        expected: &'static str,
    },
    /// The answer to a question is none of the choices.
    #[error("`{answer}` is not one of the choices: {}", .choices.join(", "))]
    NotAChoice {
        /// The answer.
        answer: String,
        /// The choices.
        choices: Vec<String>,
    },
    /// The state store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}
