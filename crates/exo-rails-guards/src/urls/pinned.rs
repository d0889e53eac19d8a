//! Checked URLs with their checked addresses.

use std::net::SocketAddr;
use std::sync::Arc;

use exo_rails::Provided;
use tokio::time::Instant;
use url::Url;

use super::policy::Policy;
use super::{UrlRefusal, UrlRule};

/// The URLs of a tool call with their addresses. [`UrlGuard`](super::UrlGuard) provides it to each tool call that it allows.
///
/// ```
/// use exo_rails::prelude::*;
/// use exo_rails_guards::urls::PinnedUrls;
///
/// /// A tool that connects to the address that the guard has checked.
/// async fn fetch(call: Permit<ToolCallInputs>) -> Result<ToolOutput, OperationError> {
///     let urls = call.provided::<PinnedUrls>().ok_or("no guard has checked the URL")?;
///     let url = urls.at("/url").ok_or("`url` is missing")?;
///     Ok(ToolOutput::text(format!("connects to {:?}", url.addresses())))
/// }
/// ```
#[derive(Clone, Debug, Provided)]
pub struct PinnedUrls {
    pub(super) urls: Vec<(String, PinnedUrl)>,
}

impl PinnedUrls {
    /// Returns the URL at a JSON pointer into the arguments, such as `/url`. If the text there has several, it is the first.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&PinnedUrl> {
        self.urls.iter().find(|(at, _)| at == pointer).map(|(_, url)| url)
    }

    /// Returns all URLs with their JSON pointers.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &PinnedUrl)> {
        self.urls.iter().map(|(pointer, url)| (pointer.as_str(), url))
    }
}

/// A URL that the guard has allowed, with the addresses of its host at that moment.
///
/// Connect to these addresses. If a tool resolves the host again, the answer can be different: a host can change its address
/// between the check and the connection (DNS rebinding).
#[derive(Clone, Debug)]
pub struct PinnedUrl {
    url: Url,
    addresses: Vec<SocketAddr>,
    policy: Arc<Policy>,
}

impl PinnedUrl {
    /// Resolves the host of a URL that is checked otherwise.
    pub(super) async fn in_time(url: Url, policy: &Arc<Policy>) -> Result<Self, UrlRefusal> {
        Self::before(policy.deadline(), url, policy).await
    }

    pub(super) async fn before(deadline: Instant, url: Url, policy: &Arc<Policy>) -> Result<Self, UrlRefusal> {
        let addresses = policy.before(deadline, policy.addresses(&url)).await?;
        Ok(Self { url, addresses, policy: Arc::clone(policy) })
    }

    /// Returns the URL in its normal form. Use it and not the text of the argument: programs can read the same text in
    /// different ways.
    #[must_use]
    pub const fn url(&self) -> &Url {
        &self.url
    }

    /// Returns the checked addresses, with the port of the URL. There is at least one.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Checks the target of a redirect: the value of the header `Location`, which may be relative. It resolves the host again.
    ///
    /// # Errors
    /// Returns the rule that the target breaks.
    pub async fn redirect(&self, location: &str) -> Result<Self, UrlRefusal> {
        let target = redirect_target(&self.policy, &self.url, location)?;
        Self::in_time(target, &self.policy).await
    }
}

/// Reads the target of a redirect, and checks everything that needs no resolver.
pub(super) fn redirect_target(policy: &Policy, from: &Url, location: &str) -> Result<Url, UrlRefusal> {
    // The joined URL is in its normal form, so an absolute target is checked as it was written.
    let is_absolute = Url::parse(location.trim()).is_ok();
    let location = if is_absolute { location.to_owned() } else { joined(from, location)? };
    policy.parse(&location)
}

fn joined(from: &Url, location: &str) -> Result<String, UrlRefusal> {
    if location.chars().any(char::is_control) {
        return Err(UrlRefusal::new(UrlRule::ControlCharacter));
    }
    let target = from.join(location).map_err(|_| UrlRefusal::new(UrlRule::NotAUrl))?;
    // `\\host` and `/\host` are other hosts for browsers, and paths for other programs.
    if location.contains('\\') && target.host() != from.host() {
        return Err(UrlRefusal::new(UrlRule::Ambiguous));
    }
    Ok(target.into())
}
