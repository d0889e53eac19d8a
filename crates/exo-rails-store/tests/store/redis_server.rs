//! A real `redis-server` for the tests.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use exo_rails_store::RedisStore;

pub(crate) const PASSWORD: &str = "s3cret-of-the-test";

pub(crate) struct Server {
    /// A shell that ends the server when its input ends: also if the test is killed.
    _shell: Child,
    pub(crate) port: u16,
    pub(crate) pid: u32,
}

/// The server that the tests share. `None` if the machine has no `redis-server`.
pub(crate) fn shared() -> Option<&'static Server> {
    static SERVER: OnceLock<Option<Server>> = OnceLock::new();
    SERVER.get_or_init(Server::start).as_ref()
}

impl Server {
    /// Starts a server on a free port of the loopback.
    pub(crate) fn start() -> Option<Self> {
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            // Not `eprintln!`: the output of tests that pass is hidden.
            let _ = writeln!(std::io::stderr(), "SKIPPED: there is no `redis-server`, so `RedisStore` was not tested");
            return None;
        }
        // Another program may take the port before the server does.
        Some((0..10).find_map(|_| Self::start_at(free_port())).expect("redis-server does not start"))
    }

    /// Starts a server on a port. `None` if it ends at once.
    pub(crate) fn start_at(port: u16) -> Option<Self> {
        let folder = std::env::temp_dir();
        let script = format!(
            "redis-server --bind 127.0.0.1 --port {port} --requirepass {PASSWORD} --save '' --appendonly no --dir {} \
             > /dev/null & echo $!; read end; kill $! 2> /dev/null",
            folder.display()
        );
        let mut shell =
            Command::new("sh").arg("-c").arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(shell.stdout.take().unwrap()), &mut line).unwrap();
        let server = Self { _shell: shell, port, pid: line.trim().parse().unwrap() };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            thread::sleep(Duration::from_millis(10));
        }
        None
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://:{PASSWORD}@127.0.0.1:{}/0", self.port)
    }

    pub(crate) fn open(&self, deployment: &str) -> RedisStore {
        RedisStore::open(&self.url(), deployment).unwrap()
    }

    /// Sends a signal to the server.
    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid.to_string();
        assert!(Command::new("kill").args(["-s", name, &pid]).status().unwrap().success());
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The name of a deployment that no other test uses, also in other processes.
pub(crate) fn unique_name() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("exo-rails-test-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}
