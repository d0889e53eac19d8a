//! Texts that attackers write: each row must be refused by its rule, although every name has a public address.

use exo_rails_guards::urls::UrlRule::{self, *};

use crate::urls::{guard, rule};

const REFUSED: &[(&str, UrlRule)] = &[
    // One address in many spellings.
    ("http://127.0.0.1", SpecialAddress),
    ("http://127.0.0.1:8080/", SpecialAddress),
    ("http://127.1", SpecialAddress),
    ("http://127.0.1", SpecialAddress),
    ("http://2130706433", SpecialAddress),
    ("http://017700000001", SpecialAddress),
    ("http://0177.0.0.1", SpecialAddress),
    ("http://0177.0000.0000.0001", SpecialAddress),
    ("http://0x7f000001", SpecialAddress),
    ("http://0x7f.0x0.0x0.0x1", SpecialAddress),
    ("http://0X7F.1", SpecialAddress),
    ("http://0x7f.1/", SpecialAddress),
    ("http://127.0.0.1.", SpecialAddress),
    ("http://%31%32%37.0.0.1", SpecialAddress),
    ("http://127%2e0%2e0%2e1", SpecialAddress),
    ("http://１２７.０.０.１", SpecialAddress),
    ("http://127。0。0。1", SpecialAddress),
    ("http://127｡0｡0｡1", SpecialAddress),
    ("http://①②⑦.⓪.⓪.①", SpecialAddress),
    ("http://①②⑦。⓪｡⓪．①", SpecialAddress),
    ("http://0", SpecialAddress),
    ("http://0.0.0.0:22", SpecialAddress),
    ("http://0x0", SpecialAddress),
    ("http:127.0.0.1", SpecialAddress),
    ("http:/127.0.0.1", SpecialAddress),
    ("http:///127.0.0.1", SpecialAddress),
    ("http:\\\\127.0.0.1", SpecialAddress),
    ("HTTP://127.0.0.1", SpecialAddress),
    (" http://127.0.0.1 ", SpecialAddress),
    ("ht\ttp://127.0.0.1", ControlCharacter),
    ("http://127.0.\n0.1", ControlCharacter),
    ("\u{1}http://127.0.0.1", ControlCharacter),
    ("http://127.0.0.1\u{0}", ControlCharacter),
    // Metadata services and other special addresses.
    ("http://169.254.169.254/latest/meta-data/", SpecialAddress),
    ("http://2852039166/", SpecialAddress),
    ("http://0xa9fea9fe/", SpecialAddress),
    ("http://0251.0376.0251.0376/", SpecialAddress),
    ("http://169.254.43518/", SpecialAddress),
    ("http://169.16689662/", SpecialAddress),
    ("http://100.100.100.200/", SpecialAddress),
    ("http://168.63.129.16/", SpecialAddress),
    ("http://[fd00:ec2::254]/", SpecialAddress),
    ("http://metadata.google.internal/", InternalHost),
    ("http://METADATA.google.INTERNAL./", InternalHost),
    ("http://metadata/", InternalHost),
    ("http://10.0.0.1", SpecialAddress),
    ("http://172.16.0.1", SpecialAddress),
    ("http://192.168.1.1", SpecialAddress),
    ("http://100.64.0.1", SpecialAddress),
    ("http://224.0.0.1", SpecialAddress),
    ("http://255.255.255.255", SpecialAddress),
    ("http://192.0.2.1", SpecialAddress),
    // IPv6, and IPv4 inside of it.
    ("http://[::]", SpecialAddress),
    ("http://[::1]:80/", SpecialAddress),
    ("http://[0000::1]", SpecialAddress),
    ("http://[0:0:0:0:0:0:0:1]", SpecialAddress),
    ("http://[::ffff:127.0.0.1]", SpecialAddress),
    ("http://[::ffff:7f00:1]", SpecialAddress),
    ("http://[0:0:0:0:0:ffff:169.254.169.254]", SpecialAddress),
    ("http://[::127.0.0.1]", SpecialAddress),
    ("http://[::ffff:0:127.0.0.1]", SpecialAddress),
    ("http://[64:ff9b::169.254.169.254]", SpecialAddress),
    ("http://[64:ff9b:1::1]", SpecialAddress),
    ("http://[2002:7f00:1::]", SpecialAddress),
    ("http://[2001:0:53aa:64c::1]", SpecialAddress),
    ("http://[fe80::1]", SpecialAddress),
    ("http://[fe80::1%25eth0]", NotAUrl),
    ("http://[fc00::1]", SpecialAddress),
    // Names of the local machine.
    ("http://localhost", InternalHost),
    ("http://LOCALHOST:80", InternalHost),
    ("http://localhost.", InternalHost),
    ("http://a.localhost", InternalHost),
    ("http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", InternalHost),
    ("http://ｌｏｃａｌｈｏｓｔ", InternalHost),
    ("http://ip6-localhost", InternalHost),
    ("http://printer.local", InternalHost),
    ("http://intranet/", InternalHost),
    ("http://db.corp/", InternalHost),
    ("http://router.home.arpa", InternalHost),
    // Who is the host?
    ("http://good.com@127.0.0.1", SpecialAddress),
    ("http://127.0.0.1@good.com/", Credentials),
    ("http://user:password@good.com/", Credentials),
    ("http://good.com@evil.com@good.com/", Credentials),
    ("http://127.1.1.1:80\\@127.2.2.2:80/", SpecialAddress),
    ("http://@good.com/", Ambiguous),
    ("http://:@good.com/", Ambiguous),
    ("http://good.com\\@evil.com/", Ambiguous),
    ("http://good.com\\.evil.com/", Ambiguous),
    ("http:\\\\good.com/", Ambiguous),
    ("http:good.com", Ambiguous),
    ("http:/good.com", Ambiguous),
    ("http:///good.com", Ambiguous),
    ("http://good.com#@evil.com/", Ambiguous),
    ("http://good.com?@evil.com/", Ambiguous),
    ("http://good.com#\\@evil.com/", Ambiguous),
    ("http://good%2ecom/", Ambiguous),
    ("http://1.1.1.1 &@2.2.2.2# @3.3.3.3/", Credentials),
    ("http://good.com &@evil.com/", Credentials),
    ("http://010.8.8.8/", Ambiguous),
    ("http://134744072/", Ambiguous),
    ("http://8.8.2056/", Ambiguous),
    ("http://8.8.8.8./", Ambiguous),
    ("//good.com/path", NotAUrl),
    ("good.com/path", NotAUrl),
    ("/path", NotAUrl),
    ("", NotAUrl),
    ("http://", NotAUrl),
    ("http://256.256.256.256", NotAUrl),
    ("http://0o177.0.0.1", NotAUrl),
    ("http://[::1", NotAUrl),
    ("http://good.com:99999", NotAUrl),
    // Schemes.
    ("file:///etc/passwd", Scheme),
    ("FILE:/etc/passwd", Scheme),
    ("gopher://127.0.0.1:6379/_INFO", Scheme),
    ("dict://127.0.0.1:11211/", Scheme),
    ("ftp://good.com/", Scheme),
    ("ldap://good.com/", Scheme),
    ("jar:http://127.0.0.1!/", Scheme),
    ("url:http://127.0.0.1", Scheme),
    ("view-source:http://127.0.0.1", Scheme),
    ("javascript:alert(1)", Scheme),
    ("data:text/html,x", Scheme),
    ("blob:http://127.0.0.1/x", Scheme),
    ("0://evil.com:80;http://good.com:80/", NotAUrl),
];

#[tokio::test]
async fn evasions_are_refused() {
    let guard = guard();
    let mut wrong = Vec::new();
    for &(url, expected) in REFUSED {
        let found = rule(&guard, url).await;
        if found != Some(expected) {
            wrong.push((url, expected, found));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[tokio::test]
async fn long_urls_are_refused() {
    assert_eq!(rule(&guard(), &format!("https://example.com/{}", "a".repeat(8192))).await, Some(TooLong));
    assert_eq!(rule(&guard(), &"https://".repeat(1 << 17)).await, Some(TooLong));
}
