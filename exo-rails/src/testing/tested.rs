//! What a tested operation has come to.

use std::borrow::Cow;
use std::ops::Deref;

use crate::context::RunContext;
use crate::error::RunError;
use crate::message::{InvokeOutput, ModelResponse, ToolOutput};
use crate::testing::trace::Trace;

/// What a tested operation has come to, and how: it derefs to its [`Trace`], which has the other assertions.
#[derive(Debug)]
#[non_exhaustive]
pub struct Tested<T = InvokeOutput> {
    /// What it has come to.
    pub result: Result<T, RunError>,
    /// The context that it was done in, with what the rails have put into `ctx.run` and `ctx.session`.
    pub ctx: RunContext,
    /// What has happened.
    pub trace: Trace,
}

/// What an operation yields, as far as it is text.
pub trait Answer {
    /// The text of the answer, or of a tool's output.
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
    /// What an operation came to, with the context that it was done in and what happened.
    pub fn new(result: Result<T, RunError>, ctx: RunContext, trace: Trace) -> Self {
        trace.ended(match &result {
            Ok(output) => format!("{:?}", output.answer()),
            Err(error) => format!("the error: {error}"),
        });
        Self { result, ctx, trace }
    }

    /// Asserts that it succeeded with exactly this text.
    ///
    /// # Panics
    /// When it did not.
    #[track_caller]
    pub fn assert_output(&self, text: &str) -> &Self {
        let is_it = self.result.as_ref().is_ok_and(|output| output.answer() == text);
        self.trace.hold(is_it, || format!("expected the output {text:?}"));
        self
    }

    /// Asserts that it ended with an error that has this text in its message.
    ///
    /// # Panics
    /// When it did not.
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
