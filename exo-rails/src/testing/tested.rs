//! The result of a tested operation.

use std::borrow::Cow;
use std::ops::Deref;

use crate::context::RunContext;
use crate::error::RunError;
use crate::message::{InvokeOutput, ModelResponse, ToolOutput};
use crate::testing::trace::Trace;

/// The result of a tested operation, and its [`Trace`]. It derefs to the trace, which has more assertions.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tested<T = InvokeOutput> {
    /// The result of the operation.
    pub result: Result<T, RunError>,
    /// The context of the operation. Its `ctx.run` and `ctx.session` have the values that the rails have put there.
    pub ctx: RunContext,
    /// The trace of the operation.
    pub trace: Trace,
}

/// Results of an operation that have a text.
pub trait Answer {
    /// Returns the text of the answer, or of the tool's output.
    fn answer(&self) -> Cow<'_, str>;
}

impl Answer for InvokeOutput {
    fn answer(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.text)
    }
}

impl Answer for ModelResponse {
    fn answer(&self) -> Cow<'_, str> {
        self.message.text()
    }
}

impl Answer for ToolOutput {
    fn answer(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.content)
    }
}

impl<T: Answer> Tested<T> {
    /// Creates the result of a tested operation, with its context and its trace.
    pub fn new(result: Result<T, RunError>, ctx: RunContext, trace: Trace) -> Self {
        trace.ended(match &result {
            Ok(output) => format!("{:?}", output.answer()),
            Err(error) => format!("the error: {error}"),
        });
        Self { result, ctx, trace }
    }

    /// Asserts that the operation succeeded with exactly this text.
    ///
    /// # Panics
    /// Panics if the operation failed, or if the text differs.
    #[track_caller]
    pub fn assert_output(&self, text: &str) -> &Self {
        let is_it = self.result.as_ref().is_ok_and(|output| output.answer() == text);
        self.trace.hold(is_it, || format!("expected the output {text:?}"));
        self
    }

    /// Asserts that the operation failed with an error whose message contains this text.
    ///
    /// # Panics
    /// Panics if the operation succeeded, or if the message does not contain the text.
    #[track_caller]
    pub fn assert_failed(&self, text: &str) -> &Self {
        let failed = self.result.as_ref().is_err_and(|error| error.to_string().contains(text));
        self.trace.hold(failed, || format!("expected an error with {text:?}"));
        self
    }
}

impl<T> Deref for Tested<T> {
    type Target = Trace;

    fn deref(&self) -> &Trace {
        &self.trace
    }
}
