//! Findings: the reports of guards.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use exo_rails::{OperationError, OperationErrorKind, RailContext, Reason};
use exo_rails_policy::Severity;
use serde::{Deserialize, Serialize};

/// A report of a guard: the rule that matched, how serious the finding is, and its place.
///
/// A finding never contains the value at its place, because the value may be a secret, and logs contain findings.
///
/// ```
/// use exo_rails_guards::{Finding, Place, Severity};
///
/// let finding = Finding::new("permissions", "no-force-push", Severity::High, "the command rewrites a remote branch")
///     .at(Place::argument("command").bytes(0..23));
/// assert_eq!(finding.to_string(), "permissions/no-force-push at /command, bytes 0 to 23: the command rewrites a remote branch");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// The guard that reports the finding, such as `permissions`.
    pub guard: Cow<'static, str>,
    /// The rule of the guard, such as `no-force-push`.
    pub rule: Cow<'static, str>,
    /// How serious the finding is.
    pub severity: Severity,
    /// The place in the payload of the event. The default is the whole payload.
    pub place: Place,
    /// What is wrong, for people and for the model. It does not quote the payload.
    pub message: Cow<'static, str>,
}

impl Finding {
    /// Makes a finding about the whole payload. `message` says what is wrong, and must not quote the payload.
    #[must_use]
    pub fn new(
        guard: impl Into<Cow<'static, str>>,
        rule: impl Into<Cow<'static, str>>,
        severity: Severity,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        let (guard, rule, message) = (guard.into(), rule.into(), message.into());
        Self { guard, rule, severity, place: Place::default(), message }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, place: Place) -> Self {
        self.place = place;
        self
    }

    /// Reports the finding in three places:
    ///
    /// - The method adds it to [`Findings`] in [`ctx.extra`](RailContext::extra), where later rails of the event can read it.
    /// - If the guard set has an event bus, the bus publishes a record with the name `finding`.
    /// - The method emits a `tracing` event with the target `exo_rails_guards::finding`. The level is `INFO` for
    ///   [`Severity::Info`] and [`Severity::Low`], and `WARN` for the others.
    pub fn report(self, ctx: &mut RailContext) {
        self.log();
        ctx.emit("finding", &self);
        match ctx.extra.get_mut::<Findings>() {
            Some(findings) => findings.0.push(self),
            None => {
                ctx.extra.insert(Findings(vec![self]));
            }
        }
    }

    /// Emits the `tracing` event.
    pub(crate) fn log(&self) {
        macro_rules! record {
            ($level:ident) => {
                tracing::$level!(
                    target: "exo_rails_guards::finding",
                    guard = %self.guard,
                    rule = %self.rule,
                    severity = self.severity.name(),
                    place = %self.place,
                    "{}", self.message
                )
            };
        }
        if self.severity < Severity::Medium {
            record!(info);
        } else {
            record!(warn);
        }
    }

    /// Returns the reason for a decision that acts on the finding. It has the form `guard/rule: message`.
    #[must_use]
    pub fn reason(&self) -> Reason {
        Reason::new(format!("{}/{}: {}", self.guard, self.rule, self.message))
    }
}

/// A finding of a rail around an operation. Such a rail has no context to report a finding. So the finding is the source of the
/// error, and a rail of the error event reports it.
#[derive(Debug, thiserror::Error)]
#[error("{finding}")]
pub(crate) struct FindingError {
    finding: Finding,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl FindingError {
    /// Makes an error whose message is the reason of the finding.
    pub(crate) fn refusal(finding: Finding, kind: OperationErrorKind) -> OperationError {
        let error = OperationError::new(kind, finding.reason().to_string());
        Self::add(error, finding)
    }

    /// Adds a finding to an error.
    pub(crate) fn add(mut error: OperationError, finding: Finding) -> OperationError {
        let source = error.source.take();
        error.source = Some(Box::new(Self { finding, source }));
        error
    }

    /// Returns whether an error has a finding of a guard around the operation.
    pub(crate) fn is_in(error: &OperationError) -> bool {
        let first = error.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static));
        std::iter::successors(first, |error| error.source()).any(<dyn std::error::Error>::is::<Self>)
    }

    /// Reports the findings of a guard in an error.
    pub(crate) fn report(guard: &str, error: &OperationError, ctx: &mut RailContext) {
        let mut source = error.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static));
        while let Some(error) = source {
            match error.downcast_ref::<Self>() {
                Some(Self { finding, .. }) if finding.guard == guard => finding.clone().report(ctx),
                _ => {}
            }
            source = error.source();
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.guard, self.rule)?;
        if self.place != Place::default() {
            write!(f, " at {}", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}

/// All findings of the guards at one event, in the order of their reports. It is a value in [`ctx.extra`](RailContext::extra).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings(pub Vec<Finding>);

/// A place in the payload of an event: a JSON pointer ([RFC 6901]), and a range of bytes in the text there.
///
/// The pointer begins at the arguments of a tool call, at the content of a tool's output, or at the messages of a model call.
/// The empty pointer is the whole payload.
///
/// [RFC 6901]: https://www.rfc-editor.org/rfc/rfc6901
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Place {
    /// The JSON pointer.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub pointer: String,
    /// The bytes in the text at the pointer. `None` means the whole value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<Range<usize>>,
}

impl Place {
    /// Makes a place from a JSON pointer.
    #[must_use]
    pub fn pointer(pointer: impl Into<String>) -> Self {
        Self { pointer: pointer.into(), bytes: None }
    }

    /// Makes the place of one argument of a tool call. The method escapes the name for the pointer.
    ///
    /// ```
    /// use exo_rails_guards::Place;
    ///
    /// assert_eq!(Place::argument("a/b").pointer, "/a~1b");
    /// ```
    #[must_use]
    pub fn argument(name: &str) -> Self {
        Self::pointer(format!("/{}", name.replace('~', "~0").replace('/', "~1")))
    }

    /// Sets the range of bytes.
    #[must_use]
    pub fn bytes(mut self, bytes: Range<usize>) -> Self {
        self.bytes = Some(bytes);
        self
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.pointer.is_empty() { "/" } else { &self.pointer })?;
        match &self.bytes {
            Some(Range { start, end }) => write!(f, ", bytes {start} to {end}"),
            None => Ok(()),
        }
    }
}
