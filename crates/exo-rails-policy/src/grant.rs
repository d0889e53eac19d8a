//! Grants: where and within which limits an allowed tool may run.

use serde::{Deserialize, Serialize};

/// Where and within which limits the tool of an allowed call may run. A field that is `None` has no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantConfig {
    /// The directories that the tool may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<Root>>,
    /// The hosts to which the tool may connect: names, or patterns such as `*.example.com`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<String>>,
    /// The environment variables that the tool may read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<Vec<String>>,
    /// The longest time that the tool may take, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_time_ms: Option<u64>,
    /// The longest output of the tool, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
}

/// A directory that a tool may use, with everything in it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Root {
    /// The path of the directory.
    pub path: String,
    /// What the tool may do there.
    #[serde(default)]
    pub rights: Rights,
}

/// What a tool may do in a directory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Rights {
    /// It may read.
    #[default]
    Read,
    /// It may read and write.
    ReadWrite,
}
