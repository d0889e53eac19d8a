//! The decision on a URL, without and with its addresses.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use exo_rails_policy::ConfigError;
use ipnet::IpNet;
use tokio::time::Instant;
use url::{Host, Url};

use super::address::{embedded, special_range};
use super::hosts::{canonical, is_internal, pattern};
use super::{Resolver, UrlGuardConfig, UrlRefusal, UrlRule, spelling};
use crate::places::host::{HostPattern, canonical_host};

/// The rules, ready to use.
#[derive(Debug)]
pub(super) struct Policy {
    pub(super) config: UrlGuardConfig,
    allowed_hosts: Vec<HostPattern>,
    denied_hosts: Vec<HostPattern>,
    resolver: Arc<dyn Resolver>,
}

impl Policy {
    pub(super) fn new(config: UrlGuardConfig, resolver: Arc<dyn Resolver>) -> Result<Self, ConfigError> {
        if let Some(scheme) = config.schemes.iter().find(|scheme| !is_known_scheme(scheme)) {
            let message = format!(
                "`{scheme}` is not a scheme with hosts that the guard knows: write some of `https`, `http`, `wss`, `ws`, `ftp`"
            );
            return Err(ConfigError::new(message).in_key("schemes"));
        }
        if config.schemes.is_empty() {
            let message = "nothing would be allowed: write at least one, or leave the key out";
            return Err(ConfigError::new(message).in_key("schemes"));
        }
        let limits = [
            ("max_length", config.max_length == 0),
            ("max_urls", config.max_urls == 0),
            ("resolve_timeout_ms", config.resolve_timeout_ms == 0),
        ];
        if let Some((key, _)) = limits.into_iter().find(|(_, is_zero)| *is_zero) {
            let message = "0 would refuse every URL: write a limit of at least 1, or leave the key out";
            return Err(ConfigError::new(message).in_key(key));
        }
        let hosts = |key: &str, hosts: &[String]| {
            let read = |(index, host): (usize, &String)| {
                pattern(host).map_err(|error| error.in_key(format!("{key}[{index}]")))
            };
            hosts.iter().enumerate().map(read).collect::<Result<_, _>>()
        };
        let allowed_hosts = hosts("allowed_hosts", &config.allowed_hosts)?;
        let denied_hosts = hosts("denied_hosts", &config.denied_hosts)?;
        Ok(Self { config, allowed_hosts, denied_hosts, resolver })
    }

    /// Reads a URL, and checks everything that needs no resolver.
    pub(super) fn parse(&self, text: &str) -> Result<Url, UrlRefusal> {
        let text = text.trim_matches([' ', '\n', '\r']);
        if text.len() > self.config.max_length {
            return Err(UrlRefusal::new(UrlRule::TooLong));
        }
        spelling::check_text(text).map_err(UrlRefusal::new)?;
        let url = Url::parse(text).map_err(|_| UrlRefusal::new(UrlRule::NotAUrl))?;
        self.check_parts(&url)?;
        spelling::check_host(text, &url).map_err(UrlRefusal::new)?;
        Ok(url)
    }

    /// Checks the parts of a URL.
    pub(super) fn check_parts(&self, url: &Url) -> Result<(), UrlRefusal> {
        let refuse = |rule| Err(UrlRefusal::new(rule));
        if !self.config.schemes.iter().any(|scheme| scheme.eq_ignore_ascii_case(url.scheme())) {
            return Err(
                UrlRefusal::new(UrlRule::Scheme).with_detail(format!("allowed: {}", self.config.schemes.join(", ")))
            );
        }
        let Some(host) = url.host() else { return refuse(UrlRule::NotAUrl) };
        self.check_host(&canonical(host.to_owned()))?;
        if !self.config.allow_credentials && (!url.username().is_empty() || url.password().is_some()) {
            return refuse(UrlRule::Credentials);
        }
        let port = url.port_or_known_default().unwrap_or_default();
        if !self.config.ports.is_empty() && !self.config.ports.contains(&port) {
            return refuse(UrlRule::Port);
        }
        Ok(())
    }

    fn check_host(&self, host: &Host<String>) -> Result<(), UrlRefusal> {
        if self.denied_hosts.iter().any(|pattern| pattern.matches_canonical(&canonical_host(host))) {
            return Err(UrlRefusal::new(UrlRule::DeniedHost));
        }
        let is_listed = self.allowed_hosts.iter().any(|pattern| pattern.matches_canonical(&canonical_host(host)));
        if !self.allowed_hosts.is_empty() && !is_listed {
            return Err(UrlRefusal::new(UrlRule::HostNotAllowed));
        }
        match host {
            Host::Domain(domain) if is_internal(domain) && !is_listed => Err(UrlRefusal::new(UrlRule::InternalHost)),
            Host::Domain(_) => Ok(()),
            Host::Ipv4(address) => self.check_address((*address).into()),
            Host::Ipv6(address) => self.check_address((*address).into()),
        }
    }

    fn check_address(&self, address: IpAddr) -> Result<(), UrlRefusal> {
        let inner = match address {
            IpAddr::V6(address) => embedded(address).map(IpAddr::V4),
            IpAddr::V4(_) => None,
        };
        let is_in = |networks: &[IpNet]| {
            networks
                .iter()
                .any(|network| network.contains(&address) || inner.is_some_and(|inner| network.contains(&inner)))
        };
        if is_in(&self.config.denied_networks) {
            return Err(UrlRefusal::new(UrlRule::DeniedNetwork));
        }
        match special_range(address) {
            Some(range) if !is_in(&self.config.allowed_networks) => {
                Err(UrlRefusal::new(UrlRule::SpecialAddress).with_detail(range))
            }
            _ => Ok(()),
        }
    }

    /// Returns the addresses of a checked URL, after checking each of them.
    pub(super) async fn addresses(&self, url: &Url) -> Result<Vec<SocketAddr>, UrlRefusal> {
        let unresolved = |why: &str| UrlRefusal::new(UrlRule::Unresolved).with_detail(why);
        let addresses = match url.host() {
            Some(Host::Ipv4(address)) => vec![address.into()],
            Some(Host::Ipv6(address)) => vec![address.into()],
            Some(Host::Domain(domain)) => {
                self.resolver.resolve(domain).await.map_err(|_| unresolved("the resolver failed"))?
            }
            None => Vec::new(),
        };
        if addresses.is_empty() {
            return Err(unresolved("the host has no address"));
        }
        addresses.iter().try_for_each(|address| self.check_address(*address))?;
        let port = url.port_or_known_default().unwrap_or_default();
        Ok(addresses.into_iter().map(|address| SocketAddr::new(address, port)).collect())
    }

    /// Returns the moment until which the hosts of a call that begins now must be resolved.
    pub(super) fn deadline(&self) -> Instant {
        Instant::now() + Duration::from_millis(self.config.resolve_timeout_ms)
    }

    /// Runs something that resolves a host until the deadline.
    pub(super) async fn before<T>(
        &self,
        deadline: Instant,
        work: impl Future<Output = Result<T, UrlRefusal>>,
    ) -> Result<T, UrlRefusal> {
        let late = || UrlRefusal::new(UrlRule::Unresolved).with_detail("the resolver did not answer in time");
        tokio::time::timeout_at(deadline, work).await.unwrap_or_else(|_| Err(late()))
    }
}

/// Tells whether the parser splits the URLs of a scheme into host and port as the standard says.
fn is_known_scheme(scheme: &str) -> bool {
    ["https", "http", "wss", "ws", "ftp"].iter().any(|known| known.eq_ignore_ascii_case(scheme))
}
