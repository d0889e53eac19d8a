//! The folders of the crates are layers: each uses only those before it.

use std::path::Path;

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::visit_mut::{self, VisitMut};
use syn::{Attribute, Item};

/// The layers of a crate.
struct Layers {
    source: &'static str,
    /// The folders and files of `src`, from the first layer to the last.
    order: &'static [&'static str],
    /// Files at the root. They name every folder, and no folder may use them.
    root: &'static [&'static str],
    /// Whether folders may use the items that `lib.rs` exports. An item belongs to the layer from which it is exported.
    uses_exports: bool,
}

const CORE: Layers = Layers {
    source: "../exo-rails/src",
    order: &[
        "message",
        "point",
        "error",
        "action",
        "context",
        "event",
        "decision",
        "telemetry",
        "rail",
        "chain",
        "guard_set",
        "operation",
        "bus",
        "testing",
    ],
    root: &["for_macros", "lib", "macros", "prelude"],
    uses_exports: false,
};

const TEXT: Layers = Layers {
    source: "../crates/exo-rails-text/src",
    order: &["invisible", "json", "names", "reading", "codes", "look", "views", "spelling"],
    root: &["lib"],
    uses_exports: false,
};

const SEQUENCE: Layers = Layers {
    source: "../crates/exo-rails-sequence/src",
    order: &["grammar", "text"],
    root: &["lib"],
    uses_exports: false,
};

const SHELL: Layers = Layers {
    source: "../crates/exo-rails-shell/src",
    order: &[
        "severity",
        "error",
        "decision",
        "word",
        "effect",
        "config",
        "pattern",
        "command",
        "read",
        "knowledge",
        "policy",
        "lower",
        "command_pattern",
        "rule",
        "verdict",
        "rule_set",
        "tests",
    ],
    root: &["lib"],
    uses_exports: true,
};

const POLICY: Layers = Layers {
    source: "../crates/exo-rails-policy/src",
    order: &[
        "error",
        "sections",
        "regular_file",
        "read",
        "list",
        "builder",
        "with_mode",
        "decimal",
        "glob",
        "tool_name",
        "tool_pattern",
        "pointer",
        "refusal",
        "scope",
        "failure",
        "feedback",
        "risk_level",
        "rights",
        "actions",
        "condition",
        "permission",
        "grant",
        "sequence_rule",
        "table",
        "sizes",
        "capability_gap",
        "structure",
        "tool_schemas",
        "structured_answer",
        "secrets",
        "personal_data",
        "hook_handlers",
        "permissions",
        "content",
        "injection",
        "paths",
        "urls",
        "data_flow",
        "loops",
        "repetition",
        "risk",
        "approval",
        "rate_limits",
        "sequence",
        "budgets",
        "concurrency",
        "circuit_breaker",
        "timeouts",
        "retry",
        "fallback",
        "audit",
        "policy",
    ],
    root: &["lib"],
    uses_exports: true,
};

/// First what guards share, then a folder for each guard.
const GUARDS: Layers = Layers {
    source: "../crates/exo-rails-guards/src",
    order: &[
        "config",
        "kit_guard",
        "finding",
        "refusal",
        "history",
        "judged",
        "arguments",
        "automaton",
        "wording",
        "hidden",
        "http_thread",
        "scan",
        "store",
        "limits",
        "vault",
        "places",
        "rules",
        "shape",
        "sizes",
        "capability_gap",
        "structure",
        "tool_schemas",
        "structured_answer",
        "rate_limits",
        "budgets",
        "sequence",
        "concurrency",
        "timeouts",
        "circuit_breaker",
        "retry",
        "fallback",
        "repetition",
        "audit",
        "loops",
        "handlers",
        "paths",
        "urls",
        "content",
        "injection",
        "secrets",
        "personal_data",
        "approval",
        "data_flow",
        "permissions",
        "risk",
        "kit",
        "watch",
    ],
    root: &["lib"],
    uses_exports: false,
};

