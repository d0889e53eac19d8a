//! The inputs with which a run begins.

use exo_rails::InvokeInputs;

use super::suspended::SuspendedRun;

/// A value that an agent can run: a new input, or a suspended run.
///
/// [`SuspendedRun`], `Box<SuspendedRun>` and every type that converts into [`InvokeInputs`], such as a text, implement
/// this trait.
#[diagnostic::on_unimplemented(
    message = "an agent cannot run `{Self}`",
    label = "a run cannot begin with this",
    note = "a run takes a text, `InvokeInputs` or a `SuspendedRun`: `agent.run(\"Where is my order?\")`",
    note = "to make a text of a value, write `agent.run(format!(\"order {{number}}\"))`"
)]
pub trait IntoRun {
    /// Returns how the run begins.
    fn into_run(self) -> RunStart;
}

/// How a run begins: see [`IntoRun`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RunStart {
    /// The run begins with these inputs.
    New(InvokeInputs),
    /// The run continues where it was suspended.
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
