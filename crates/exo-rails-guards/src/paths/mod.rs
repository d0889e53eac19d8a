//! A guard that keeps the paths of tool calls inside directories, and directories that tools can use without a race.
//!
//! The guard has two parts:
//!
//! - [`PathSandbox`] is a rail on [`PreToolCall`](exo_rails::events::PreToolCall). It finds the paths in the arguments of a
//!   call, and refuses the call if a path leads outside of the roots, breaks another [`PathRule`], or needs a right that the
//!   root does not grant.
//! - [`SandboxRoots`] is a value that the guard provides to the tool. A tool that opens its files with
//!   [`SandboxRoots::open`] cannot leave the roots.
//!
//! Another process can replace a directory by a link between a check and the moment when the tool opens the file. So use the
//! handle in all tools that you write. The page "Paths" of the book says what the guard does not see, and has figures.

mod characters;
mod denied;
mod guard;
mod reading;
mod refusal;
mod root;
mod roots;
mod rule;
mod sandbox;

pub use exo_rails_policy::paths::{DEFAULT_DENIED, Names, PathSandboxConfig, Rights, RootConfig, ToolPaths};
pub use guard::{PathSandbox, PathSandboxBuilder};
pub use refusal::PathRefusal;
pub use root::Root;
pub use roots::{Entry, EntryKind, PathError, SandboxRoots};
pub use rule::PathRule;