const STORE: Layers = Layers {
    source: "../crates/exo-rails-store/src",
    order: &[
        "error",
        "time",
        "key",
        "record",
        "log",
        "counter",
        "state_store",
        "namespace",
        "within",
        "ext",
        "memory",
        "file",
        "redis",
        "conformance",
    ],
    root: &["lib"],
    uses_exports: true,
};

const AUDIT: Layers = Layers {
    source: "../crates/exo-rails-audit/src",
    order: &[
        "hash", "head", "problem", "line", "key", "seal", "chain", "files", "sink", "entry", "error", "writer", "feed",
        "audit", "audited", "verify",
    ],
    root: &["lib"],
    uses_exports: true,
};

const AG_UI: Layers = Layers {
    source: "../integrations/ag-ui/src",
    order: &["object", "ag_ui", "mcp"],
    root: &["lib"],
    uses_exports: true,
};

const DYGRAM: Layers = Layers {
    source: "../crates/exo-rails-dygram/src",
    order: &["diagnostic", "syntax", "condition", "model", "lower", "check", "print", "reader"],
    root: &["lib"],
    uses_exports: false,
};

const MACHINE: Layers = Layers {
    source: "../crates/exo-rails-machine/src",
    order: &[
        "contexts",
        "conditions",
        "definition",
        "plan",
        "history",
        "state",
        "transition",
        "prompt",
        "registry",
        "tools",
        "meta",
        "executor",
        "draw",
        "for_macros",
        "macros",
    ],
    root: &["lib"],
    uses_exports: false,
};

const PROGRAM: Layers = Layers {
    source: "../crates/exo-rails-cli/src",
    order: &[
        "again",
        "arguments",
        "failure",
        "source",
        "model",
        "rails",
        "saved",
        "progress",
        "questions",
        "execution",
        "commands",
        "serve",
    ],
    root: &["main"],
    uses_exports: false,
};

const MACROS: Layers = Layers {
    source: "../exo-rails-macros/src",
    order: &[
        "alias",
        "apart",
        "errors",
        "manifest",
        "testing",
        "options",
        "paths",
        "sequence_rules",
        "custom_event",
        "rail",
        "tool_args",
        "tools",
        "chain",
        "operation",
        "provided",
        "growth",
        "absent",
    ],
    root: &["lib"],
    uses_exports: false,
};

const AGENT: Layers = Layers {
    source: "../crates/exo-rails-agent/src",
    order: &[
        "compaction",
        "http",
        "memory",
        "model",
        "platform",
        "agent",
        "anthropic",
        "openai",
        "scripted",
        "fuzzing",
        "session",
        "spec",
        "testing",
    ],
    root: &["lib"],
    uses_exports: true,
};

const MACHINE_MACROS: Layers = Layers {
    source: "../crates/exo-rails-machine-macros/src",
    order: &["node_types", "machine", "machine_file"],
    root: &["lib"],
    uses_exports: false,
};

/// Every crate whose folders and files are layers.
const ALL: [Layers; 15] = [
    CORE,
    MACROS,
    TEXT,
    SEQUENCE,
    SHELL,
    POLICY,
    GUARDS,
    STORE,
    AUDIT,
    AG_UI,
    AGENT,
    DYGRAM,
    MACHINE,
    MACHINE_MACROS,
    PROGRAM,
];

