//! The guard of URLs: payloads of server-side request forgery, the test data of URL parsers, and everyday URLs.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::path::Path;
use std::process::Command;

use exo_rails_guards::UrlGuard;
use exo_rails_guards::urls::{PinnedUrl, ResolveFuture, Resolver, UrlRefusal};
use serde_json::Value;
use url::Url;

use crate::Failure;
use crate::corpora::Corpora;
use crate::tau_bench;
use crate::time::median;

const SSRF: &str = "Server Side Request Forgery";
const TEST_DATA: &str = "url/tests/urltestdata.json";
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

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<(), Failure> {
    let guard = UrlGuard::builder().resolver(Known).build()?;
    for (name, url) in [("an address", "http://0x7f.1/"), ("a name", "https://docs.rs/serde/latest/serde/?search=a")] {
        println!("{name}, without resolution: {}", median(|| guard.check_text(url).is_ok()));
    }
    if let Some(corpora) = corpora {
        payloads(&guard, &corpora.folder("PayloadsAllTheThings")?.join(SSRF)).await?;
        let cases: Vec<Value> =
            serde_json::from_str(&fs::read_to_string(corpora.folder("rust-url")?.join(TEST_DATA))?)?;
        test_data(&guard, &cases).await;
        host_spellings(&guard, &cases)?;
        let mut refusals = Vec::new();
        for recorded in tau_bench::calls(corpora)? {
            let finding = guard.check(&recorded.call).await.err();
            refusals.push(finding.map(|finding| format!("{}: {}", finding.place, finding.rule)));
        }
        tau_bench::report(&refusals);
    }
    everyday(&guard).await;
    Ok(())
}

async fn payloads(guard: &UrlGuard, folder: &Path) -> Result<(), Failure> {
    println!("\npayloads of server-side request forgery (PayloadsAllTheThings/{SSRF})");
    println!("| list | payloads | refused | passed |\n|---|---|---|---|");
    let mut passed = Vec::new();
    let page = |name: &str| fs::read_to_string(folder.join(name));
    for (list, payloads) in [
        ("README.md", in_markdown(&page("README.md")?)),
        ("SSRF-Cloud-Instances.md", in_markdown(&page("SSRF-Cloud-Instances.md")?)),
        ("SSRF-Advanced-Exploitation.md", in_markdown(&page("SSRF-Advanced-Exploitation.md")?)),
        ("Files/ip.py 169.254.169.254 80 www.google.com", generated(&folder.join("Files/ip.py"))?),
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
    Ok(())
}

async fn everyday(guard: &UrlGuard) {
    let mut wrong = Vec::new();
    for url in BENIGN.lines() {
        if let Err(refusal) = guard.check_url(url).await {
            wrong.push(format!("  {url:?}: {}", refusal.rule().name()));
        }
    }
    println!("\n{} of {} everyday URLs refused:\n{}", wrong.len(), BENIGN.lines().count(), wrong.join("\n"));
}

/// Returns the words in the code blocks of a page that are URLs for some program.
fn in_markdown(page: &str) -> Vec<String> {
    let blocks = page.split("```").skip(1).step_by(2);
    let lines = blocks.flat_map(|block| block.lines().skip(1));
    let words =
        lines.flat_map(str::split_whitespace).map(|word| word.trim_matches(['"', '\'', '`', '<', '>', ';', ',']));
    words.filter(|word| word.contains("://") || word.starts_with("http:")).map(str::to_owned).collect()
}

/// Runs the generator of payloads. It chooses a few characters by chance, so it gets a seed.
fn generated(script: &Path) -> Result<Vec<String>, Failure> {
    let seeded = "import random, runpy, sys; sys.argv = sys.argv[1:]; random.seed(1); runpy.run_path(sys.argv[0])";
    let arguments = ["169.254.169.254", "80", "www.google.com"];
    let output = Command::new("python3").args(["-c", seeded]).arg(script).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("{} failed: {}", script.display(), String::from_utf8_lossy(&output.stderr)).into());
    }
    let text = String::from_utf8_lossy(&output.stdout);
    Ok(text.lines().filter(|line| line.starts_with("http")).map(str::to_owned).collect())
}

/// Compares the guard with the results that the standard expects.
async fn test_data(guard: &UrlGuard, cases: &[Value]) {
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
    println!("the test data of URL parsers (rust-url/{TEST_DATA})\n| expected | the guard | cases |\n|---|---|---|");
    for ((expected, found), count) in &table {
        println!("| {expected} | {found} | {count} |");
    }
    println!("\n{} cases passed that should be refused:\n{}", wrong.len(), wrong.join("\n"));
}

/// Takes the spelling of the host out of each case, and writes it into URLs of its own. No spelling that means an address that
/// is special may pass.
fn host_spellings(guard: &UrlGuard, cases: &[Value]) -> Result<(), Failure> {
    let inputs = cases.iter().filter_map(|case| case.get("input").and_then(Value::as_str));
    let spellings: BTreeSet<&str> = inputs.filter_map(host_in).collect();
    let (mut special, mut passed) = (0, Vec::new());
    let urls = spellings.iter().flat_map(|host| {
        ["http://HOST", "https://HOST/a", "http://HOST:80/?b", "HTTPS:\\\\HOST/", "http:HOST", "https://user@HOST/"]
            .map(|form| form.replace("HOST", host))
    });
    for url in urls {
        let Some(host) = Url::parse(&url).ok().and_then(|url| url.host_str().map(str::to_owned)) else { continue };
        if is_special(&host) {
            special += 1;
            passed.extend(guard.check_text(&url).is_ok().then_some(url));
        }
    }
    println!(
        "{} spellings of hosts: {special} URLs of special or internal hosts, {} passed",
        spellings.len(),
        passed.len()
    );
    if passed.is_empty() { Ok(()) } else { Err(format!("these URLs passed: {passed:?}").into()) }
}

/// Returns the text of a URL between the slashes, the user and the next slash.
fn host_in(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("//").or_else(|| url.split_once(':'))?;
    let authority = rest.trim_start_matches(['/', '\\']).split(['/', '\\', '?', '#']).next()?;
    let host = authority.rsplit('@').next()?;
    (!host.is_empty()).then_some(host)
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
    if is_special(text("hostname")) { "a special or internal host" } else { "a public http host" }
}

/// Returns whether the standard library says that a host in its normal form is not public.
fn is_special(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    match host.parse::<IpAddr>().map(|address| address.to_canonical()) {
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
    }
}
