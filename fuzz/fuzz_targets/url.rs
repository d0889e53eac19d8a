//! URLs of tool calls: what the guard accepts has a public host, for every way to read the text.

#![no_main]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::OnceLock;

use exo_rails::ToolCallInputs;
use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{Detect, ResolveFuture, Resolver};
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use url::{Host, Url};

/// Finds a public address for names of even length, and a private one for others.
#[derive(Debug)]
struct Parity;

impl Resolver for Parity {
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
        let address =
            if domain.len().is_multiple_of(2) { Ipv4Addr::new(1, 1, 1, 1) } else { Ipv4Addr::new(10, 0, 0, 1) };
        Box::pin(async move { Ok(vec![address.into()]) })
    }
}

fn guard() -> &'static UrlGuard {
    static GUARD: OnceLock<UrlGuard> = OnceLock::new();
    GUARD.get_or_init(|| {
        UrlGuard::builder().resolver(Parity).detect(Detect::Texts).build().expect("the default is valid")
    })
}

fuzz_target!(|text: &str| {
    if let Ok(url) = guard().check_text(text) {
        check(text, &url);
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime starts");
    let call = ToolCallInputs::new("fetch").with_arguments(json!({ "url": text, "text": text, text: 1 }));
    let Ok(urls) = runtime.block_on(guard().check(&call)) else { return };
    for (_, url) in urls.iter() {
        assert!(!url.addresses().is_empty());
        assert!(url.addresses().iter().all(|address| is_public(address.ip())), "{:?}", url.addresses());
    }
    // A redirect to the text is not judged less strictly.
    let from = Url::parse("https://example.com/a/b").expect("it is a URL");
    if let Ok(target) = runtime.block_on(guard().check_redirect(&from, text)) {
        assert!(target.addresses().iter().all(|address| is_public(address.ip())));
    }
});

fn check(text: &str, url: &Url) {
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(url.username().is_empty() && url.password().is_none(), "{url}");
    match url.host().expect("the URL has a host") {
        Host::Ipv4(address) => assert!(is_public(address.into()), "{url}"),
        Host::Ipv6(address) => assert!(is_public(address.into()), "{url}"),
        Host::Domain(domain) => {
            assert!(domain.trim_end_matches('.').contains('.') && !domain.ends_with(".localhost"), "{url}")
        }
    }
    // A simple program finds the same host: behind `//`, up to `/`, and up to `/`, `?` or `#`.
    let rest = text.split_once("//").expect("an absolute URL").1;
    for end in [&['/'][..], &['/', '?', '#'][..]] {
        let authority = rest.split(end).next().expect("there is a first part").trim_end();
        let host = authority.split(['?', '#']).next().expect("there is a first part");
        assert!(!authority.contains('@') && !host.contains('\\'), "{text:?}");
        let host = if host.starts_with('[') { host.split_inclusive(']').next() } else { host.split(':').next() };
        assert_eq!(
            Host::parse(host.expect("there is a first part")).ok().as_ref(),
            url.host().map(|host| host.to_owned()).as_ref(),
            "{text:?}"
        );
    }
    // The normal form is accepted and stays the same.
    assert_eq!(guard().check_text(url.as_str()).as_ref(), Ok(url));
}

/// Whether an address is public, by the rules of the standard library only.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let is_special =
                v4.is_private() || v4.is_loopback() || v4.is_link_local() || v4.is_multicast() || v4.is_broadcast();
            let [first, second, ..] = v4.octets();
            !is_special && !v4.is_documentation() && first != 0 && first < 240 && !(first == 100 && second & 0xC0 == 64)
        }
        IpAddr::V6(v6) => {
            let [first, ..] = v6.segments();
            (first & 0xE000 == 0x2000 && first != 0x2002)
                || (first == 0x64
                    && is_public(IpAddr::V4(
                        v6.to_bits().to_be_bytes().last_chunk::<4>().copied().expect("16 bytes").into(),
                    )))
        }
    }
}
