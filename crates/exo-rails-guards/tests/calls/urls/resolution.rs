//! Addresses after resolution.

use std::time::Duration;

use exo_rails::prelude::*;
use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{ResolveFuture, Resolver, UrlRule::*};
use serde_json::json;

use crate::urls::{Prepared, rule};

fn guard(resolver: &Prepared) -> UrlGuard {
    UrlGuard::builder().resolver(resolver.clone()).build().unwrap()
}

#[tokio::test]
async fn every_address_of_the_answer_is_checked() {
    let resolver = Prepared::default()
        .with("public.com", &[&["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]])
        .with("mixed.com", &[&["93.184.215.14", "10.0.0.1"]])
        .with("last.com", &[&["93.184.215.14", "1.1.1.1", "8.8.8.8", "::1"]])
        .with("mapped.com", &[&["::ffff:169.254.169.254"]])
        .with("empty.com", &[&[]])
        .with("127.0.0.1.nip.io", &[&["127.0.0.1"]]);
    let guard = guard(&resolver);
    for (url, expected) in [
        ("https://public.com/", None),
        ("https://mixed.com/", Some(SpecialAddress)),
        ("https://last.com/", Some(SpecialAddress)),
        ("https://mapped.com/", Some(SpecialAddress)),
        ("https://empty.com/", Some(Unresolved)),
        ("https://unknown.com/", Some(Unresolved)),
        ("https://127.0.0.1.nip.io/", Some(SpecialAddress)),
    ] {
        assert_eq!(rule(&guard, url).await, expected, "{url}");
    }
    let pinned = guard.check_url("https://public.com:8443/").await.unwrap();
    assert_eq!(
        pinned.addresses().iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["93.184.215.14:8443", "[2606:2800:21f:cb07:6820:80da:af6b:8b2c]:8443"]
    );
}

#[tokio::test]
async fn a_host_that_changes_its_address_stays_pinned() {
    let resolver = Prepared::default().with("rebind.com", &[&["93.184.215.14"], &["169.254.169.254"]]);
    let guard = guard(&resolver);
    let pinned = guard.check_url("http://rebind.com/").await.unwrap();
    assert_eq!(pinned.addresses()[0].ip().to_string(), "93.184.215.14");
    assert_eq!(rule(&guard, "http://rebind.com/").await, Some(SpecialAddress), "the second answer");
    assert_eq!(pinned.redirect("/next").await.unwrap_err().rule(), SpecialAddress, "each hop resolves again");
    assert_eq!(pinned.addresses()[0].ip().to_string(), "93.184.215.14");
}

#[derive(Debug)]
struct Silent;

impl Resolver for Silent {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(std::future::pending())
    }
}

#[tokio::test(start_paused = true)]
async fn a_resolver_that_does_not_answer_is_a_refusal() {
    let guard = UrlGuard::builder().resolver(Silent).build().unwrap();
    assert_eq!(rule(&guard, "https://example.com/").await, Some(Unresolved));
    // The limit is for the whole call, and not for each host.
    let start = tokio::time::Instant::now();
    let urls: Vec<_> = (0..50).map(|number| format!("https://{number}.example.com/")).collect();
    let call = ToolCallInputs::new("fetch").with_arguments(json!({ "urls": urls }));
    assert_eq!(guard.check(&call).await.unwrap_err().rule, "unresolved");
    assert!(start.elapsed() < Duration::from_secs(6), "the clock of the test stands still otherwise");
}

#[tokio::test]
async fn a_refused_call_resolves_nothing() {
    let resolver = Prepared::default().with("public.com", &[&["93.184.215.14"]]);
    let guard = guard(&resolver);
    let call =
        ToolCallInputs::new("fetch").with_arguments(json!({ "urls": ["https://public.com/", "http://127.0.0.1/"] }));
    assert_eq!(guard.check(&call).await.unwrap_err().place.pointer, "/urls/1");
    assert_eq!(resolver.asked(), 0);
}

#[tokio::test]
async fn redirects_are_checked() {
    let resolver = Prepared::default()
        .with("public.com", &[&["93.184.215.14"]])
        .with("other.com", &[&["1.1.1.1"]])
        .with("evil.com", &[&["10.0.0.1"]]);
    let guard = guard(&resolver);
    let from = guard.check_url("https://public.com/a/b").await.unwrap();
    for (location, target) in [
        ("/c", "https://public.com/c"),
        ("c", "https://public.com/a/c"),
        ("?q", "https://public.com/a/b?q"),
        ("//other.com/x", "https://other.com/x"),
        ("https://other.com/", "https://other.com/"),
        ("/a\\b", "https://public.com/a/b"),
    ] {
        assert_eq!(from.redirect(location).await.unwrap().url().as_str(), target, "{location}");
        assert_eq!(guard.check_redirect(from.url(), location).await.unwrap().url().as_str(), target, "{location}");
    }
    for (location, expected) in [
        ("http://127.0.0.1/", SpecialAddress),
        ("//169.254.169.254/latest", SpecialAddress),
        ("//evil.com/", SpecialAddress),
        ("https://evil.com", SpecialAddress),
        ("\\\\other.com/", Ambiguous),
        ("/\\other.com/", Ambiguous),
        ("https:other.com", Ambiguous),
        ("file:///etc/passwd", Scheme),
        ("gopher://other.com/", Scheme),
        ("javascript:alert(1)", Scheme),
        ("http://user@other.com/", Credentials),
        ("/a\r\nX: y", ControlCharacter),
        ("http://localhost/", InternalHost),
        ("http://unknown.com/", Unresolved),
        ("http://", NotAUrl),
    ] {
        assert_eq!(from.redirect(location).await.unwrap_err().rule(), expected, "{location}");
        assert_eq!(guard.check_redirect(from.url(), location).await.unwrap_err().rule(), expected, "{location}");
    }
}

#[tokio::test]
async fn the_resolver_of_the_system_knows_the_local_machine() {
    let guard = UrlGuard::builder().allow_hosts(["localhost"]).build().unwrap();
    assert_eq!(rule(&guard, "http://localhost/").await, Some(SpecialAddress));
    let guard = UrlGuard::builder()
        .allow_hosts(["localhost"])
        .allow_networks(["127.0.0.0/8".parse().unwrap(), "::1/128".parse().unwrap()])
        .build()
        .unwrap();
    assert!(
        guard
            .check_url("http://localhost:81/")
            .await
            .unwrap()
            .addresses()
            .iter()
            .all(|at| at.ip().is_loopback() && at.port() == 81)
    );
}
