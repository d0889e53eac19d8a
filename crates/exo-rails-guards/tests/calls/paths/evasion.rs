//! Texts that attackers write: each row must be refused by its rule.

use exo_rails_guards::paths::PathRule::{self, *};
use exo_rails_guards::paths::{Names, Rights};

use crate::paths::{Playground, READ, rule, text};

const REFUSED: &[(&str, PathRule)] = &[
    // Traversal, plain and with noise.
    ("..", Outside),
    ("../outside/secret.txt", Outside),
    ("src/../../outside/secret.txt", Outside),
    ("./.././outside", Outside),
    ("src//..//..//outside", Outside),
    ("new/../../outside", MissingParent),
    ("/etc/passwd", Outside),
    ("//etc/passwd", Outside),
    ("/", Outside),
    ("/proc/self/environ", Outside),
    ("/proc/self/cwd/secret", Outside),
    ("/dev/tcp/127.0.0.1/80", Outside),
    // Percent-encodings, also several times, and other encodings of separators and dots.
    ("%2e%2e/outside", Outside),
    ("..%2foutside", Outside),
    ("..%2Foutside", Outside),
    ("%2fetc%2fpasswd", Outside),
    ("%252e%252e%252foutside", Outside),
    ("%25252e%25252e/outside", Outside),
    ("%%32%65%%32%65/outside", Outside),
    ("%%32%%65%%32%%65%%32%%66outside", Outside),
    ("..%5coutside", Outside),
    ("..%u2215outside", Outside),
    ("%u002e%u002e/outside", Outside),
    ("..0x2foutside", Outside),
    ("0x2e0x2e/outside", Outside),
    ("..%bg%qfoutside", Outside),
    ("..%c0%af", Encoding),
    ("%c0%ae%c0%ae/", Encoding),
    ("..%e0%80%afetc", Encoding),
    ("..%f0%80%80%afetc", Encoding),
    ("..%c1%1cetc", Encoding),
    ("%25c0%25ae", Encoding),
    ("%2525252525252565", Encoding),
    ("README.md%00.txt", ControlCharacter),
    ("README.md\0.txt", ControlCharacter),
    ("src\n../../etc", ControlCharacter),
    ("src/\u{7f}", ControlCharacter),
    ("src%0d%0a", ControlCharacter),
    // Look-alikes.
    ("..\u{2215}outside", Outside),
    ("..\u{2044}outside", Outside),
    ("..\u{ff0f}outside", Outside),
    ("\u{ff0e}\u{ff0e}/outside", Outside),
    ("\u{2024}\u{2024}/outside", Outside),
    ("\u{2025}/outside", Outside),
    ("\u{fe52}\u{fe52}\u{ff3c}outside", Outside),
    ("..\u{2216}outside", Outside),
    ("src/\u{202e}gnp.exe", InvisibleCharacter),
    (".e\u{200b}nv", InvisibleCharacter),
    // Windows.
    (r"..\outside", Outside),
    (r"src\..\..\outside", Outside),
    (r"\\server\share\file", Outside),
    (r"\\?\C:\Windows", Outside),
    (r"\\.\PhysicalDrive0", Outside),
    ("..\\/outside", Outside),
    (r".\.\/.\.\/outside", Outside),
    ("README.md::$DATA", WindowsName),
    (".git::$INDEX_ALLOCATION/config", WindowsName),
    ("...", Dots),
    ("..../outside", Dots),
    ("..././..././outside", Dots),
    (".. /outside", Dots),
    ("..;/outside", Outside),
    ("??/outside", Outside),
    (".?/outside", Outside),
    // A separator of one program hides that another one leaves the root.
    (r"a%2fb\..\..", Outside),
    (r"a%zzb\..\..", Outside),
    ("a\u{2215}b\\..\\..", Outside),
    (r"a0x2fb\..\..", Outside),
    (r"a%252fb%2f..%2f..", Outside),
    // Texts that a tool replaces.
    ("~", Home),
    ("~/secret", Home),
    ("~root/secret", Home),
    ("$HOME/secret", Variable),
    ("${HOME}/secret", Variable),
    ("$(pwd)/secret", Variable),
    ("%USERPROFILE%/secret", Variable),
    ("`pwd`/x", Variable),
    ("file:///etc/passwd", Scheme),
    ("FILE:/etc/passwd", Scheme),
    ("file:%2f%2f/etc/passwd", Scheme),
    (" file:///etc/passwd", Scheme),
    ("php://filter/resource=x", Scheme),
    ("http://example.com/x", Scheme),
    ("jar:file:///x", Scheme),
    // Denied names in every spelling.
    (".env", DeniedName),
    (".ENV", DeniedName),
    (".Env", DeniedName),
    ("./.env", DeniedName),
    ("src/../.env", DeniedName),
    ("src/.env", DeniedName),
    (".env.", DeniedName),
    (".env ", DeniedName),
    (".env/", DeniedName),
    ("%2eenv", DeniedName),
    ("%252eenv", DeniedName),
    ("\u{ff0e}env", DeniedName),
    (".\u{ff45}nv", DeniedName),
    (".e\u{200c}nv", InvisibleCharacter),
    (".git/config", DeniedName),
    (".GIT/Config", DeniedName),
    (r".git\config", DeniedName),
    (".git//config", DeniedName),
    (".git/./config", DeniedName),
    (".git/hooks/../config", DeniedName),
    (".git/hooks/pre-commit", DeniedName),
    (".git%2fhooks%2fpre-commit", DeniedName),
    ("vendor/lib/.git/config", DeniedName),
    ("server.pem", DeniedName),
    ("certs/server.PEM", DeniedName),
    (".ssh/id_ed25519", DeniedName),
    (".\u{17f}sh/x", DeniedName),
];

