//! The rail that checks the URLs of tool calls.

use std::borrow::Cow;
use std::sync::Arc;

use exo_rails::{Provide, RailContext, ToolCallInputs, events::PreToolCall, rail};
use exo_rails_policy::ToolName;
use exo_rails_policy::{ConfigError, PointerPattern, ToolPattern};
use ipnet::IpNet;
use serde_json::Value;
use url::Url;

use super::detect::{is_url, is_url_name, urls_in};
use super::pinned::redirect_target;
use super::policy::Policy;
use super::{Detect, PinnedUrl, PinnedUrls, Resolver, SystemResolver, ToolUrls, UrlGuardConfig, UrlRefusal, UrlRule};
use crate::arguments::{Search, Way, items, place, texts};
use crate::finding::{Finding, Place};
use crate::kit_guard::KitGuard;
use crate::refusal::Check;
use crate::vault;

/// A guard that refuses tool calls with URLs of hosts that tools must not reach.
///
/// It checks the scheme, the host, the port, and **every address of the host after resolution**. If it allows the call, it
/// provides the URLs with their addresses to the tool, as [`PinnedUrls`].
///
/// ```
/// use std::net::IpAddr;
///
/// use exo_rails::prelude::*;
/// use exo_rails_guards::urls::{ResolveFuture, Resolver, UrlGuard};
/// use serde_json::json;
///
/// /// Prepared answers, so that the example needs no network.
/// #[derive(Debug)]
/// struct Prepared;
///
/// impl Resolver for Prepared {
///     fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
///         let address: IpAddr = if domain == "example.com" { [93, 184, 215, 14].into() } else { [10, 0, 0, 7].into() };
///         Box::pin(async move { Ok(vec![address]) })
///     }
/// }
///
/// rail_chain! {
///     struct Rails { urls: UrlGuard }
/// }
///
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let urls = UrlGuard::builder().tool("fetch", ["/url"]).resolver(Prepared).build()?;
/// let (rails, mut ctx) = (Rails { urls }, RunContext::new("demo"));
/// let tool = |_| async { Ok::<_, OperationError>(ToolOutput::text("fetched")) };
/// let mut fetch = async |url| {
///     let call = ToolCallInputs::new("fetch").with_arguments(json!({ "url": url }));
///     rails.guard_tool_call(call, &mut ctx, tool).await.map(|output| output.content)
/// };
/// assert_eq!(fetch("https://example.com/page").await?, "fetched");
/// assert!(fetch("http://2852039166/").await?.contains("urls/special-address"));
/// assert!(fetch("http://printer.example.org/").await?.contains("an address that is not public (private)"));
/// assert!(fetch("https://example.com\\@169.254.169.254/").await?.contains("urls/ambiguous"));
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct UrlGuard {
    policy: Arc<Policy>,
}

#[rail(priority = 13, name = "urls")]
impl UrlGuard {
    #[on(PreToolCall, provides = [PinnedUrls])]
    async fn check_call(&self, call: &ToolCallInputs, ctx: &mut RailContext) -> Provide<PinnedUrls> {
        let config = &self.policy.config;
        let mut check = Check::new(config.enforce_from);
        let result = self.check_all(&vault::revealed(call, ctx), &mut check).await;
        check.decide(result, config.on_refusal, vault::hidden, ctx)
    }
}

impl UrlGuard {
    /// Makes a guard from its configuration, with the resolver of the system.
    ///
    /// # Errors
    /// Returns an error that names the key if a scheme or a host is not valid, or if a limit is 0.
    pub fn new(config: UrlGuardConfig) -> Result<Self, ConfigError> {
        Self::with_resolver(config, SystemResolver)
    }

