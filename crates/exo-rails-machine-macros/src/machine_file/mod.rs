//! `machine_file!`: reads a DyGram file, reports its mistakes, and makes a type from its machine.

mod expand;
mod input;
mod read;

use std::path::Path;

use proc_macro2::TokenStream;
use syn::Error;

/// Expands the macro. `file` is the file of the call. `None` asks the compiler for it.
pub(crate) fn machine_file(input: TokenStream, file: Option<&Path>) -> TokenStream {
    let expanded = syn::parse2(input).and_then(|input| {
        let read = read::read(&input, file)?;
        Ok(expand::expand(&input, &read))
    });
    expanded.unwrap_or_else(|error: Error| error.to_compile_error())
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests may panic")]
mod tests {
    use super::*;

    fn expanded(files: &[(&str, &str)], call: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let input = format!("::exo_rails_machine; {call}").parse().unwrap();
        let tokens = machine_file(input, Some(&folder.path().join("lib.rs")));
        let root = folder.path().canonicalize().unwrap();
        prettyplease::unparse(&syn::parse2(tokens).unwrap()).replace(&*root.to_string_lossy(), "/project")
    }

    const FLOW: &str = "machine \"Two steps\"\nTask plan { prompt: \"Plan\"; }\nEnd done;\nplan -> done;\n";

    #[test]
    fn a_file_becomes_a_type() {
        let code = expanded(&[("flow.dygram", FLOW)], "/// A flow.\npub struct Flow = \"flow.dygram\";");
        for part in [
            "/// A flow.",
            "pub struct Flow;",
            "pub mod flow {",
            "pub struct Plan;",
            "const PATH: &'static str = \"done\";",
            "pub fn machine() -> ::exo_rails_machine::Machine",
            "include_bytes!(\"/project/flow.dygram\")",
        ] {
            assert!(code.contains(part), "{part} is missing in\n{code}");
        }
    }

    #[test]
    fn nodes_get_no_type_if_two_types_would_have_the_same_name() {
        let text = "State idle;\nState Idle;\nState group { State inner; State last; inner -> last; }\n\
                    idle -> Idle;\nIdle -> group;";
        let code = expanded(&[("flow.dygram", text)], "struct Flow = \"flow.dygram\";");
        assert!(!code.contains("struct Idle") && code.contains("pub struct GroupInner;"), "{code}");
        assert!(code.contains("const PATH: &'static str = \"group.inner\""), "{code}");
    }

    #[test]
    fn imported_files_are_watched() {
        let files = [
            ("main.dygram", "import { plan } from \"./lib/plan.dygram\"\nState idle;\nidle -> plan;"),
            ("lib/plan.dygram", "Task plan { prompt: \"Plan\"; }"),
        ];
        let code = expanded(&files, "struct Flow = \"main.dygram\";");
        assert!(code.contains("include_bytes!(\"/project/main.dygram\")"), "{code}");
        assert!(code.contains("include_bytes!(\"/project/lib/plan.dygram\")"), "{code}");
    }

    #[test]
    fn each_mistake_is_one_error_with_the_text_of_the_file() {
        let text = "Task plan { prompt: \"Plan {{nothing.here}}\"; }\nEnd done;\nplan -> done;\nplan -> don;\n";
        let strict = expanded(&[("flow.dygram", text)], "struct Flow = \"flow.dygram\", strict;");
        assert!(strict.matches("compile_error!").count() >= 2, "{strict}");
        assert!(strict.contains("flow.dygram:4:9") && strict.contains("done"), "{strict}");
        assert!(strict.contains("flow.dygram:1:"), "{strict}");
    }

    #[test]
    fn mistakes_in_the_call_are_reported() {
        let table = [
            ("struct Flow = \"none.dygram\";", "cannot read `none.dygram`"),
            ("struct Flow = \"flow.dygram\", strictly;", "write `strict`, or nothing after the path"),
            ("struct Flow = 3;", "write the path of a DyGram file, such as \\\"flow.dygram\\\""),
            ("struct Flow;", "write `= \\\"flow.dygram\\\"` after the name"),
            ("struct Flow = \"/flow.dygram\";", "write a path that is relative to this file"),
            ("enum Flow = \"flow.dygram\";", "a machine is a struct: write"),
            ("struct Flow = \"flow.dygram\"; struct Other = \"flow.dygram\";", "write one machine for each call"),
        ];
        for (call, message) in table {
            let code = expanded(&[("flow.dygram", FLOW)], call);
            assert!(code.contains("compile_error!") && code.contains(message), "{call}: {code}");
        }
    }
}
