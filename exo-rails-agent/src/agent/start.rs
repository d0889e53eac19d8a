//! What a run begins with.

use exo_rails::InvokeInputs;

use super::suspended::SuspendedRun;

/// What an agent runs: what a user says, or a run that goes on.
///
/// It is implemented by whatever [`InvokeInputs`] are made from, such as a text, and by [`SuspendedRun`].
#[diagnostic::on_unimplemented(
    message = "an agent cannot run `{Self}`",
    label = "a run cannot begin with this",
    note = "a run takes a text, `InvokeInputs` or a `SuspendedRun`: `agent.run(\"Where is my order?\")`",
    note = "to make a text of a value, write `agent.run(format!(\"order {{number}}\"))`"
)]
pub trait IntoRun {
    /// How the run begins.
    fn into_run(self) -> RunStart;
}

/// How a run begins: see [`IntoRun`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunStart {
    /// With these inputs.
    New(InvokeInputs),
    /// Where it was suspended.
    Resumed(Box<SuspendedRun>),
}

#[diagnostic::do_not_recommend]
impl<T: Into<InvokeInputs>> IntoRun for T {
    fn into_run(self) -> RunStart {
        RunStart::New(self.into())
    }
}

impl IntoRun for SuspendedRun {
    fn into_run(self) -> RunStart {
        RunStart::Resumed(Box::new(self))
    }
}

impl IntoRun for Box<SuspendedRun> {
    fn into_run(self) -> RunStart {
        RunStart::Resumed(self)
    }
}
