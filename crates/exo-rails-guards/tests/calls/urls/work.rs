//! Everyday work must pass.

use exo_rails_guards::urls::UrlGuard;

use crate::urls::{Public, guard, rule};

#[tokio::test]
async fn everyday_urls_pass() {
    let guard = guard();
    for url in [
        "https://example.com",
        "https://example.com/",
        "http://example.com:8080/a?b=c#d",
        "HTTPS://Example.COM./",
        " https://example.com \n",
        "https://example.com/?mail=a@b.com",
        "https://example.com/@scope/package",
        "https://example.com/a b",
        "https://example.com/a%20b",
        "https://example.com/?next=https://other.com/",
        "https://example.com?q=1",
        "https://example.com#top",
        "https://例え.jp/",
        "https://faß.de/",
        "https://xn--r8jz45g.jp/",
        "https://1.1.1.1/dns-query",
        "https://[2606:4700:4700::1111]/",
        "https://[::ffff:8.8.8.8]/",
        "https://a.b.c.d.example.co.uk/",
        "https://example.com/path\\with\\backslash",
        "https://my-host.example.com/x_y~z!$&'()*+,;=:",
        "https://en.wikipedia.org/wiki/Foo_(bar)",
        "https://web.archive.org/web/2020/http://localhost/",
        "https://internal.example.com/",
        "https://localhost.example.com/",
        "https://127.0.0.1.example.com/",
        "https://example.local.com/",
    ] {
        assert_eq!(rule(&guard, url).await, None, "{url}");
    }
}

#[tokio::test]
async fn urls_with_credentials_can_be_allowed() {
    let guard =
        UrlGuard::builder().resolver(Public).configure(|config| config.allow_credentials = true).build().unwrap();
    assert_eq!(rule(&guard, "https://user:p%40ss@example.com/").await, None);
    for url in ["https://a@b@example.com/", "https://user@127.0.0.1/"] {
        assert!(rule(&guard, url).await.is_some(), "{url}");
    }
}