    /// Makes a guard from its configuration, with this resolver.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_resolver(config: UrlGuardConfig, resolver: impl Resolver + 'static) -> Result<Self, ConfigError> {
        Ok(Self { policy: Arc::new(Policy::new(config, Arc::new(resolver))?) })
    }

    /// Starts a configuration in code.
    pub fn builder() -> UrlGuardBuilder {
        UrlGuardBuilder { config: UrlGuardConfig::default(), error: None, resolver: None }
    }

    /// Checks all URLs of a tool call, as the rail does.
    ///
    /// A URL that breaks a rule and is tolerated is not among the returned ones.
    ///
    /// # Errors
    /// Returns the finding about the first URL that breaks a rule, if the guard [enforces](UrlGuardConfig::enforce_from) it.
    pub async fn check(&self, call: &ToolCallInputs) -> Result<PinnedUrls, Box<Finding>> {
        self.check_all(call, &mut Check::new(self.policy.config.enforce_from)).await
    }

    async fn check_all(&self, call: &ToolCallInputs, check: &mut Check) -> Result<PinnedUrls, Box<Finding>> {
        let found = self.find(call, check)?;
        if found.len() > self.policy.config.max_urls {
            check.found(UrlRefusal::new(UrlRule::TooMany).finding(Place::default()))?;
        }
        // First all checks that need no resolver: a refused call resolves nothing.
        let mut parsed: Vec<(Place, Url)> = Vec::with_capacity(found.len());
        for Found { place, text } in found {
            match self.policy.parse(&text) {
                Ok(url) => parsed.push((place, url)),
                Err(refusal) => check.found(refusal.finding(place))?,
            }
        }
        let mut urls = Vec::with_capacity(parsed.len());
        let deadline = self.policy.deadline();
        for (place, url) in parsed {
            match PinnedUrl::before(deadline, url, &self.policy).await {
                Ok(url) => urls.push((place.pointer, url)),
                Err(refusal) => check.found(refusal.finding(place))?,
            }
        }
        Ok(PinnedUrls { urls })
    }

    /// Checks one URL, and resolves its host.
    ///
    /// # Errors
    /// Returns the rule that the URL breaks.
    pub async fn check_url(&self, url: &str) -> Result<PinnedUrl, UrlRefusal> {
        let url = self.policy.parse(url)?;
        PinnedUrl::in_time(url, &self.policy).await
    }

    /// Checks the text of one URL without resolving its host. An allowed URL can still have an address that is not allowed.
    ///
    /// ```
    /// use exo_rails_guards::urls::{UrlGuard, UrlRule};
    ///
    /// let urls = UrlGuard::builder().build()?;
    /// assert_eq!(urls.check_text("http://0x7f.1/").unwrap_err().rule(), UrlRule::SpecialAddress);
    /// assert_eq!(urls.check_text("https://EXAMPLE.com.").unwrap().as_str(), "https://example.com./");
    /// # Ok::<(), exo_rails_guards::ConfigError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the rule that the URL breaks.
    pub fn check_text(&self, url: &str) -> Result<Url, UrlRefusal> {
        self.policy.parse(url)
    }

    /// Checks the target of a redirect: the value of the header `Location`, which may be relative. It resolves the host.
    ///
    /// # Errors
    /// Returns the rule that the target breaks.
    pub async fn check_redirect(&self, from: &Url, location: &str) -> Result<PinnedUrl, UrlRefusal> {
        let target = redirect_target(&self.policy, from, location)?;
        PinnedUrl::in_time(target, &self.policy).await
    }

    /// Returns the texts of a call that must be URLs.
    fn find<'c>(&self, call: &'c ToolCallInputs, check: &mut Check) -> Result<Vec<Found<'c>>, Box<Finding>> {
        let config = &self.policy.config;
        let (name, mut found) = (ToolName::new(&call.tool_name), Vec::new());
        let mut list =
            |rule: &ToolUrls| rule.urls.iter().try_for_each(|urls| listed(urls, &call.arguments, &mut found, check));
        if let Some(rule) = config.tools.iter().find(|rule| rule.tool.iter().any(|tool| tool.allows(&name))) {
            list(rule)?;
            return Ok(found);
        }
        // The name may be another spelling, so these rules may be about the tool.
        config.tools.iter().filter(|rule| rule.tool.iter().any(|tool| tool.catches(&name))).try_for_each(list)?;
        found.extend(detected(&call.arguments, config.detect));
        Ok(found)
    }
}

/// A text that must be a URL.
struct Found<'c> {
    place: Place,
    text: Cow<'c, str>,
}

/// Finds the URLs at configured places.
fn listed(
    urls: &PointerPattern,
    arguments: &Value,
    found: &mut Vec<Found<'_>>,
    check: &mut Check,
) -> Result<(), Box<Finding>> {
    let not_a_url = |place| UrlRefusal::new(UrlRule::NotAUrl).finding(place);
    // Arguments that could not be read as JSON are a text. Their URLs are unknown.
    if arguments.is_string() && !urls.to_string().is_empty() {
        return check.found(not_a_url(Place::default()));
    }
    let mut checked = Ok(());
    urls.each(arguments, &mut |way: &Way<'_>, value| {
        for item in items(value) {
            match item.as_str() {
                Some(text) => found.push(Found { place: place(way), text: text.to_owned().into() }),
                None if checked.is_ok() => checked = check.found(not_a_url(place(way))),
                None => {}
            }
        }
    });
    checked
}

