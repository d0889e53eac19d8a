//! The guard of URLs against attacks, in front of real servers, and on everyday work.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests may panic")]

mod call;
mod configuration;
mod evasion;
mod hosts;
mod resolution;
#[cfg(feature = "http")]
mod servers;
mod work;

use std::collections::HashMap;
use std::io;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{ResolveFuture, Resolver, UrlRule};

/// A resolver with prepared answers. A list of answers is for one question after the other, and the last one stays.
#[derive(Clone, Debug, Default)]
struct Prepared {
    answers: HashMap<&'static str, Vec<Vec<IpAddr>>>,
    asked: Arc<AtomicUsize>,
}

impl Prepared {
    fn with(mut self, domain: &'static str, answers: &[&[&str]]) -> Self {
        let parsed = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        self.answers.insert(domain, answers.iter().map(parsed).collect());
        self
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }
}

impl Resolver for Prepared {
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
        let count = self.asked.fetch_add(1, Ordering::Relaxed);
        Box::pin(async move {
            let answers = self.answers.get(domain.trim_end_matches('.'));
            let answers = answers.ok_or_else(|| io::Error::other("no such host"))?;
            Ok(answers.get(count).or(answers.last()).cloned().unwrap_or_default())
        })
    }
}

/// A resolver that finds one public address for every host.
#[derive(Clone, Copy, Debug)]
struct Public;

impl Resolver for Public {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![[93, 184, 215, 14].into()]) })
    }
}

fn guard() -> UrlGuard {
    UrlGuard::builder().resolver(Public).build().unwrap()
}

/// Returns the rule that a URL breaks, if it breaks one.
async fn rule(guard: &UrlGuard, url: &str) -> Option<UrlRule> {
    guard.check_url(url).await.err().map(|refusal| refusal.rule())
}
