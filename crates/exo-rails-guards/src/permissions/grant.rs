//! Grants: where and within which limits an allowed tool may run.

use std::time::Duration;

use exo_rails::Provided;
use exo_rails_policy::permissions::{GrantConfig, Rights, Root};
use serde::{Deserialize, Serialize};

use crate::places::host::HostPattern;
use crate::places::path::{is_within, resolved};

/// Where and within which limits the tool of an allowed call may run. An executor reads the grant from its permit, and obeys
/// it.
///
/// The guard [`Permissions`](crate::Permissions) provides the grant of every call that it lets pass. A grant is the
/// intersection of the [defaults](super::PermissionsConfig::grant) and the grants of the rules that decided. A field that is
/// `None` has no limit.
///
/// ```
/// use std::time::Duration;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::permissions::ExecutionGrant;
/// use exo_rails_guards::{Permissions, PermissionsConfig};
/// use serde_json::json;
///
/// /// Runs a tool within its grant.
/// async fn run_tool(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     let grant = call.provided::<ExecutionGrant>().ok_or("no guard has granted the call")?;
///     let path = call.str_argument("path").ok_or("the argument `path` is missing")?;
///     if !grant.may_write(path) {
///         return Err(format!("the grant has no root for `{path}`").into());
///     }
///     let work = async { /* Write the file. */ "written" };
///     let text = match grant.wall_time() {
///         Some(limit) => tokio::time::timeout(limit, work).await.map_err(|_| "the tool took too long")?,
///         None => work.await,
///     };
///     Ok(ToolOutput::text(grant.cut_output(text)))
/// }
///
/// rail_chain! { struct CoderRails { permissions: Permissions } }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let config = PermissionsConfig::from_toml(r#"
///     [grant]
///     wall_time_ms = 60_000
///     output_bytes = 4
///
///     [[rules]]
///     tool = "write_file"
///     decision = "allow"
///     grant = { roots = [{ path = "/projects/app", rights = "read-write" }], wall_time_ms = 5_000 }
/// "#)?;
/// let rails = CoderRails { permissions: Permissions::new(config)? };
/// let mut ctx = RunContext::new("coder");
/// let call = |path| ToolCallInputs::new("write_file").with_arguments(json!({ "path": path }));
///
/// let output = rails.guard_tool_call(call("/projects/app/notes.md"), &mut ctx, run_tool).await?;
/// assert_eq!(output.content, "writ");
/// let output = rails.guard_tool_call(call("/projects/app/../secret"), &mut ctx, run_tool).await?;
/// assert!(output.is_error && output.content.contains("the grant has no root for `/projects/app/../secret`"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Provided, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExecutionGrant {
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

impl ExecutionGrant {
    /// Returns whether the tool may read the file at this path.
    ///
    /// The check is about the text of the path: it resolves `..`, and does not follow links. A path with `..` that leaves
    /// its beginning is never in a root. To open files safely, open them below a handle of the root.
    #[must_use]
    pub fn may_read(&self, path: &str) -> bool {
        self.may(path, Rights::Read)
    }

    /// Returns whether the tool may write the file at this path: see [`may_read`](Self::may_read).
    #[must_use]
    pub fn may_write(&self, path: &str) -> bool {
        self.may(path, Rights::ReadWrite)
    }

    fn may(&self, path: &str, rights: Rights) -> bool {
        let Some(roots) = &self.roots else { return true };
        let Some(path) = resolved(path) else { return false };
        roots
            .iter()
            .any(|root| root.rights >= rights && resolved(&root.path).is_some_and(|root| is_within(&path, &root)))
    }

    /// Returns whether the tool may connect to the host: a name or an address, without a port.
    ///
    /// ```
    /// use exo_rails_guards::permissions::ExecutionGrant;
    ///
    /// let grant = ExecutionGrant { hosts: Some(vec!["*.example.com".into()]), ..ExecutionGrant::default() };
    /// assert!(grant.may_connect("api.example.com"));
    /// assert!(!grant.may_connect("example.com.evil.net"));
    /// ```
    #[must_use]
    pub fn may_connect(&self, host: &str) -> bool {
        let Some(hosts) = &self.hosts else { return true };
        hosts.iter().any(|pattern| HostPattern::new(pattern).is_ok_and(|pattern| pattern.matches(host)))
    }

    /// Returns whether the tool may read the environment variable.
    #[must_use]
    pub fn may_read_variable(&self, name: &str) -> bool {
        self.environment.as_ref().is_none_or(|names| names.iter().any(|known| known == name))
    }

    /// Returns the longest time that the tool may take.
    #[must_use]
    pub fn wall_time(&self) -> Option<Duration> {
        self.wall_time_ms.map(Duration::from_millis)
    }

