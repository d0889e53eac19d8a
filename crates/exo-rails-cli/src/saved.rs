//! What is saved about an execution: its state, its history and its log.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use exo_rails::OperationError;
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{Checkpoint, History, HistoryStep, JsonLines, MachineState, StateFile, StateSink, Status};

use crate::arguments::RecordOptions;
use crate::failure::Failure;

/// The value of a state that counts the turns of the script.
const TURNS: &str = "scriptTurns";

/// The files of an execution.
pub(crate) struct Files {
    pub(crate) state: PathBuf,
    history: PathBuf,
    log: Option<PathBuf>,
}

impl Files {
    pub(crate) fn of(machine: &Path, options: &RecordOptions) -> Self {
        let state = options.state.clone().unwrap_or_else(|| {
            let mut name = machine.as_os_str().to_owned();
            name.push(".state.json");
            name.into()
        });
        Self { state, history: options.history.clone(), log: options.log.clone() }
    }

    /// Returns the state that an execution left behind.
    pub(crate) fn load(&self) -> Result<Option<MachineState>, Failure> {
        let state = StateFile::new(&self.state).load();
        state.map_err(|error| Failure::Usage(format!("{error}; `--restart` begins again without it")))
    }

    /// Returns the state that an execution left behind, if it should not be forgotten.
    pub(crate) fn load_unfinished(&self) -> Result<Option<MachineState>, Failure> {
        Ok(self.load()?.filter(|state| !matches!(state.status(), Status::Completed | Status::Error)))
    }

    /// Writes the history. Removes the state of a machine that has ended.
    pub(crate) fn end(&self, history: &History) -> Result<(), Failure> {
        write_json(&self.history, history).map_err(|error| Failure::of_file(&self.history, error))?;
        if history.status == Status::Completed {
            match fs::remove_file(&self.state) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(Failure::of_file(&self.state, error));
                }
                _ => {}
            }
        }
        Ok(())
    }

    pub(crate) fn log(&self) -> Result<Option<Log>, Failure> {
        let Some(path) = &self.log else { return Ok(None) };
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| Failure::of_file(path, error))?;
        Ok(Some(Log { path: path.clone(), lines: Arc::new(JsonLines::new(file)), error: Arc::default() }))
    }
}

/// Returns the state in a file, such as that of a checkpoint.
pub(crate) fn load(file: &Path) -> Result<MachineState, Failure> {
    let state = StateFile::new(file).load().map_err(|error| Failure::Usage(error.to_string()))?;
    state.ok_or_else(|| Failure::Usage(format!("there is no file `{}`", file.display())))
}

/// Writes a file as a whole: after a crash, the old file or the new one is there.
fn write_json(path: &Path, history: &History) -> io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".new");
    let mut file = File::create(&name)?;
    file.write_all(&serde_json::to_vec_pretty(history)?)?;
    file.write_all(b"\n")?;
    fs::rename(&name, path)
}

/// The log of the steps.
#[derive(Clone)]
pub(crate) struct Log {
    path: PathBuf,
    lines: Arc<JsonLines<File>>,
    error: Arc<Mutex<Option<io::Error>>>,
}

impl Log {
    pub(crate) fn write(&self, step: &HistoryStep) {
        if let Err(error) = self.lines.write(step) {
            self.error.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        }
    }

    /// Returns the first error of a write.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let error = self.error.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.map_or(Ok(()), |error| Err(Failure::of_file(&self.path, error)))
    }
}

/// Saves states with the place in the script.
pub(crate) struct ScriptedFile {
    pub(crate) file: StateFile,
    pub(crate) script: Option<Arc<ScriptedModel>>,
}

impl StateSink for ScriptedFile {
    async fn save(&self, mut state: MachineState) -> Result<(), OperationError> {
        keep_turns(&mut state, self.script.as_deref());
        self.file.save(state).await
    }

    async fn keep(&self, mut checkpoint: Checkpoint) -> Result<(), OperationError> {
        keep_turns(&mut checkpoint.state, self.script.as_deref());
        self.file.keep(checkpoint).await
    }
}

/// Keeps the place in the script with the state.
pub(crate) fn keep_turns(state: &mut MachineState, script: Option<&ScriptedModel>) {
    if let Some(script) = script {
        state.program_values_mut().insert(TURNS.to_owned(), script.taken().into());
    }
}

/// Returns how many turns of its script a saved execution has taken.
pub(crate) fn turns(state: Option<&MachineState>) -> usize {
    let turns = state.and_then(|state| state.program_values().get(TURNS)).and_then(serde_json::Value::as_u64);
    turns.and_then(|turns| usize::try_from(turns).ok()).unwrap_or_default()
}
