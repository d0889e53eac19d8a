//! Lists of hosts, networks, ports and schemes.

use exo_rails_guards::urls::{UrlGuard, UrlGuardConfig, UrlRule::*};

use crate::urls::{Prepared, Public, rule};

fn guard(change: impl FnOnce(&mut UrlGuardConfig)) -> UrlGuard {
    UrlGuard::builder().resolver(Public).configure(change).build().unwrap()
}

#[tokio::test]
async fn only_allowed_hosts_that_are_not_denied_pass() {
    let guard = guard(|config| {
        config.allowed_hosts = ["example.com", "*.example.org", "Bücher.example.", "1.1.1.1", "[2606:4700:4700::1111]"]
            .map(Into::into)
            .into();
        config.denied_hosts = vec!["secret.example.org".into(), "*.internal.example.org".into()];
    });
    for url in [
        "https://example.com/",
        "https://EXAMPLE.com./",
        "https://a.example.org/",
        "https://a.b.example.org/",
        "https://xn--bcher-kva.example/",
        "https://bücher.example/",
        "https://BÜCHER.example/",
        "https://1.1.1.1/",
        "https://[2606:4700:4700:0::1111]/",
        "https://ｅｘａｍｐｌｅ.com/",
    ] {
        assert_eq!(rule(&guard, url).await, None, "{url}");
    }
    for url in [
        "https://example.org/",
        "https://a.example.com/",
        "https://badexample.org/",
        "https://example.org.evil.com/",
        "https://example.com.evil.com/",
        "https://evil.com/?example.com",
        "https://8.8.8.8/",
        "https://examp\u{200b}le.com.evil.com/",
        "https://ехаmple.com/",
    ] {
        assert_eq!(rule(&guard, url).await, Some(HostNotAllowed), "{url}");
    }
    for url in ["https://secret.example.org/", "https://SECRET.example.org./x", "https://a.internal.example.org/"] {
        assert_eq!(rule(&guard, url).await, Some(DeniedHost), "{url}");
    }
}

#[tokio::test]
async fn an_allowed_host_must_still_be_public() {
    let resolver = Prepared::default().with("db.internal", &[&["10.1.2.3"]]).with("other.internal", &[&["10.2.0.1"]]);
    let guard =
        UrlGuard::builder().resolver(resolver.clone()).allow_hosts(["db.internal", "other.internal"]).build().unwrap();
    assert_eq!(rule(&guard, "http://db.internal/").await, Some(SpecialAddress));
    let guard = UrlGuard::builder()
        .resolver(resolver)
        .allow_hosts(["db.internal", "other.internal"])
        .allow_networks(["10.1.0.0/16".parse().unwrap()])
        .build()
        .unwrap();
    assert_eq!(rule(&guard, "http://db.internal/").await, None);
    assert_eq!(rule(&guard, "http://other.internal/").await, Some(SpecialAddress));
}

#[tokio::test]
async fn allowed_and_denied_networks_apply_to_addresses() {
    let guard = guard(|config| {
        config.allowed_networks = vec!["10.1.0.0/16".parse().unwrap(), "::1/128".parse().unwrap()];
        config.denied_networks = vec!["8.8.8.0/24".parse().unwrap(), "10.1.5.0/24".parse().unwrap()];
    });
    for (url, expected) in [
        ("http://10.1.0.1/", None),
        ("http://[::ffff:10.1.0.1]/", None),
        ("http://[::1]/", None),
        ("http://10.2.0.1/", Some(SpecialAddress)),
        ("http://10.1.5.1/", Some(DeniedNetwork)),
        ("http://[::ffff:10.1.5.1]/", Some(DeniedNetwork)),
        ("http://8.8.8.8/", Some(DeniedNetwork)),
        ("http://[64:ff9b::8.8.8.8]/", Some(DeniedNetwork)),
        ("http://8.8.4.4/", None),
    ] {
        assert_eq!(rule(&guard, url).await, expected, "{url}");
    }
}

#[tokio::test]
async fn only_configured_ports_and_schemes_pass() {
    let guard = guard(|config| {
        config.ports = vec![443, 8443];
        config.schemes = vec!["https".into(), "WSS".into()];
    });
    for (url, expected) in [
        ("https://example.com/", None),
        ("https://example.com:443/", None),
        ("https://example.com:8443/", None),
        ("wss://example.com/", None),
        ("https://example.com:80/", Some(Port)),
        ("https://example.com:0/", Some(Port)),
        ("http://example.com/", Some(Scheme)),
        ("http://example.com:443/", Some(Scheme)),
        ("ws://example.com/", Some(Scheme)),
    ] {
        assert_eq!(rule(&guard, url).await, expected, "{url}");
    }
}
