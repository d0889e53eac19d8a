//! Everyday work must pass.

use exo_rails_guards::paths::Rights;

use crate::paths::{Playground, rule};

#[test]
fn everyday_paths_pass() {
    let playground = Playground::new();
    let sandbox = playground.sandbox();
    for path in [
        "",
        ".",
        "./",
        "README.md",
        "./README.md",
        "src/main.rs",
        "src/./main.rs",
        "src/../README.md",
        "src/../src/main.rs",
        "src//main.rs",
        "src/",
        "new/deep/file.txt",
        "../project/README.md",
        ".github/workflows/ci.yml",
        ".gitignore",
        ".gitmodules",
        ".env.example",
        "env",
        "environment.ts",
        ".envrc",
        "keys.rs",
        "monkey",
        "a.keyboard",
        "file with spaces.txt",
        "größe.txt",
        "日本語/ファイル.md",
        "AC／DC.mp3",
        "第１．２章.md",
        "Wait….txt",
        "emoji 👩‍👩‍👧.png",
        "100%.txt",
        "50% off.md",
        "100%complete.txt",
        "a%20b.txt",
        "50%25.txt",
        "C++/main.cpp",
        "a+b=c.txt",
        "app/routes/users.$id.tsx",
        "$types.ts",
        "file~",
        "~$report.docx",
        "#notes#",
        "@types/node/index.d.ts",
        "[slug].tsx",
        "(group)/page.tsx",
        "{a}.txt",
        "10:30 meeting.md",
        "2024-01-01T12:30:00.log",
        "..data/file",
        "..hidden",
        "a..b",
        "foo...bar",
        "v1.0..v2.0",
        "..a/..b",
        "what?.md",
        "a*b",
        "a|b",
        "it's.txt",
        "\"quoted\".txt",
        "x".repeat(200).as_str(),
        "node_modules/.bin/tsc",
        "id_rsa.pub",
        "0x1f.bin",
        "%appdata.txt",
        "tab-less",
        "naïve.rs",
        "e\u{301}t\u{e9}.txt",
    ] {
        assert_eq!(rule(&sandbox, path), None, "{path}");
    }
}

#[test]
fn a_path_has_only_the_rights_of_its_root() {
    let playground = Playground::new();
    let sandbox = playground.builder().root("library", playground.path("library"), Rights::READ).build().unwrap();
    let book = playground.path("library/book.txt");
    let book = book.to_str().unwrap();
    assert!(sandbox.check_path(book, Rights::READ).is_ok());
    let refusal = sandbox.check_path(book, Rights::READ | Rights::WRITE).unwrap_err();
    assert_eq!(refusal.to_string(), "the root does not grant what the tool needs in the root `library`: write");
    // A file that does not exist is created, and one that exists is changed.
    let writes = playground
        .builder()
        .configure(|config| config.roots[0].rights = Rights::READ | Rights::CREATE)
        .build()
        .unwrap();
    let needs = Rights::WRITE | Rights::CREATE;
    assert!(writes.check_path("new.txt", needs).is_ok());
    assert!(writes.check_path("README.md", needs).is_err());
    assert!(writes.check_path("new.txt", Rights::READ).is_ok());
}

#[test]
fn the_innermost_root_counts() {
    let playground = Playground::new();
    let sandbox = playground
        .builder()
        .configure(|config| config.roots[0].rights = Rights::READ)
        .root("sources", playground.path("project/src"), Rights::READ | Rights::WRITE)
        .build()
        .unwrap();
    assert!(sandbox.check_path("src/main.rs", Rights::WRITE).is_ok());
    assert!(sandbox.check_path("README.md", Rights::WRITE).is_err());
    assert!(sandbox.check_path("src/../README.md", Rights::WRITE).is_err());
}
