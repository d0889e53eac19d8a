//! Calls that try to slip through: another spelling for a rule that stops, or an accident for a rule that allows.

use exo_rails_guards::permissions::Permission::{Allow, Ask, Deny};
use serde_json::{Value, json};

use crate::permissions::{judged, permissions};

#[test]
fn no_spelling_of_a_tool_avoids_a_deny() {
    let guard = permissions(
        r#"
        default = "allow"
        rules = [{ tool = "delete_file", decision = "deny" }, { tool = "mcp__prod__*", decision = "deny" }]
        "#,
    );
    for tool in [
        "delete_file",
        "Delete_File",
        "DELETE_FILE",
        " delete_file",
        "delete_file\n",
        "delete_file\0",
        "delete\u{200b}_file",
        "dеlete_file",
        "ｄｅｌｅｔｅ＿ｆｉｌｅ",
        "delete_fi\u{301}le",
        "\u{202e}delete_file",
        "delete_fіle",
        "𝖽elete_file",
        "mcp__prod__drop",
        "MCP__PROD__x",
        "mcp__рrod__x",
        "mcp__prod__",
        "mcp\u{200d}__prod__y",
    ] {
        assert_eq!(judged(&guard, tool, json!({})), Deny, "{tool:?}");
    }
    for tool in ["delete_files", "undelete_file", "read_file", "mcp__product", ""] {
        assert_eq!(judged(&guard, tool, json!({})), Allow, "{tool:?}");
    }
}

#[test]
fn no_spelling_of_a_tool_is_allowed_by_accident() {
    let guard = permissions(
        r#"rules = [{ tool = "read_file", decision = "allow" }, { tool = "mcp__docs__*", decision = "allow" }]"#,
    );
    for tool in ["read_file", "mcp__docs__search"] {
        assert_eq!(judged(&guard, tool, json!({})), Allow, "{tool:?}");
    }
    for tool in [
        "Read_File",
        "read_file ",
        "read_file\n",
        "rеad_file",
        "read_file\u{200b}",
        "read_files",
        "xread_file",
        "ｒead_file",
        "",
        "mcp__docs__x y",
        "mcp__docs__x\n",
        "mcp__docs__\u{202e}x",
        "MCP__docs__x",
        "mcp__dоcs__x",
        "x mcp__docs__y",
    ] {
        assert_eq!(judged(&guard, tool, json!({})), Ask, "{tool:?}");
    }
}

