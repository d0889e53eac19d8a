//! A guard that checks the URLs of tool calls, and URLs with checked addresses that tools can connect to.
//!
//! The guard has three parts:
//!
//! - [`UrlGuard`] is a rail on [`PreToolCall`](exo_rails::events::PreToolCall). It finds the URLs in the arguments of a call,
//!   resolves their hosts, and refuses the call if a URL breaks a [`UrlRule`].
//! - [`PinnedUrls`] is a value that the guard provides to the tool: the URLs with the addresses that it has checked. The host
//!   can have another address a moment later, so the tool should connect to these addresses.
//! - [`UrlGuard::check_redirect`] checks where a server redirects to. [`PinnedUrl::redirect`] does the same, for tools that have
//!   no guard at hand.
//!
//! With the feature `http`, `PinnedUrl::get` fetches a URL in this way, and `PinnedUrl::client` returns a client for other
//! requests.
//!
//! The page "URLs" of the book says what the guard does not see, and has figures.

mod address;
mod detect;
mod guard;
mod hosts;
#[cfg(feature = "http")]
mod http;
mod pinned;
mod policy;
mod resolver;
mod rule;
mod spelling;

pub use address::special_range;
pub use exo_rails_policy::urls::{Detect, ToolUrls, UrlGuardConfig};
pub use guard::{UrlGuard, UrlGuardBuilder};
#[cfg(feature = "http")]
pub use http::FetchError;
pub use pinned::{PinnedUrl, PinnedUrls};
pub use resolver::{ResolveFuture, Resolver, SystemResolver};
pub use rule::{UrlRefusal, UrlRule};