#[test]
fn evasions_are_refused() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    let wrong: Vec<_> = REFUSED
        .iter()
        .map(|&(path, expected)| (path, expected, rule(&sandbox, path)))
        .filter(|(_, expected, found)| *found != Some(*expected) && cfg!(unix))
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn windows_names_are_refused_on_demand() {
    let playground = Playground::new();
    let windows = playground.builder().configure(|config| config.names = Names::Windows).build().unwrap();
    let portable = playground.sandbox();
    for path in [
        "nul",
        "NUL.txt",
        "src/aux.c",
        "com1",
        "LPT9.log",
        "COM¹",
        "con .txt",
        "GIT~1/config",
        "ab:c",
        "2024-01-01T12:30.log",
        "a*",
        "what?",
        "a|b",
        "a\"b",
        "<a>",
        "name.",
        "dir /x",
        "src%2fnul",
    ] {
        assert_eq!(rule(&windows, path), Some(WindowsName), "{path}");
        assert_eq!(rule(&portable, path), None, "{path}");
    }
    for path in ["nulled", "console.log", "src/communication.rs", "a~b", "file~", "aux_file", "com.txt", "README.md"] {
        assert_eq!(rule(&windows, path), None, "{path}");
    }
}

#[test]
fn unix_names_allow_windows_separators_and_percent_codes() {
    let playground = Playground::new();
    let unix = playground.builder().configure(|config| config.names = Names::Unix).build().unwrap();
    for path in ["%2e%2e%2foutside", r"..\outside", "...", "\u{ff0e}\u{ff0e}\u{ff0f}outside"] {
        assert_eq!(rule(&unix, path), None, "{path}");
    }
    for path in ["../outside", ".env", "a\0b", "~/x"] {
        assert!(rule(&unix, path).is_some(), "{path}");
    }
}

#[test]
fn long_paths_are_refused() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    for path in ["a/".repeat(2049), "a".repeat(256), "%61".repeat(86), "../".repeat(1 << 18)] {
        assert_eq!(rule(&sandbox, &path), Some(TooLong), "{}", path.len());
    }
    assert_eq!(rule(&sandbox, &"a".repeat(255)), None);
}

#[test]
fn an_absolute_path_in_the_root_is_allowed() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    let absolute = |path: &str| text(&playground.path(path));
    for path in ["project", "project/README.md", "project/new.txt", "project/../project/README.md"] {
        assert_eq!(rule(&sandbox, &absolute(path)), None, "{path}");
    }
    for path in ["project2", "projec", "outside/secret.txt", "project/../outside/secret.txt", ""] {
        assert_eq!(rule(&sandbox, &absolute(path)), Some(Outside), "{path}");
    }
}

#[test]
fn denied_names_can_be_case_sensitive() {
    let playground = Playground::new();
    let sandbox = playground.builder().configure(|config| config.case_sensitive = true).build().unwrap();
    assert_eq!(rule(&sandbox, "src/.ENV"), None);
    assert_eq!(rule(&sandbox, "src/.env"), Some(DeniedName));
}

#[test]
fn globs_deny_the_paths_that_they_match() {
    let playground = Playground::new();
    let sandbox = playground.builder().denied(["/secrets", "build/*.bin", "**/cache/**", "{a,b}.key"]).build().unwrap();
    for (path, expected) in [
        ("secrets", Some(DeniedName)),
        ("secrets/deep/x", Some(DeniedName)),
        ("src/secrets", None),
        ("build/x.bin", Some(DeniedName)),
        ("src/build/x.bin", Some(DeniedName)),
        ("build/sub/x.bin", None),
        ("cache/x", Some(DeniedName)),
        ("src/cache/x", Some(DeniedName)),
        ("b.key", Some(DeniedName)),
        ("c.key", None),
        (".env", None),
    ] {
        assert_eq!(rule(&sandbox, path), expected, "{path}");
    }
}

#[test]
fn a_directory_with_a_denied_name_cannot_be_renamed() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    assert!(sandbox.check_path(".git", READ).is_ok());
    for path in [".git", "vendor/.GIT", "%2egit"] {
        assert_eq!(sandbox.check_path(path, Rights::DELETE).unwrap_err().rule(), DeniedName, "{path}");
    }
    assert_eq!(sandbox.check_path(".", Rights::DELETE).unwrap_err().rule(), RootItself);
}
