//! Mistakes in a configuration name their key and say what to write.

use exo_rails_guards::config;
use exo_rails_guards::urls::{UrlGuard, UrlGuardConfig};

#[test]
fn mistakes_name_the_key() {
    for (text, expected) in [
        (
            "schemes = [\"gopher\"]",
            "`schemes`: `gopher` is not a scheme with hosts that the guard knows: write some of `https`, `http`, `wss`, `ws`, `ftp`",
        ),
        ("schemes = []", "`schemes`: nothing would be allowed: write at least one, or leave the key out"),
        ("max_urls = 0", "`max_urls`: 0 would refuse every URL: write a limit of at least 1, or leave the key out"),
        (
            "allowed_hosts = [\"https://a.com\"]",
            "`allowed_hosts[0]`: `https://a.com` is not a host: write a name such as `example.com`, or `*.example.com` for the hosts below it",
        ),
        (
            "allowed_hosts = [\"a.com\", \"a.*.com\"]",
            "`allowed_hosts[1]`: `a.*.com` is not a host: write a name such as `example.com`, or `*.example.com` for the hosts below it",
        ),
        (
            "denied_hosts = [\"a.com:80\"]",
            "`denied_hosts[0]`: `a.com:80` is not a host: invalid international domain name",
        ),
        (
            "denied_hosts = [\"*.10.0.0.1\"]",
            "`denied_hosts[0]`: `*.10.0.0.1` is not a host: an address has no hosts below it. Write the network into `allowed_networks` or `denied_networks`",
        ),
        ("denied_hosts = [\"\"]", "`denied_hosts[0]`: `` is not a host: empty host"),
    ] {
        let config: UrlGuardConfig = config::from_toml(text).unwrap();
        assert_eq!(UrlGuard::new(config).unwrap_err().to_string(), expected);
    }
    for (tool, url, expected) in [
        ("fetch", "a/b", "`tools`: `a/b` is neither a name nor a pointer: write `/a/b`, or `/a~1b` for an argument"),
        ("[", "/url", "`tools`: `[` is not a pattern: unclosed character class"),
    ] {
        let error = UrlGuard::builder().tool(tool, [url]).build().unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[test]
fn unknown_keys_are_refused_with_the_nearest() {
    for (text, expected) in [
        ("allowed_host = []", "line 1, column 1: unknown key `allowed_host`: did you mean `allowed_hosts`?"),
        ("detect = \"text\"", "line 1, column 10: unknown value `text`: did you mean `texts`?"),
    ] {
        assert_eq!(config::from_toml::<UrlGuardConfig>(text).unwrap_err().to_string(), expected);
    }
    let error = config::from_toml::<UrlGuardConfig>("allowed_networks = [\"10.0.0.0/40\"]").unwrap_err().to_string();
    assert!(error.starts_with("line 1, column 21: "), "{error}");
}

#[test]
fn a_configuration_can_be_written_and_read() {
    let mut config = UrlGuardConfig::default();
    let builder = UrlGuard::builder()
        .tool("fetch", ["/url"])
        .deny_hosts(["a.com"])
        .allow_networks(["10.0.0.0/8".parse().unwrap()]);
    builder.configure(|built| config = built.clone()).build().unwrap();
    let read: UrlGuardConfig = serde_json::from_value(serde_json::to_value(&config).unwrap()).unwrap();
    assert_eq!(read, config);
}