#[test]
fn no_spelling_of_an_argument_avoids_a_deny() {
    let guard = permissions(
        r#"
        default = "allow"
        [[rules]]
        tool = "query"
        arguments = { database = "production" }
        decision = "deny"
        [[rules]]
        tool = "pay"
        arguments = { "/order/amount" = { min = 100 } }
        decision = "deny"
        [[rules]]
        tool = "post"
        arguments = { text = { contains = "internal only" } }
        decision = "deny"
        [[rules]]
        tool = "call"
        arguments = { code = { regex = "drop\\s+table" } }
        decision = "deny"
        "#,
    );
    for (tool, arguments) in [
        ("query", json!({ "database": "production" })),
        ("query", json!({ "database": "PRODUCTION" })),
        ("query", json!({ "database": " production " })),
        ("query", json!({ "database": "prоduction" })),
        ("query", json!({ "database": "pro\u{200b}duction" })),
        ("query", json!({ "database": "%70roduction" })),
        ("query", json!({ "database": ["test", "production"] })),
        ("query", json!({ "database": { "name": "production" } })),
        ("query", json!({ "database": "[\"production\"]" })),
        ("query", json!({ "Database": "production" })),
        ("query", json!({ "database": "test", "DATABASE": "production" })),
        ("query", json!([{ "database": "production" }])),
        ("query", json!("{\"database\": \"production\"}")),
        ("query", json!("{\"database\": \"production\", \"database\": \"test\"}")),
        ("query", json!("{\"database\": \"test\", \"database\": \"production\"}")),
        ("query", json!("{\"d\\u0061tabase\": \"production\"}")),
        ("pay", json!({ "order": { "amount": 100 } })),
        ("pay", json!({ "order": { "amount": 100.0 } })),
        ("pay", json!({ "order": { "amount": "100" } })),
        ("pay", json!({ "order": { "amount": "1e3" } })),
        ("pay", json!({ "order": { "amount": " 1_000 " } })),
        ("pay", json!({ "order": { "amount": "$5,000.00" } })),
        ("pay", json!({ "order": { "amount": "0xff" } })),
        ("pay", json!({ "order": { "amount": "１００" } })),
        ("pay", json!({ "order": { "amount": [1, 500] } })),
        ("pay", json!({ "order": "{\"amount\": 500}" })),
        ("pay", json!({ "order": [{ "amount": 1 }, { "amount": 500 }] })),
        ("pay", json!({ "order": { "amount": u64::MAX } })),
        ("post", json!({ "text": "This is INTERNAL   only." })),
        ("post", json!({ "text": "internal\nonly" })),
        ("post", json!({ "text": ["x", "intern\u{ad}al only"] })),
        ("call", json!({ "code": "DROP  TABLE users" })),
        ("call", json!({ "code": "x; drop\ttable users" })),
    ] {
        assert_eq!(judged(&guard, tool, arguments.clone()), Deny, "{tool} {arguments}");
    }
    // What is missing or is not a number may be meant.
    for (tool, arguments) in [
        ("query", json!({})),
        ("query", json!({ "database": null })),
        ("query", json!(null)),
        ("query", json!("not JSON")),
        ("pay", json!({ "order": { "amount": "a lot" } })),
        ("pay", json!({ "order": { "amount": "NaN" } })),
        ("pay", json!({ "order": 7 })),
    ] {
        assert_eq!(judged(&guard, tool, arguments.clone()), Ask, "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("query", json!({ "database": "test" })),
        ("query", json!({ "database": "production-copy" })),
        ("pay", json!({ "order": { "amount": 99.99 } })),
        ("pay", json!({ "order": { "amount": "99" } })),
        ("post", json!({ "text": "internal memo, for you only" })),
        ("call", json!({ "code": "select 1" })),
    ] {
        assert_eq!(judged(&guard, tool, arguments.clone()), Allow, "{tool} {arguments}");
    }
}

#[test]
fn no_argument_satisfies_an_allow_by_accident() {
    let guard = permissions(
        r#"
        [[rules]]
        tool = "query"
        arguments = { database = "test" }
        decision = "allow"
        [[rules]]
        tool = "pay"
        arguments = { amount = { min = 0, max = 50 } }
        decision = "allow"
        [[rules]]
        tool = "tag"
        arguments = { name = { glob = "v*" } }
        decision = "allow"
        [[rules]]
        tool = "run"
        arguments = { job = { regex = "[a-z]+" } }
        decision = "allow"
        [[rules]]
        tool = "list"
        arguments = { all = { exists = false } }
        decision = "allow"
        "#,
    );
    for (tool, arguments) in [
        ("query", json!({ "database": "test" })),
        ("pay", json!({ "amount": 50 })),
        ("pay", json!({ "amount": 0.5 })),
        ("tag", json!({ "name": "v1.0" })),
        ("run", json!({ "job": "build" })),
        ("list", json!({})),
    ] {
        assert_eq!(judged(&guard, tool, arguments.clone()), Allow, "{tool} {arguments}");
    }
    for (tool, arguments) in [
        ("query", json!({ "database": "TEST" })),
        ("query", json!({ "database": "test " })),
        ("query", json!({ "database": ["test"] })),
        ("query", json!({ "Database": "test" })),
        ("query", json!({})),
        ("query", json!([{ "database": "test" }])),
        ("query", json!("{\"database\": \"test\"}")),
        ("query", json!({ "database": { "equals": "test" } })),
        ("pay", json!({ "amount": "5" })),
        ("pay", json!({ "amount": -1 })),
        ("pay", json!({ "amount": 50.001 })),
        ("pay", json!({ "amount": [5] })),
        ("pay", json!({ "amount": null })),
        ("pay", json!({ "amount": true })),
        ("pay", json!({})),
        ("tag", json!({ "name": ["v1"] })),
        ("tag", json!({ "name": "v1\u{0}; x" })),
        ("tag", json!({ "name": "v\u{200b}1" })),
        ("tag", json!({ "name": "xv1" })),
        ("run", json!({ "job": "build; rm" })),
        ("run", json!({ "job": "build\nx" })),
        ("list", json!({ "all": true })),
        ("list", json!({ "All": true })),
        ("list", json!("")),
    ] {
        assert_eq!(judged(&guard, tool, arguments.clone()), Ask, "{tool} {arguments}");
    }
}

#[test]
fn no_spelling_of_a_path_avoids_a_deny() {
    let guard = permissions(
        r#"
        default = "allow"
        working_directory = "/projects/app"
        home = "/home/ada"
        rules = [{ tool = "*", path = ["/etc/**", "~/.ssh/**", ".env", "/projects/app/secrets/"], decision = "deny" }]
        "#,
    );
    for path in [
        "/etc/passwd",
        "/etc",
        "/etc/",
        "//etc//passwd",
        "/etc/./passwd",
        "/tmp/../etc/passwd",
        "../../etc/passwd",
        "a/../../../etc/passwd",
        "/ETC/passwd",
        "file:///etc/passwd",
        "file:/etc/passwd",
        "FILE://localhost/etc/passwd",
        "/%65tc/passwd",
        "..%2f..%2fetc%2fpasswd",
        "%2e%2e/%2e%2e/etc/passwd",
        "..\\..\\etc\\passwd",
        "\\etc\\passwd",
        "/etc/passwd\0.png",
        " /etc/passwd",
        "/e\u{200b}tc/passwd",
        "/еtc/passwd",
        "/../../etc/passwd",
        "/proc/self/root/etc/passwd",
        "~/.ssh/id_rsa",
        "/home/ada/.ssh/id_rsa",
        "$HOME/.ssh/id_rsa",
        "${HOME}/.ssh",
        "~/x/../.ssh/id_rsa",
        "~/.SSH/id_rsa",
        ".env",
        "./.env",
        "config/.env",
        "/projects/app/.env",
        ".env.",
        "config/.ENV",
        "/srv/x/.env",
        "..%252f..%252fetc%252fpasswd",
        "secrets/key",
        "/projects/app/secrets",
        "/projects/app/./secrets/x",
        "../app/secrets/key",
    ] {
        for arguments in [json!({ "path": path }), json!({ "location": path }), json!({ "paths": ["ok", path] })] {
            assert_eq!(judged(&guard, "read_file", arguments.clone()), Deny, "{arguments}");
        }
    }
    assert_eq!(judged(&guard, "read_file", json!({ "request": "{\"file\": \"/etc/passwd\"}" })), Deny);
    for path in [
        "src/main.rs",
        "/projects/app/src",
        "etc/passwd",
        "docs/env.md",
        ".env.example",
        "/home/ada/notes.md",
        "a/../b",
        "~/notes",
        "/etcetera",
        "my secrets/x",
        "environment",
    ] {
        assert_eq!(judged(&guard, "read_file", json!({ "path": path })), Allow, "{path}");
    }
    // Without the working directory, nobody knows where this path leads.
    let guard = permissions("default = 'allow'\nrules = [{ tool = '*', path = '/etc/**', decision = 'deny' }]");
    assert_eq!(judged(&guard, "read_file", json!({ "path": "../../etc/passwd" })), Ask);
    assert_eq!(judged(&guard, "read_file", json!({ "path": "src/../main.rs" })), Allow);
}

#[test]
fn no_path_satisfies_an_allow_by_accident() {
    let guard = permissions(
        r#"
        working_directory = "/projects/app"
        rules = [{ tool = "read_file", path = ["/projects/app/**", "docs/*.md"], decision = "allow" }]
        "#,
    );
    for arguments in [
        json!({ "path": "/projects/app/src/main.rs" }),
        json!({ "path": "src/main.rs" }),
        json!({ "path": "." }),
        json!({ "path": "/projects/app" }),
        json!({ "path": "./src//main.rs" }),
        json!({ "file_path": "routes/$id.tsx" }),
        json!({ "paths": ["a", "b"] }),
        json!({ "path": "größe.txt", "limit": 5 }),
    ] {
        assert_eq!(judged(&guard, "read_file", arguments.clone()), Allow, "{arguments}");
    }
    for arguments in [
        json!({}),
        json!({ "path": "" }),
        json!({ "path": null }),
        json!({ "path": 5 }),
        json!({ "path": "/projects/app/../secret" }),
        json!({ "path": "src/../main.rs" }),
        json!({ "path": "/projects/application/x" }),
        json!({ "path": "/WORK/app/x" }),
        json!({ "path": "/projects/app/%2e%2e/x" }),
        json!({ "path": "..\\x" }),
        json!({ "path": "~/x" }),
        json!({ "path": "$HOME/x" }),
        json!({ "path": "${x}" }),
        json!({ "path": "file:///projects/app/x" }),
        json!({ "path": "a\0b" }),
        json!({ "path": "src\u{202e}/x" }),
        json!({ "path": " src" }),
        json!({ "paths": ["a", "/etc/passwd"] }),
        json!({ "path": "a", "Path": "/etc/passwd" }),
        json!({ "path": "a", "file": "/etc/passwd" }),
        json!({ "path": { "x": "a" } }),
        json!({ "paths": [["a"]] }),
        json!("{\"path\": \"a\"}"),
    ] {
        assert_eq!(judged(&guard, "read_file", arguments.clone()), Ask, "{arguments}");
    }
}

#[test]
fn hosts_are_compared_in_every_spelling() {
    let guard = permissions(
        r#"
        rules = [
            { tool = "fetch", host = ["*.example.com", "docs.rs"], decision = "allow" },
            { tool = "*", host = ["evil.net", "*.evil.net", "169.254.169.254"], decision = "deny" },
        ]
        "#,
    );
    let expected =
        |arguments: Value, expected| assert_eq!(judged(&guard, "fetch", arguments.clone()), expected, "{arguments}");
    for url in ["https://api.example.com/x", "https://docs.rs", "docs.rs:443", "HTTPS://DOCS.RS/a?b"] {
        expected(json!({ "url": url }), Allow);
    }
    for url in [
        "https://example.com",
        "https://api.example.com.other.org",
        "https://docs.rs@other.org",
        "https://other.org/docs.rs",
        "https://docs.rs\\@other.org",
        "http:docs.rs",
        "file://docs.rs/etc/passwd",
        "https://docs.rs\n",
        "",
        "https://dосs.rs",
    ] {
        expected(json!({ "url": url }), Ask);
    }
    expected(json!({ "url": ["https://docs.rs", "https://other.org"] }), Ask);
    expected(json!({ "url": "https://docs.rs", "URL": "https://other.org" }), Ask);
    expected(json!({}), Ask);
    for url in [
        "https://evil.net",
        "https://docs.rs@evil.net/",
        "https://x.EVIL.net.",
        "http://ｅvil.net",
        "http:\\\\evil.net",
        "//evil.net/",
        "http://169.254.169.254/latest",
        "http://2852039166/",
        "http://0xa9fea9fe/",
        "http://[::ffff:169.254.169.254]/",
        "http://0251.0376.0251.0376",
        "https://docs.rs/?next=https://evil.net/",
    ] {
        expected(json!({ "url": url }), Deny);
        expected(json!({ "url": "https://docs.rs", "headers": { "Location": url } }), Deny);
    }
}
