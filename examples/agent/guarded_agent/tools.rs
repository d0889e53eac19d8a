//! The tools of the agent. They check nothing, because the rails guard them.

use std::io::Error;
use std::path::{Path, PathBuf};

use exo_rails::OperationErrorKind;
use exo_rails::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::fs;

use crate::describe::count;
use crate::workspace::files_below;

/// Makes the tools. Their paths are relative to `root`.
pub(crate) fn all(root: &Path) -> [Tool; 5] {
    [list_files(root), read_file(root), write_file(root), delete_file(root), search(root)]
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFiles {
    #[serde(default)]
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadFile {
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteFile {
    path: PathBuf,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeleteFile {
    path: PathBuf,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Search {
    text: String,
}

fn list_files(root: &Path) -> Tool {
    let root = root.to_owned();
    Tool::new(
        "list_files",
        "Lists the files in a directory and below.",
        texts(&[], &["path"]),
        move |args: ListFiles| {
            let root = root.clone();
            async move {
                let files = files_below(&root.join(args.path))?;
                let names: Vec<_> = files.iter().map(|file| shown(file, &root)).collect();
                Ok::<_, OperationError>(names.join("\n"))
            }
        },
    )
}

/// A larger file does not fit into a conversation.
const LARGEST_FILE: u64 = 64 * 1024;

fn read_file(root: &Path) -> Tool {
    let root = root.to_owned();
    Tool::new("read_file", "Reads a text file.", texts(&["path"], &[]), move |args: ReadFile| {
        let path = root.join(args.path);
        async move {
            let size = fs::metadata(&path).await?.len();
            if size > LARGEST_FILE {
                let message = format!("the file has {size} bytes; at most {LARGEST_FILE} are read");
                return Err(OperationError::new(OperationErrorKind::InvalidRequest, message));
            }
            Ok(fs::read_to_string(&path).await?)
        }
    })
}

fn write_file(root: &Path) -> Tool {
    let root = root.to_owned();
    Tool::new("write_file", "Writes a text file.", texts(&["path", "text"], &[]), move |args: WriteFile| {
        let path = root.join(args.path);
        async move {
            if let Some(directory) = path.parent() {
                fs::create_dir_all(directory).await?;
            }
            fs::write(&path, &args.text).await?;
            Ok::<_, OperationError>(format!("{} written", count(args.text.len(), "byte")))
        }
    })
}

fn delete_file(root: &Path) -> Tool {
    let root = root.to_owned();
    Tool::new("delete_file", "Deletes a file.", texts(&["path"], &[]), move |args: DeleteFile| {
        let path = root.join(args.path);
        async move {
            fs::remove_file(&path).await?;
            Ok::<_, OperationError>("deleted")
        }
    })
}

/// More lines would not help the model to find the right one.
const MOST_LINES: usize = 50;

fn search(root: &Path) -> Tool {
    let root = root.to_owned();
    Tool::new("search", "Finds lines that contain a text.", texts(&["text"], &[]), move |args: Search| {
        let root = root.clone();
        async move {
            let mut found = Vec::new();
            for file in walk(root.clone()).await? {
                found.extend(matches(&file, &root, &args.text).await?);
            }
            found.truncate(MOST_LINES);
            Ok::<_, OperationError>(if found.is_empty() { "nothing found".to_owned() } else { found.join("\n") })
        }
    })
}

/// Returns the lines of a file that contain `text`, with the file and the number of the line.
async fn matches(file: &Path, root: &Path, text: &str) -> Result<Vec<String>, Error> {
    if fs::metadata(file).await?.len() > LARGEST_FILE {
        return Ok(Vec::new());
    }
    let content = fs::read(file).await?;
    let content = String::from_utf8_lossy(&content);
    let lines = content.lines().enumerate().filter(|(_, line)| line.contains(text));
    Ok(lines.map(|(i, line)| format!("{}:{}: {line}", shown(file, root), i + 1)).collect())
}

/// Returns the files below a directory. Does not block the runtime.
async fn walk(directory: PathBuf) -> Result<Vec<PathBuf>, Error> {
    tokio::task::spawn_blocking(move || files_below(&directory)).await?
}

fn shown(file: &Path, root: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).display().to_string()
}

/// Returns the JSON schema of arguments that are all texts.
fn texts(required: &[&str], optional: &[&str]) -> Value {
    let all = required.iter().chain(optional);
    let properties: serde_json::Map<_, _> = all.map(|name| ((*name).to_owned(), json!({ "type": "string" }))).collect();
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
