//! Faults of handlers.

use std::io;
use std::time::Duration;

/// A handler could not decide, and its [fail mode](super::FailMode) is closed.
#[derive(Debug, thiserror::Error)]
#[error("the hook handler `{handler}` failed at `{event}`: {fault}")]
pub struct HandlerError {
    /// The name of the handler.
    pub handler: String,
    /// The event.
    pub event: super::HandlerEvent,
    /// What happened.
    #[source]
    pub fault: HandlerFault,
}

/// Why a handler could not decide. No text has anything that the handler wrote.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandlerFault {
    /// The program cannot be started.
    #[error("the program cannot be started: {0}")]
    Spawn(#[source] io::Error),
    /// The path of the program has changed since the configuration was read, and now leads out of the allowed directories.
    #[error("the path of the program now leads out of the allowed directories")]
    ProgramMoved,
    /// The output cannot be read.
    #[error("the output cannot be read: {0}")]
    Read(#[source] io::Error),
    /// The handler did not answer in time.
    #[error("it did not answer within {limit:?}")]
    Timeout {
        /// The time limit.
        limit: Duration,
    },
    /// The answer is too large.
    #[error("its answer has more than {limit} bytes")]
    TooMuchOutput {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The command ended with an exit code other than 0 and 2.
    #[error("it ended with the exit code {0}, and only 0 and 2 are decisions")]
    ExitCode(i32),
    /// A signal ended the command.
    #[error("a signal ended it")]
    Signal,
    /// The answer does not follow the protocol.
    #[error("its answer at line {line}, column {column} does not follow the protocol: {what}")]
    BadAnswer {
        /// The line of the mistake, from 1.
        line: usize,
        /// The column of the mistake, from 1.
        column: usize,
        /// The mistake.
        what: &'static str,
    },
    /// The answer has a reason without a decision.
    #[error("its answer has a `reason` and no `decision`")]
    ReasonAlone,
    /// The event cannot use the `updated` of the answer.
    #[error("its answer has an `updated` that this event cannot use")]
    BadUpdate,
    /// The answer decides about an event that only reports.
    #[error("its answer decides, and this event only reports")]
    CannotDecide,
    /// The answer asks a person, and the event cannot wait for a person.
    #[error("its answer asks a person, and this event cannot wait for one")]
    CannotAsk,
    /// The request failed.
    #[error("the request failed: {0}")]
    Request(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The endpoint answered with a status that is not 2xx.
    #[error("the endpoint answered with the status {0}")]
    Status(u16),
    /// The model or the agent failed.
    #[error("the model failed: {0}")]
    Model(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The model or the agent did not answer with the JSON that the protocol asks for.
    #[error("the model did not answer with `{{\"ok\": …, \"reason\": …}}` alone")]
    BadVerdict,
}