impl Layers {
    fn files(&self) -> Vec<(Vec<String>, String)> {
        files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(self.source), &[])
    }

    /// Returns the layer that has a name: a folder, or an item that `lib.rs` exports.
    fn layer_of(&self, name: &str) -> Option<usize> {
        let position = |name: &str| self.order.iter().position(|layer| *layer == name);
        position(name)
            .or_else(|| self.exports().iter().find(|(item, _)| item == name).and_then(|(_, from)| position(from)))
    }

    /// Returns the items that `lib.rs` exports, each with its folder.
    fn exports(&self) -> Vec<(String, String)> {
        let lib = Path::new(env!("CARGO_MANIFEST_DIR")).join(self.source).join("lib.rs");
        let lib = std::fs::read_to_string(lib).unwrap();
        let uses = lib.split("pub use ").skip(1).filter(|_| self.uses_exports);
        let exports = uses.filter_map(|rest| rest.split(';').next()?.split_once("::"));
        let items = |(folder, items): (&str, &str)| {
            let names: Vec<_> = items.trim_matches(['{', '}']).split(',').map(|item| item.trim().to_owned()).collect();
            let folder = folder.to_owned();
            names.into_iter().map(move |item| (item, folder.clone()))
        };
        exports.flat_map(items).collect()
    }

    /// What a file uses that its layer must not: later folders, and the root.
    fn forbidden(&self, module: &[String], source: &str) -> Vec<String> {
        let layer = self.layer_of(&module[0]).unwrap();
        let is_of_another_crate =
            |name: &String| self.exports().iter().any(|(item, from)| item == name && from.starts_with("exo_rails"));
        let is_allowed =
            |name: &String| self.layer_of(name).is_some_and(|used| used <= layer) || is_of_another_crate(name);
        used(module, source).into_iter().filter(|name| !is_allowed(name)).collect()
    }
}

/// Every file below a folder, with its module path: `chain/walk.rs` is `["chain", "walk"]`.
fn files(folder: &Path, path: &[String]) -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    for entry in folder.read_dir().unwrap() {
        let entry = entry.unwrap().path();
        let name = entry.file_stem().unwrap().to_string_lossy().into_owned();
        let inside = [path, std::slice::from_ref(&name)].concat();
        if entry.is_dir() {
            found.extend(files(&entry, &inside));
        } else if entry.extension().is_some_and(|extension| extension == "rs") {
            let module = if name == "mod" { path.to_vec() } else { inside };
            found.push((module, std::fs::read_to_string(&entry).unwrap()));
        }
    }
    found.sort();
    found
}

/// Takes out what exists only in tests: they may use every layer.
struct WithoutTests;

impl VisitMut for WithoutTests {
    fn visit_file_mut(&mut self, file: &mut syn::File) {
        file.items.retain(|item| !is_test(item));
        visit_mut::visit_file_mut(self, file);
    }
}

