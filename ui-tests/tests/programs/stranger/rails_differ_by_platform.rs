//! What it shows: `#[cfg]` on the rail of a function, on whole `impl` blocks of one type, on the entries of a chain, and on the
//! fields of its value.

use exo_rails::prelude::*;
use exo_rails::testing;

#[cfg(unix)]
#[rail(priority = 10, on = [PreToolCall])]
fn no_system_files(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("path").is_some_and(|path| path.starts_with("/etc")), "a system file")
}

#[cfg(not(unix))]
#[rail(priority = 10, on = [PreToolCall])]
fn no_system_files(call: &ToolCallInputs) -> Verdict {
    Verdict::abort_if(call.str_argument("path").is_some_and(|path| path.starts_with("C:\\Windows")), "a system file")
}

struct Separator {
    most: usize,
}

#[cfg(unix)]
#[rail(priority = 20)]
impl Separator {
    #[on(PreToolCall)]
    fn depth(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.str_argument("path").is_some_and(|path| path.matches('/').count() > self.most), "too deep")
    }
}

#[cfg(not(unix))]
#[rail(priority = 20)]
impl Separator {
    #[on(PreToolCall)]
    fn depth(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.str_argument("path").is_some_and(|path| path.matches('\\').count() > self.most), "too deep")
    }
}

#[cfg(windows)]
struct Registry;

#[cfg(windows)]
#[rail]
impl Registry {
    #[on(PreToolCall)]
    fn key(&self, call: &ToolCallInputs) -> Verdict {
        Verdict::abort_if(call.tool_name == "write_key", "no keys")
    }
}

rail_chain! {
    struct FileRails {
        #[cfg(windows)]
        registry: Registry,
        separator: Separator,
        no_system_files,
    }
}

fn rails() -> FileRails {
    FileRails {
        #[cfg(windows)]
        registry: Registry,
        separator: Separator { most: 3 },
    }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() {
    let read = |path: &str| ToolCallInputs::new("read").with_arguments(serde_json::json!({ "path": path }));
    let system = if cfg!(unix) { "/etc/passwd" } else { "C:\\Windows\\win.ini" };
    let deep = if cfg!(unix) { "a/b/c/d/e" } else { "a\\b\\c\\d\\e" };
    testing::at::<PreToolCall>(&rails(), read(system)).await.assert_by("no_system_files");
    testing::at::<PreToolCall>(&rails(), read(deep)).await.assert_aborted("too deep");
    testing::at::<PreToolCall>(&rails(), read("notes.txt")).await.assert_continued();
}
