//! The rail: which arguments it takes for URLs, what it decides, and what it reports.

use exo_rails::prelude::*;
use exo_rails_guards::urls::{Detect, PinnedUrls};
use exo_rails_guards::{Findings, OnRefusal, Severity, UrlGuard};
use serde_json::{Value, json};

use crate::urls::{Public, guard};

/// Returns the place and the rule of the finding about a call.
async fn finding(guard: &UrlGuard, tool: &str, arguments: Value) -> Option<(String, String)> {
    let call = ToolCallInputs::new(tool).with_arguments(arguments);
    guard.check(&call).await.err().map(|finding| (finding.place.to_string(), finding.rule.into_owned()))
}

#[expect(clippy::unnecessary_wraps, reason = "rows without a finding are `None`")]
fn found(place: &str, rule: &str) -> Option<(String, String)> {
    Some((place.into(), rule.into()))
}

const EVIL: &str = "http://127.0.0.1/";

#[tokio::test]
async fn urls_are_found_at_each_place_of_the_arguments() {
    let guard = guard();
    for (arguments, place) in [
        (json!({ "url": EVIL }), "/url"),
        (json!({ "anything": EVIL }), "/anything"),
        (json!({ "list": ["a", [EVIL]] }), "/list/1/0"),
        (json!({ "deep": { "er": [{ "x": EVIL }] } }), "/deep/er/0/x"),
        (json!({ EVIL: "key" }), "/http:~1~1127.0.0.1~1"),
        (json!(EVIL), "/"),
        (json!([EVIL]), "/0"),
        (json!({ "x": "  HTTP://127.0.0.1  " }), "/x"),
        (json!({ "x": "http:127.0.0.1" }), "/x"),
        (json!({ "x": "http:\\\\127.0.0.1" }), "/x"),
    ] {
        assert_eq!(finding(&guard, "tool", arguments).await, found(place, "special-address"));
    }
    for (text, rule) in [
        ("file:///etc/passwd", "scheme"),
        ("file:/etc/passwd", "scheme"),
        ("gopher://x/", "scheme"),
        ("jar:http://127.0.0.1!/", "scheme"),
        ("url:file:///etc/passwd", "scheme"),
        ("ht\ntp://127.0.0.1/", "control-character"),
        ("//127.0.0.1/x", "not-a-url"),
        ("\\\\127.0.0.1\\share", "not-a-url"),
        ("//evil.com/x", "not-a-url"),
        ("http://[broken", "not-a-url"),
    ] {
        assert_eq!(finding(&guard, "tool", json!({ "x": text })).await, found("/x", rule), "{text}");
    }
}

#[tokio::test]
async fn texts_that_are_not_urls_pass() {
    let guard = guard();
    for text in [
        "",
        "hello",
        "see http://127.0.0.1/ for more",
        "http: the protocol",
        "https is safe",
        "std::net::IpAddr",
        "http::StatusCode",
        "a:b",
        "key: value",
        "C:\\Windows",
        "C:/x",
        "//div/span",
        "//button[@id='x']",
        "// a comment",
        "10:30",
        "mailto:a@b.com",
        "data:text/plain,x",
        "file: see below",
        "https://foo.com is down",
        "site:example.com",
        "127.0.0.1",
        "localhost:3000",
        "git@github.com:a/b.git",
        "note: https://x.com",
        "/* http://127.0.0.1 */",
        "SELECT * FROM a -- b",
        "file:",
        "http:",
        "{\"a\": 1}",
    ] {
        assert_eq!(finding(&guard, "tool", json!({ "text": text, "list": [text] })).await, None, "{text}");
    }
}