    /// Returns the beginning of an output that is within [`output_bytes`](Self::output_bytes). It ends at a whole character.
    #[must_use]
    pub fn cut_output<'o>(&self, output: &'o str) -> &'o str {
        let limit = self.output_bytes.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX);
        &output[..output.floor_char_boundary(limit)]
    }

    /// Returns the grant that is within both grants.
    ///
    /// ```
    /// use exo_rails_guards::permissions::{ExecutionGrant, Rights, Root};
    ///
    /// let root = |path: &str, rights| Root { path: path.to_owned(), rights };
    /// let all = ExecutionGrant { roots: Some(vec![root("/projects", Rights::Read)]), ..ExecutionGrant::default() };
    /// let one = ExecutionGrant {
    ///     roots: Some(vec![root("/projects/app", Rights::ReadWrite), root("/etc", Rights::Read)]),
    ///     wall_time_ms: Some(500),
    ///     ..ExecutionGrant::default()
    /// };
    /// let both = all.intersection(&one);
    /// assert_eq!(both.roots, Some(vec![root("/projects/app", Rights::Read)]));
    /// assert_eq!(both.wall_time_ms, Some(500));
    /// ```
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        Self {
            roots: both(self.roots.as_deref(), other.roots.as_deref(), common_root),
            hosts: both(self.hosts.as_deref(), other.hosts.as_deref(), narrower_host),
            environment: both(self.environment.as_deref(), other.environment.as_deref(), |a, b| {
                (a == b).then(|| a.clone())
            }),
            wall_time_ms: smaller(self.wall_time_ms, other.wall_time_ms),
            output_bytes: smaller(self.output_bytes, other.output_bytes),
        }
    }
}

impl From<GrantConfig> for ExecutionGrant {
    fn from(config: GrantConfig) -> Self {
        let GrantConfig { roots, hosts, environment, wall_time_ms, output_bytes } = config;
        Self { roots, hosts, environment, wall_time_ms, output_bytes }
    }
}

/// A grant in code, for a rule.
impl From<ExecutionGrant> for GrantConfig {
    fn from(grant: ExecutionGrant) -> Self {
        let ExecutionGrant { roots, hosts, environment, wall_time_ms, output_bytes } = grant;
        Self { roots, hosts, environment, wall_time_ms, output_bytes }
    }
}

fn common_root(root: &Root, other: &Root) -> Option<Root> {
    let rights = root.rights.min(other.rights);
    let (own, others) = (resolved(&root.path)?, resolved(&other.path)?);
    let path = if is_within(&own, &others) {
        &root.path
    } else if is_within(&others, &own) {
        &other.path
    } else {
        return None;
    };
    Some(Root { path: path.clone(), rights })
}

#[expect(clippy::ptr_arg, reason = "the lists have items of this type")]
fn narrower_host(a: &String, b: &String) -> Option<String> {
    let (pattern_a, pattern_b) = (HostPattern::new(a).ok()?, HostPattern::new(b).ok()?);
    if pattern_b.covers(&pattern_a) { Some(a.clone()) } else { pattern_a.covers(&pattern_b).then(|| b.clone()) }
}

fn smaller(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, other) => one.or(other),
    }
}

/// Returns what is in both lists. A list that is `None` has no limit.
fn both<T: Clone + PartialEq>(a: Option<&[T]>, b: Option<&[T]>, meet: impl Fn(&T, &T) -> Option<T>) -> Option<Vec<T>> {
    let (Some(a), Some(b)) = (a, b) else { return a.or(b).map(<[T]>::to_vec) };
    let mut all: Vec<T> = Vec::new();
    for found in a.iter().flat_map(|a| b.iter().filter_map(|b| meet(a, b))) {
        if !all.contains(&found) {
            all.push(found);
        }
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn grants() -> impl Strategy<Value = ExecutionGrant> {
        let paths = prop::sample::select(vec!["/", "/a", "/a/b", "/a/c", "/d", "x", "x/../y", "../z"]);
        let rights = prop::sample::select(vec![Rights::Read, Rights::ReadWrite]);
        let root = (paths, rights).prop_map(|(path, rights)| Root { path: path.to_owned(), rights });
        let hosts = prop::sample::select(vec!["*", "a.org", "*.a.org", "b.a.org", "c.org"]).prop_map(str::to_owned);
        let names = prop::sample::select(vec!["PATH", "HOME"]).prop_map(str::to_owned);
        let list = |item| prop::option::of(prop::collection::vec(item, 0..3));
        (
            prop::option::of(prop::collection::vec(root, 0..3)),
            list(hosts.boxed()),
            list(names.boxed()),
            prop::option::of(0_u64..3),
            prop::option::of(0_u64..3),
        )
            .prop_map(|(roots, hosts, environment, wall_time_ms, output_bytes)| ExecutionGrant {
                roots,
                hosts,
                environment,
                wall_time_ms,
                output_bytes,
            })
    }

    proptest! {
        #[test]
        fn an_intersection_permits_only_actions_that_both_grants_permit(a in grants(), b in grants()) {
            let both = a.intersection(&b);
            for path in ["/", "/a", "/a/b/f", "/a/c", "/d/e", "x", "x/f", "y", "../z", "/a/../d", "/e"] {
                prop_assert_eq!(both.may_read(path), a.may_read(path) && b.may_read(path), "read {}", path);
                prop_assert_eq!(both.may_write(path), a.may_write(path) && b.may_write(path), "write {}", path);
            }
            for host in ["a.org", "b.a.org", "c.b.a.org", "c.org", "d.org"] {
                prop_assert_eq!(both.may_connect(host), a.may_connect(host) && b.may_connect(host), "{}", host);
            }
            for name in ["PATH", "HOME", "X"] {
                prop_assert_eq!(both.may_read_variable(name), a.may_read_variable(name) && b.may_read_variable(name));
            }
            let cut = both.cut_output("äbc").len();
            prop_assert_eq!(cut, a.cut_output("äbc").len().min(b.cut_output("äbc").len()));
        }
    }
}
