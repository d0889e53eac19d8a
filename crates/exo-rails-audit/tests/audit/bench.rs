//! Parts that the tests share.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use exo_rails::NoRails;
use exo_rails::prelude::*;
use exo_rails_audit::{Audit, AuditConfig, Sink};
use serde_json::Value;

/// A sink that a test reads, and that can fail.
#[derive(Clone, Default)]
pub(crate) struct Disk {
    pub(crate) bytes: Arc<Mutex<Vec<u8>>>,
    pub(crate) is_full: Arc<AtomicBool>,
    /// The most bytes that one call writes. 0 means all.
    pub(crate) at_once: Arc<AtomicUsize>,
}

impl Disk {
    pub(crate) fn log(&self) -> Vec<u8> {
        self.bytes.lock().unwrap().clone()
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_full.load(Ordering::SeqCst) {
            return Err(io::ErrorKind::StorageFull.into());
        }
        let most = match self.at_once.load(Ordering::SeqCst) {
            0 => bytes.len(),
            most => most.min(bytes.len()),
        };
        self.bytes.lock().unwrap().extend_from_slice(&bytes[..most]);
        Ok(most)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for Disk {}

pub(crate) fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Dispatches a tool call with this name, which continues.
pub(crate) async fn call(audit: &Audit, name: &str) {
    dispatch(audit, name).await.unwrap();
}

pub(crate) async fn dispatch(audit: &Audit, name: &str) -> Result<(), RailFault> {
    let rails = audit.wrap(NoRails);
    let mut ctx = RunContext::new("desk").with_run_id("run-1");
    let decision = rails.dispatch::<PreToolCall>(&mut ToolCallInputs::new(name), &mut ctx).await?;
    assert!(decision.is_continue());
    Ok(())
}

/// Writes a log with these calls to a folder.
pub(crate) fn write_log(config: AuditConfig, path: &Path, calls: &[&str]) {
    runtime().block_on(async {
        let audit = Audit::new(config.path(path)).unwrap();
        for name in calls {
            call(&audit, name).await;
        }
        audit.close().await.unwrap();
    });
}

/// Returns the lines of a log as JSON.
pub(crate) fn lines(log: &[u8]) -> Vec<Value> {
    let text = String::from_utf8_lossy(log);
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the number of newlines.
pub(crate) fn newlines(bytes: &[u8]) -> usize {
    bytes.split(|byte| *byte == b'\n').count() - 1
}
