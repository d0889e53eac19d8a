//! Checkpoints in a directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use exo_rails::OperationError;
use serde::{Deserialize, Serialize};

use super::checkpoints::Checkpoints;
use super::suspended::SuspendedRun;

/// Saves runs in a directory, each as a JSON file with the name of the run.
///
/// A record takes the place of the one before it in one step, and is on the disk before the tool runs. Several programs may
/// use the directory at once: it has a lock. Only the owner may read the files.
///
/// ```
/// use exo_rails_agent::{Agent, FileCheckpoints, ScriptedModel};
///
/// # async fn f(model: ScriptedModel) -> Result<(), Box<dyn std::error::Error>> {
/// let checkpoints = FileCheckpoints::open("runs")?;
/// let agent = Agent::builder("support", model).checkpoints(checkpoints.clone()).build();
/// // When the program begins: what the last one has left.
/// for run in checkpoints.load_all()? {
///     if run.questions().next().is_none() && run.unknown_calls().next().is_none() {
///         agent.run(run).await?;
///     }
/// }
/// # Ok(()) }
/// ```
#[derive(Clone, Debug)]
pub struct FileCheckpoints {
    directory: PathBuf,
}

impl FileCheckpoints {
    /// Checkpoints in this directory, which is made when it is not there.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(directory: impl Into<PathBuf>) -> io::Result<Self> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(Self { directory })
    }

    /// The run with this name, when it is saved.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn load(&self, run_id: &str) -> io::Result<Option<SuspendedRun>> {
        read(&self.file(run_id))
    }

    /// All runs that are saved, sorted by the names of their files.
    ///
    /// # Errors
    /// When a record cannot be read.
    pub fn load_all(&self) -> io::Result<Vec<SuspendedRun>> {
        let mut files: Vec<_> = fs::read_dir(&self.directory)?
            .map(|entry| Ok(entry?.path()))
            .filter(|path| {
                path.as_ref().is_ok_and(|path| path.extension().is_some_and(|end| end == "json")) || path.is_err()
            })
            .collect::<io::Result<_>>()?;
        files.sort();
        // One that is removed meanwhile is not there any more.
        files.iter().filter_map(|file| read(file).transpose()).collect()
    }

    fn file(&self, run_id: &str) -> PathBuf {
        self.directory.join(format!("{}.json", file_name(run_id)))
    }

    /// Waits until no other program writes in the directory.
    fn lock(&self) -> io::Result<File> {
        let lock = OpenOptions::new().create(true).append(true).open(self.directory.join("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    fn write(&self, run: &SuspendedRun) -> Result<(), OperationError> {
        let _lock = self.lock()?;
        let file = self.file(&run.context.run_id);
        run.ensure_follows(read::<Revision>(&file)?.map(|saved| saved.revision))?;
        let new = file.with_extension("new");
        let mut record = private(&new)?;
        record.write_all(&serde_json::to_vec(run)?)?;
        record.sync_all()?;
        fs::rename(&new, &file)?;
        sync_directory(&self.directory)?;
        Ok(())
    }

    fn delete(&self, run_id: &str, revision: u64) -> Result<(), OperationError> {
        let _lock = self.lock()?;
        let file = self.file(run_id);
        if read::<Revision>(&file)?.is_some_and(|saved| saved.revision == revision) {
            fs::remove_file(file)?;
        }
        Ok(())
    }
}

impl Checkpoints for FileCheckpoints {
    async fn save(&self, run: SuspendedRun) -> Result<(), OperationError> {
        let this = self.clone();
        blocking(move || this.write(&run)).await
    }

    async fn remove(&self, run_id: &str, revision: u64) -> Result<(), OperationError> {
        let (this, run_id) = (self.clone(), run_id.to_owned());
        blocking(move || this.delete(&run_id, revision)).await
    }
}

async fn blocking(write: impl FnOnce() -> Result<(), OperationError> + Send + 'static) -> Result<(), OperationError> {
    tokio::task::spawn_blocking(write).await.map_err(io::Error::from)?
}

/// What a record says of its age.
#[derive(Serialize, Deserialize)]
struct Revision {
    #[serde(default)]
    revision: u64,
}

/// The record in this file. `None` when the file does not exist.
fn read<T: serde::de::DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    match fs::read(file) {
        Ok(text) => {
            let failed = |error| io::Error::other(format!("`{}` is not a record of a run: {error}", file.display()));
            serde_json::from_slice(&text).map(Some).map_err(failed)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A new file that only its owner may read.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// The new name of a file is on the disk when its directory is. Not every system can open one.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// The name of a run as the name of a file: what could mean something else in a path is written as its number.
fn file_name(run_id: &str) -> String {
    let written = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    run_id.bytes().map(written).collect()
}
