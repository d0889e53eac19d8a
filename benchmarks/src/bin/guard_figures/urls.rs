//! The guard of URLs: payloads of server-side request forgery, the test data of URL parsers, and everyday URLs.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::process::Command;

use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{PinnedUrl, ResolveFuture, Resolver, UrlRefusal};
use serde_json::Value;
use url::Url;

const SSRF: &str = "PayloadsAllTheThings/Server Side Request Forgery";
const TEST_DATA: &str = "rust-url/url/tests/urltestdata.json";
/// Everyday URLs of our own, one a line.
const BENIGN: &str = include_str!("benign_urls.txt");

/// Finds a public address for each host, except for those that the payloads use because they have a private one.
#[derive(Debug)]
struct Known;

impl Resolver for Known {
    fn resolve<'a>(&'a self, domain: &'a str) -> ResolveFuture<'a> {
        let domain = domain.trim_end_matches('.');
        let address: IpAddr = match domain {
            _ if domain.ends_with("nip.io") => Ipv4Addr::LOCALHOST.into(),
            "localh.st" => Ipv4Addr::LOCALHOST.into(),
            "localtest.me" => Ipv6Addr::LOCALHOST.into(),
            _ if domain.ends_with(".localdomain.pw") => Ipv4Addr::new(127, 127, 127, 127).into(),
            _ => Ipv4Addr::new(93, 184, 215, 14).into(),
        };
        Box::pin(async move { Ok(vec![address]) })
    }
}

pub(crate) async fn measure(corpora: &Path) -> Result<(), Box<dyn Error>> {
    let guard = UrlGuard::builder().resolver(Known).build()?;
    println!("urls: payloads of server-side request forgery ({SSRF})");
    println!("| list | payloads | refused | passed |\n|---|---|---|---|");
    let mut passed = Vec::new();
    for (list, payloads) in [
        ("README.md", in_markdown(&fs::read_to_string(corpora.join(SSRF).join("README.md"))?)),
        (
            "SSRF-Cloud-Instances.md",
            in_markdown(&fs::read_to_string(corpora.join(SSRF).join("SSRF-Cloud-Instances.md"))?),
        ),
        ("Files/ip.py 169.254.169.254 80 www.google.com", generated(&corpora.join(SSRF).join("Files/ip.py"))?),
    ] {
        let before = passed.len();
        for payload in &payloads {
            if guard.check_url(payload).await.is_ok() {
                passed.push(format!("  {payload:?} ({list})"));
            }
        }
        let count = passed.len() - before;
        println!("| {list} | {} | {} | {count} |", payloads.len(), payloads.len() - count);
    }
    println!("\n{} payloads passed:\n{}\n", passed.len(), passed.join("\n"));
    test_data(&guard, &corpora.join(TEST_DATA)).await?;

    let mut wrong = Vec::new();
    for url in BENIGN.lines() {
        if let Err(refusal) = guard.check_url(url).await {
            wrong.push(format!("  {url:?}: {}", refusal.rule().name()));
        }
    }
    println!("\n{} of {} everyday URLs refused:\n{}", wrong.len(), BENIGN.lines().count(), wrong.join("\n"));
    Ok(())
}

/// Returns the words in the code blocks of a page that are URLs for some program.
fn in_markdown(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().skip(1));
    let words =
        lines.flat_map(str::split_whitespace).map(|word| word.trim_matches(['"', '\'', '`', '<', '>', ';', ',']));
    words.filter(|word| word.contains("://") || word.starts_with("http:")).map(str::to_owned).collect()
}

/// Runs the generator of payloads.
fn generated(script: &Path) -> Result<Vec<String>, Box<dyn Error>> {
    let output = Command::new("python3").arg(script).args(["169.254.169.254", "80", "www.google.com"]).output()?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", script.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter(|line| line.starts_with("http")).map(str::to_owned).collect())
}

/// Compares the guard with the results that the standard expects.
async fn test_data(guard: &UrlGuard, file: &Path) -> Result<(), Box<dyn Error>> {
    let cases: Vec<Value> = serde_json::from_str(&fs::read_to_string(file)?)?;
    let mut table: BTreeMap<(&str, String), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for case in cases.iter().filter(|case| case.is_object()) {
        let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
        let expected = expected(case);
        let result = match text("base") {
            "" => guard.check_url(text("input")).await,
            base => redirect(guard, base, text("input")).await,
        };
        let found = result.as_ref().map_or_else(|refusal| refusal.rule().name().to_owned(), |_| "passes".to_owned());
        if result.is_ok() && expected != "a public http host" {
            wrong.push(format!("  {:?} from {:?}: {expected}", text("input"), text("base")));
        }
        *table.entry((expected, found)).or_default() += 1;
    }
    println!("urls: the test data of URL parsers ({TEST_DATA})\n| expected | the guard | cases |\n|---|---|---|");
    for ((expected, found), count) in &table {
        println!("| {expected} | {found} | {count} |");
    }
    println!("\n{} cases passed that should be refused:\n{}", wrong.len(), wrong.join("\n"));
    Ok(())
}

async fn redirect(guard: &UrlGuard, base: &str, input: &str) -> Result<PinnedUrl, UrlRefusal> {
    match Url::parse(base) {
        Ok(base) => guard.check_redirect(&base, input).await,
        Err(_) => guard.check_url(base).await,
    }
}

/// Returns what the URL of a case is, by the fields of the case and by the standard library.
fn expected(case: &Value) -> &'static str {
    let text = |key: &str| case.get(key).and_then(Value::as_str).unwrap_or_default();
    if case.get("failure").is_some() {
        return "not a URL";
    }
    if !matches!(text("protocol"), "http:" | "https:") {
        return "another scheme";
    }
    let host = text("hostname").trim_matches(['[', ']']);
    let is_special = match host.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(v4)) => {
            v4.is_private()
                || v4.is_loopback()
                || v4.is_link_local()
                || v4.is_multicast()
                || v4.is_documentation()
                || v4.octets()[0] == 0
                || v4.octets()[0] >= 240
        }
        Ok(IpAddr::V6(v6)) => v6.segments()[0] & 0xE000 != 0x2000,
        Err(_) => !host.trim_end_matches('.').contains('.'),
    };
    if is_special { "a special or internal host" } else { "a public http host" }
}