/// Returns the URLs of a tool without a rule.
fn detected(arguments: &Value, detect: Detect) -> Vec<Found<'_>> {
    let mut found = Vec::new();
    if detect == Detect::Off {
        return found;
    }
    for text in texts(&None, arguments) {
        let is_named = !text.is_field && !text.content.trim().is_empty() && text.name.is_some_and(is_url_name);
        if is_named || is_url(text.content) {
            found.push(Found { place: text.place(), text: text.content.into() });
        } else if detect == Detect::Texts {
            let inside = urls_in(text.content).into_iter();
            found.extend(inside.map(|(start, url)| {
                let place = text.place().bytes(start..start + url.len());
                Found { place, text: url.into() }
            }));
        }
    }
    found
}

/// The builder of a [`UrlGuard`].
#[derive(Clone, Debug)]
#[must_use = "call `build`"]
pub struct UrlGuardBuilder {
    config: UrlGuardConfig,
    error: Option<ConfigError>,
    resolver: Option<Arc<dyn Resolver>>,
}

impl UrlGuardBuilder {
    /// Adds the rule of a tool or of the tools that a glob matches: where the URLs are, as names of arguments or JSON pointers
    /// with wildcards. See [`ToolPattern`] and [`PointerPattern`].
    pub fn tool<'p>(mut self, tool: &str, urls: impl IntoIterator<Item = &'p str>) -> Self {
        match rule(tool, urls) {
            Ok(rule) => self.config.tools.push(rule),
            Err(error) => self.error = self.error.or(Some(error)),
        }
        self
    }

    /// Allows these hosts only: see [`UrlGuardConfig::allowed_hosts`].
    pub fn allow_hosts(mut self, hosts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.config.allowed_hosts.extend(hosts.into_iter().map(|host| host.as_ref().to_owned()));
        self
    }

    /// Denies these hosts: see [`UrlGuardConfig::denied_hosts`].
    pub fn deny_hosts(mut self, hosts: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        self.config.denied_hosts.extend(hosts.into_iter().map(|host| host.as_ref().to_owned()));
        self
    }

    /// Allows these networks although they are not public: see [`UrlGuardConfig::allowed_networks`].
    pub fn allow_networks(mut self, networks: impl IntoIterator<Item = IpNet>) -> Self {
        self.config.allowed_networks.extend(networks);
        self
    }

    /// Sets how the guard finds the URLs of tools without a rule.
    pub fn detect(mut self, detect: Detect) -> Self {
        self.config.detect = detect;
        self
    }

    /// Sets the resolver. Default: [`SystemResolver`].
    pub fn resolver(mut self, resolver: impl Resolver + 'static) -> Self {
        self.resolver = Some(Arc::new(resolver));
        self
    }

    /// Changes the configuration directly. Use it for the settings that have no method here.
    pub fn configure(mut self, change: impl FnOnce(&mut UrlGuardConfig)) -> Self {
        change(&mut self.config);
        self
    }

    /// Makes the guard.
    ///
    /// # Errors
    /// As [`UrlGuard::new`]. It also returns an error if the name of a tool or the place of a URL cannot be read.
    pub fn build(self) -> Result<UrlGuard, ConfigError> {
        if let Some(error) = self.error {
            return Err(error.in_key("tools"));
        }
        let resolver = self.resolver.unwrap_or_else(|| Arc::new(SystemResolver));
        Ok(UrlGuard { policy: Arc::new(Policy::new(self.config, resolver)?) })
    }
}

fn rule<'p>(tool: &str, urls: impl IntoIterator<Item = &'p str>) -> Result<ToolUrls, ConfigError> {
    let urls = urls.into_iter().map(str::parse).collect::<Result<_, _>>()?;
    Ok(ToolUrls { tool: vec![ToolPattern::new(tool)?], urls })
}

impl KitGuard for UrlGuard {
    type Config = UrlGuardConfig;
    type Needs = Arc<dyn Resolver>;

    fn make(config: UrlGuardConfig, resolver: Arc<dyn Resolver>) -> Result<Self, ConfigError> {
        Self::with_resolver(config, resolver)
    }
}
