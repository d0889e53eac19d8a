//! Resolvers of host names.

use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

/// The future of [`Resolver::resolve`].
pub type ResolveFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a host.
///
/// [`SystemResolver`] is the default. Implement the trait to use another DNS client, or prepared answers in tests.
pub trait Resolver: fmt::Debug + Send + Sync {
    /// Returns all addresses of a domain. An error and an empty list are refusals.
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a>;
}

impl<R: Resolver + ?Sized> Resolver for Arc<R> {
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
        (**self).resolve(domain)
    }
}

/// The resolver of the system, through [`tokio::net::lookup_host`].
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemResolver;

impl Resolver for SystemResolver {
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let addresses = tokio::net::lookup_host((domain, 0)).await?;
            Ok(addresses.map(|address| address.ip()).collect())
        })
    }
}
