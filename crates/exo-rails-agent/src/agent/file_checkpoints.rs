//! Checkpoints in a directory.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use exo_rails::OperationError;
use serde::{Deserialize, Serialize};

use super::checkpoints::Checkpoints;
use super::suspended::SuspendedRun;

/// Saves runs in a directory. Each run is a JSON file, and the name of the file is made from the name of the run.
///
/// A new record replaces the old one atomically. The record is on the disk before the tool runs. Several programs may use
/// the directory at the same time, because each of them locks it to write. On Unix, only the owner may read the files.
///
/// ```
/// use exo_rails_agent::{Agent, FileCheckpoints, ScriptedModel};
///
/// # async fn f(model: ScriptedModel) -> Result<(), Box<dyn std::error::Error>> {
/// let checkpoints = FileCheckpoints::open("runs")?;
/// let agent = Agent::builder("support", model).checkpoints(checkpoints.clone()).build();
/// // When the program begins: resume the runs that the last process left.
/// for run in checkpoints.load_all()? {
///     let run = match run {
///         Ok(run) => run,
///         Err(damaged) => {
///             eprintln!("{damaged}");
///             continue;
///         }
///     };
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
    /// Uses this directory, and creates it if it does not exist.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be created.
    pub fn open(directory: impl Into<PathBuf>) -> io::Result<Self> {
        let directory = directory.into();
        fs::create_dir_all(&directory)?;
        Ok(Self { directory })
    }

    /// Returns the saved run with this name, or `None` if there is none.
    ///
    /// # Errors
    /// Returns an error if the record cannot be read.
    pub fn load(&self, run_id: &str) -> io::Result<Option<SuspendedRun>> {
        read(&self.file(run_id))
    }

    /// Returns all saved runs, sorted by the names of their files. A record that cannot be read is an error in the list, which names
    /// the file: the other runs do not depend on it.
    ///
    /// # Errors
    /// Returns an error if the directory cannot be read.
    pub fn load_all(&self) -> io::Result<Vec<io::Result<SuspendedRun>>> {
        let mut files: Vec<_> = fs::read_dir(&self.directory)?
            .map(|entry| Ok(entry?.path()))
            .filter(|path| {
                path.as_ref().is_ok_and(|path| path.extension().is_some_and(|end| end == "json")) || path.is_err()
            })
            .collect::<io::Result<_>>()?;
        files.sort();
        // Another program may remove a file in the meantime. The list then lacks that run.
        Ok(files.iter().filter_map(|file| read(file).transpose()).collect())
    }

    fn file(&self, run_id: &str) -> PathBuf {
        self.directory.join(format!("{}.json", file_name(run_id)))
    }

    /// Locks the directory. Waits while someone else writes there.
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

/// The revision of a record, without the rest of the record.
#[derive(Serialize, Deserialize)]
struct Revision {
    #[serde(default)]
    revision: u64,
}

/// Reads the record in this file. Returns `None` if the file does not exist.
fn read<T: serde::de::DeserializeOwned>(file: &Path) -> io::Result<Option<T>> {
    match fs::read(file) {
        Ok(text) => {
            let failed = |error| io::Error::other(format!("`{}` is not a record of a run: {error}", file.display()));
            serde_json::from_slice(&text).map(Some).map_err(failed)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io::Error::new(error.kind(), format!("`{}` cannot be read: {error}", file.display()))),
    }
}

/// Creates a file. On Unix, only its owner may read the file.
fn private(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Writes a directory to the disk. The new name of a file is on the disk only when its directory is. Outside of Unix, a
/// program may be unable to open a directory, so this does nothing there.
fn sync_directory(directory: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

/// Turns the name of a run into the name of a file. Characters that could have another meaning in a path become numbers.
fn file_name(run_id: &str) -> String {
    let written = |byte: u8| match byte {
        b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' => char::from(byte).to_string(),
        _ => format!("%{byte:02x}"),
    };
    run_id.bytes().map(written).collect()
}