#[tokio::test]
async fn an_argument_with_the_name_of_a_url_must_be_one() {
    let guard = guard();
    for name in ["url", "URL", "uri", "href", "base_url", "baseUrl", "imageURL", "urls", "source-uri"] {
        for text in ["127.0.0.1/admin", "/relative", "example.com"] {
            assert_eq!(
                finding(&guard, "tool", json!({ name: text })).await,
                found(&format!("/{name}"), "not-a-url"),
                "{name}"
            );
        }
        for value in [json!(""), json!(null), json!(1), json!("https://example.com/"), json!({ "method": "GET" })] {
            assert_eq!(finding(&guard, "tool", json!({ name: value })).await, None, "{name}");
        }
    }
}

#[tokio::test]
async fn urls_inside_texts_are_found_on_demand() {
    let guard = UrlGuard::builder().resolver(Public).detect(Detect::Texts).build().unwrap();
    for (text, place) in [
        ("see http://127.0.0.1/ for more", "/x, bytes 4 to 21"),
        ("(http://127.0.0.1/)", "/x, bytes 1 to 18"),
        ("[a](http://127.0.0.1).", "/x, bytes 4 to 20"),
        ("{\"url\":\"http://127.0.0.1/\"}", "/x, bytes 8 to 25"),
        ("über:http://127.0.0.1/", "/x, bytes 6 to 23"),
        ("ok https://example.com/ bad http://127.0.0.1/.", "/x, bytes 28 to 45"),
    ] {
        assert_eq!(finding(&guard, "tool", json!({ "x": text })).await, found(place, "special-address"), "{text}");
    }
    for text in [
        "see https://example.com/.",
        "://",
        "a :// b",
        "https://",
        "x://",
        "https://example.com/a,https://example.com/b",
    ] {
        assert_eq!(finding(&guard, "tool", json!({ "x": text })).await, None, "{text}");
    }
}

#[tokio::test]
async fn other_spellings_of_tools_and_arguments_are_checked_too() {
    let guard = UrlGuard::builder().resolver(Public).tool("fetch_*", ["where"]).tool("write", []).build().unwrap();
    for (tool, arguments, expected) in [
        ("fetch_page", json!({ "Where": EVIL }), found("/Where", "special-address")),
        ("fetch_page", json!({ "wherе": "127.0.0.1" }), found("/wherе", "not-a-url")),
        ("fetch_page", json!([{ "where": EVIL }]), found("/0/where", "special-address")),
        ("Fetch_Page", json!({ "where": EVIL }), found("/where", "special-address")),
        ("Fetch_Page", json!({ "where": "127.0.0.1" }), found("/where", "not-a-url")),
        ("Fetch_Page", json!({ "other": EVIL }), found("/other", "special-address")),
        ("WRITE", json!({ "other": EVIL }), found("/other", "special-address")),
        ("write", json!({ "other": EVIL }), None),
        ("Fetch_Page", json!({ "where": "https://example.com/" }), None),
    ] {
        assert_eq!(finding(&guard, tool, arguments.clone()).await, expected, "{tool} {arguments}");
    }
}

#[tokio::test]
async fn the_rule_of_a_tool_replaces_the_detection() {
    let guard = UrlGuard::builder()
        .resolver(Public)
        .tool("fetch_*", ["/where", "/items/*/at"])
        .tool("write", [])
        .build()
        .unwrap();
    for (tool, arguments, expected) in [
        ("fetch_page", json!({ "where": EVIL }), found("/where", "special-address")),
        ("fetch_page", json!({ "where": ["https://example.com", EVIL] }), found("/where", "special-address")),
        ("fetch_page", json!({ "items": [{ "at": EVIL }] }), found("/items/0/at", "special-address")),
        ("fetch_page", json!({ "where": "example.com" }), found("/where", "not-a-url")),
        ("fetch_page", json!({ "where": 2_130_706_433_u32 }), found("/where", "not-a-url")),
        ("fetch_page", json!({ "where": { "url": EVIL } }), found("/where", "not-a-url")),
        ("fetch_page", json!("{\"where\":\"http://127.0.0.1/\"}"), found("/", "not-a-url")),
        ("fetch_page", json!({ "where": null, "note": EVIL }), None),
        ("write", json!({ "url": EVIL }), None),
    ] {
        assert_eq!(finding(&guard, tool, arguments.clone()).await, expected, "{tool} {arguments}");
    }
    let off = UrlGuard::builder().resolver(Public).detect(Detect::Off).build().unwrap();
    assert_eq!(finding(&off, "tool", json!({ "url": EVIL })).await, None);
}

