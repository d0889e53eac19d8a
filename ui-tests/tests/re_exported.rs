//! A package that depends on the library only through another package, which re-exports it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;

use ui_tests::Compiler;

const PROGRAM: &str = r#"
use exo_rails as company_rails;

use company_rails::prelude::*;

#[derive(Debug, Provided)]
struct Score;

#[rail(on = [PreToolCall])]
fn log(call: &ToolCallInputs) {
    println!("{}", call.tool_name);
}

rail_chain! {
    pub struct Guards { log }
}

fn main() {
    let _ = (Guards, Score);
}
"#;

/// The errors of the program in a package with these dependencies.
fn errors(dependencies: &str, program: &str) -> Vec<String> {
    let package = tempfile::tempdir().unwrap();
    fs::write(package.path().join("Cargo.toml"), format!("[package]\nname = \"desk\"\n[dependencies]\n{dependencies}"))
        .unwrap();
    let file = package.path().join("desk.rs");
    fs::write(&file, program).unwrap();
    let said = Compiler::new(ui_tests::rustc_args!()).unwrap().check_in(package.path(), &file).unwrap();
    let errors = said.iter().filter(|said| said.is_error());
    errors.map(|error| error.rendered().lines().next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn each_macro_says_once_that_it_needs_the_path() {
    let message = "error: this crate does not depend on `exo-rails`: add the dependency, or name the crate that re-exports it, as in \
        `crate = ::company_rails::exo_rails`";
    assert_eq!(errors("company-rails = \"1\"", PROGRAM), [message; 3]);
}

#[test]
fn a_package_with_the_path_or_the_dependency_compiles() {
    assert!(errors("exo-rails = \"0.1\"", PROGRAM).is_empty());
    assert!(errors("exo-rails.workspace = true", PROGRAM).is_empty());
    let path = "crate = exo_rails";
    let program = PROGRAM
        .replace("#[derive(Debug, Provided)]", &format!("#[derive(Debug, Provided)]\n#[provided({path})]"))
        .replace("on = [PreToolCall]", &format!("on = [PreToolCall], {path}"))
        .replace("    pub struct", &format!("    #[chain({path})]\n    pub struct"));
    assert_eq!(errors("company-rails = \"1\"", &program), [""; 0]);
}