fn is_test(item: &Item) -> bool {
    let attrs: &[Attribute] = match item {
        Item::Mod(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        _ => &[],
    };
    attrs.iter().any(|attr| attr.path().is_ident("cfg") && attr.to_token_stream().to_string().contains("test"))
}

/// The first names of all paths that begin with `crate::` or leave the file's folder by `super::`, also inside macros.
fn used(module: &[String], source: &str) -> Vec<String> {
    let mut file = syn::parse_file(source).unwrap();
    WithoutTests.visit_file_mut(&mut file);
    let mut names = Vec::new();
    scan(file.to_token_stream(), module, &mut names);
    names
}

fn scan(tokens: TokenStream, module: &[String], names: &mut Vec<String>) {
    let tokens: Vec<_> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => scan(group.stream(), module, names),
            TokenTree::Ident(ident) if ident == "crate" || ident == "super" => {
                let begun = at > 0 && matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ':');
                let mut base = if ident == "crate" { Vec::new() } else { module[..module.len() - 1].to_vec() };
                let mut next = at + 1;
                while let Some(behind) = behind_colons(&tokens, next) {
                    let is_super = matches!(&tokens[behind], TokenTree::Ident(ident) if ident == "super");
                    if !is_super {
                        break;
                    }
                    base.pop();
                    next = behind + 1;
                }
                if let (false, Some(behind)) = (begun, behind_colons(&tokens, next)) {
                    firsts(&base, &tokens[behind], names);
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The place behind `::`.
fn behind_colons(tokens: &[TokenTree], at: usize) -> Option<usize> {
    let colon = |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == ':');
    (colon(at) && colon(at + 1) && at + 2 < tokens.len()).then_some(at + 2)
}

/// The first name of a path that goes on here; of each path in a group.
fn firsts(base: &[String], token: &TokenTree, names: &mut Vec<String>) {
    match (base, token) {
        ([first, ..], _) => names.push(first.clone()),
        ([], TokenTree::Ident(ident)) => names.push(ident.to_string()),
        ([], TokenTree::Group(group)) => {
            let tokens: Vec<_> = group.stream().into_iter().collect();
            let begins =
                |at: usize| at == 0 || matches!(&tokens[at - 1], TokenTree::Punct(punct) if punct.as_char() == ',');
            let heads = tokens.iter().enumerate().filter(|(at, _)| begins(*at));
            names.extend(heads.filter_map(|(_, token)| match token {
                TokenTree::Ident(ident) => Some(ident.to_string()),
                _ => None,
            }));
        }
        _ => {}
    }
}

#[test]
fn a_folder_uses_only_earlier_folders() {
    for layers in ALL {
        let mut wrong = Vec::new();
        for (module, source) in layers.files() {
            if layers.root.contains(&module.first().map_or("lib", String::as_str)) {
                continue;
            }
            let forbidden = layers.forbidden(&module, &source);
            if !forbidden.is_empty() {
                wrong.push(format!("`{}` uses {forbidden:?}", module.join("::")));
            }
        }
        assert!(wrong.is_empty(), "not layers before them, in {}:\n{}", layers.source, wrong.join("\n"));
    }
}

/// A guard uses what all guards share, and no other guard. Those that ask people use `approval`.
#[test]
fn a_guard_uses_no_other_guard() {
    let at = |name: &str| GUARDS.order.iter().position(|layer| *layer == name).unwrap();
    let guards = &GUARDS.order[at("sizes")..at("kit")];
    let mut wrong = Vec::new();
    for (module, source) in GUARDS.files() {
        let Some(guard) = module.first().filter(|name| guards.contains(&name.as_str())) else { continue };
        let others = used(&module, &source).into_iter();
        let others = others.filter(|name| name != guard && name != "approval" && guards.contains(&name.as_str()));
        wrong.extend(others.map(|name| format!("`{}` uses `{name}`", module.join("::"))));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_folder_is_a_layer() {
    for layers in ALL {
        let mut folders: Vec<_> =
            layers.files().into_iter().filter_map(|(module, _)| module.into_iter().next()).collect();
        folders.sort();
        folders.dedup();
        folders.retain(|folder| !layers.root.contains(&folder.as_str()));
        let mut expected: Vec<_> = layers.order.iter().map(|&layer| layer.to_owned()).collect();
        expected.sort();
        assert_eq!(folders, expected, "{}", layers.source);
    }
}

#[test]
fn each_forbidden_pair_is_found() {
    for (at, layer) in CORE.order.iter().enumerate() {
        for later in CORE.order[at + 1..].iter().chain(&["prelude", "GuardSet"]) {
            let module = [(*layer).to_owned(), "file".to_owned()];
            let sources = [
                format!("use crate::{later}::Thing;"),
                format!("use crate::{{message::Role, {later}::{{Thing, Other}}}};"),
                format!("fn f() -> crate::{later}::Thing {{ todo() }}"),
                format!("macro_rules! m {{ () => {{ $crate::{later}::Thing }} }}"),
                format!("use super::super::{later}::Thing;"),
                format!("impl super::super::{later}::Thing for u8 {{}}"),
            ];
            for source in sources {
                assert_eq!(
                    CORE.forbidden(&module, &source).iter().filter(|name| name == later).count(),
                    1,
                    "{layer} -> {later}: {source}"
                );
            }
            let in_a_test = format!("#[cfg(test)] mod tests {{ use crate::{later}::Thing; }}");
            assert!(CORE.forbidden(&module, &in_a_test).is_empty());
        }
    }
}

/// What the agent cannot reach, another framework cannot reach either.
#[test]
fn the_agent_uses_the_public_api() {
    let agent = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/exo-rails-agent/src");
    for (module, source) in files(&agent, &[]) {
        assert!(!source.contains("exo_rails::for_macros"), "{}", module.join("::"));
    }
}