#[tokio::test]
async fn too_many_urls_are_refused() {
    let urls = |count: usize| json!({ "urls": vec!["https://example.com/"; count] });
    assert_eq!(finding(&guard(), "tool", urls(64)).await, None);
    assert_eq!(finding(&guard(), "tool", urls(65)).await, found("/", "too-many"));
}

rail_chain! {
    struct Rails { urls: UrlGuard }
}

#[tokio::test]
async fn a_refused_call_does_not_run_and_an_allowed_one_has_the_addresses() {
    let rails = Rails { urls: guard() };
    let mut ctx = RunContext::new("test");
    let tool = async |call: Permit<ToolCallInputs>| {
        let urls = call.provided::<PinnedUrls>().ok_or("no URLs")?;
        let lines = urls.iter().map(|(at, url)| format!("{at} {} {:?}", url.url(), url.addresses()));
        Ok::<_, OperationError>(ToolOutput::text(lines.collect::<Vec<_>>().join("\n")))
    };
    let call = |url: &str| ToolCallInputs::new("fetch").with_arguments(json!({ "url": url }));
    let output = rails.guard_tool_call(call("https://EXAMPLE.com"), &mut ctx, tool).await.unwrap();
    assert_eq!(output.content, "/url https://example.com/ [93.184.215.14:443]");
    let output = rails.guard_tool_call(call("http://127.0.0.1/private/path"), &mut ctx, tool).await.unwrap();
    let expected = "urls/special-address: the host of the URL has an address that is not public (loopback)";
    assert!(output.content.contains(expected) && !output.content.contains("private/path"), "{}", output.content);

    let rails = Rails {
        urls: UrlGuard::builder()
            .resolver(Public)
            .configure(|config| config.on_refusal = OnRefusal::Abort)
            .build()
            .unwrap(),
    };
    assert!(matches!(rails.guard_tool_call(call(EVIL), &mut ctx, tool).await, Err(RunError::Abort(_))));
}

#[tokio::test]
async fn a_rule_below_the_threshold_is_reported_and_the_other_urls_are_checked() {
    rail_chain! { struct Rails { urls: UrlGuard } }
    for (enforce_from, urls, runs, expected) in [
        (Severity::Info, json!(["ftp://example.com/", EVIL]), false, vec!["scheme"]),
        (Severity::High, json!(["ftp://example.com/", 7, "http://example.com/"]), true, vec!["not-a-url", "scheme"]),
        (Severity::High, json!(["ftp://example.com/", EVIL]), false, vec!["scheme", "special-address"]),
    ] {
        let builder = UrlGuard::builder().tool("open", ["/urls"]).resolver(Public);
        let rails = Rails { urls: builder.configure(|config| config.enforce_from = enforce_from).build().unwrap() };
        let mut call = ToolCallInputs::new("open").with_arguments(json!({ "urls": urls }));
        let mut ctx = RunContext::new("test");
        let decision = rails.dispatch::<PreToolCall>(&mut call, &mut ctx).await.unwrap();
        let Findings(findings) = ctx.extra.get().cloned().unwrap_or_default();
        let rules: Vec<_> = findings.iter().map(|finding| finding.rule.as_ref()).collect();
        assert_eq!((decision.is_continue(), rules), (runs, expected), "{enforce_from} {urls}");
        let pinned = ctx.provided::<PinnedUrls>().map(|urls| urls.iter().count());
        assert_eq!(pinned, runs.then_some(1), "only the URL that breaks no rule");
    }
}
