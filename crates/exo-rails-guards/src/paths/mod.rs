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
//! # Why a check alone is not enough
//!
//! A check looks at the file system before the tool runs. Another process can replace a directory by a link between the check
//! and the moment when the tool opens the file. So no check of a path text is free of races, and this one is not either.
//! [`SandboxRoots`] resolves the path again, and then opens one name after the other from the root's directory handle without
//! following links. If something replaces a name by a link in the meantime, the call fails with an error.
//!
//! Use the handle in all tools that you write. For tools that take only the text, such as the tools of an MCP server, the
//! check refuses every path that is dangerous when it is checked.
//!
//! # What it does not see
//!
//! - A hard link is one more name of a file. The other names can be outside of the root:
//!   [`refuse_hard_links`](PathSandboxConfig::refuse_hard_links) refuses such files.
//! - Whatever is mounted inside a root belongs to the root.
//! - A tool that walks a directory by itself sees denied names. With the handle, it does not.
//! - Paths inside longer texts, such as shell commands.

mod characters;
mod denied;
mod guard;
mod reading;
mod refusal;
mod roots;
mod rule;
mod sandbox;

pub use exo_rails_policy::paths::{DEFAULT_DENIED, Names, PathSandboxConfig, Rights, RootConfig, ToolPaths};
pub use guard::{PathSandbox, PathSandboxBuilder};
pub use refusal::PathRefusal;
pub use roots::{Entry, EntryKind, PathError, SandboxRoots};
pub use rule::PathRule;
pub use sandbox::Root;
