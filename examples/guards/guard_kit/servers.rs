//! HTTP servers on the loopback: the shop's own one, an internal one that no agent should reach, and services with troubles.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::routing::get;
use tokio::net::TcpListener;
use tokio::task::JoinSet;

use crate::Result;

/// The servers of one run. They count the requests that reach them.
pub(crate) struct Servers {
    pub(crate) shop: Server,
    pub(crate) internal: Server,
    /// Fails each time.
    pub(crate) stock: Server,
    /// Fails the first time.
    pub(crate) export: Server,
    /// Takes its time.
    pub(crate) printer: Server,
    /// Never answers.
    pub(crate) parcels: Server,
    /// They end with the run.
    _tasks: JoinSet<()>,
}

/// What a server does.
#[derive(Clone, Copy)]
enum Service {
    Says(&'static str),
    Fails,
    FailsOnce,
    Slow,
    Silent,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    requests: AtomicUsize,
    running: AtomicUsize,
    most_at_once: AtomicUsize,
}

impl Servers {
    pub(crate) async fn start() -> Result<Self> {
        let mut tasks = JoinSet::new();
        Ok(Self {
            shop: Server::start(Service::Says("prices"), &mut tasks).await?,
            internal: Server::start(Service::Says("credentials"), &mut tasks).await?,
            stock: Server::start(Service::Fails, &mut tasks).await?,
            export: Server::start(Service::FailsOnce, &mut tasks).await?,
            printer: Server::start(Service::Slow, &mut tasks).await?,
            parcels: Server::start(Service::Silent, &mut tasks).await?,
            _tasks: tasks,
        })
    }
}

impl Server {
    async fn start(service: Service, tasks: &mut JoinSet<()>) -> Result<Self> {
        let counts = Arc::<Counts>::default();
        let counter = Arc::clone(&counts);
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let router = Router::new().fallback(get(move || answer(service, Arc::clone(&counter))));
        // A server never returns.
        tasks.spawn(async move { drop(axum::serve(listener, router).await) });
        Ok(Self { port, counts })
    }

    pub(crate) fn requests(&self) -> usize {
        self.counts.requests.load(Ordering::Relaxed)
    }

    /// Returns the most requests that have run at the same time.
    pub(crate) fn most_at_once(&self) -> usize {
        self.counts.most_at_once.load(Ordering::Relaxed)
    }
}

async fn answer(service: Service, counts: Arc<Counts>) -> (StatusCode, &'static str) {
    let earlier = counts.requests.fetch_add(1, Ordering::Relaxed);
    let running = counts.running.fetch_add(1, Ordering::Relaxed) + 1;
    counts.most_at_once.fetch_max(running, Ordering::Relaxed);
    let answer = match service {
        Service::Says(text) => (StatusCode::OK, text),
        Service::FailsOnce if earlier > 0 => (StatusCode::OK, "1042 sent\n"),
        Service::Fails | Service::FailsOnce => (StatusCode::SERVICE_UNAVAILABLE, "try later"),
        Service::Slow => {
            tokio::time::sleep(Duration::from_millis(100)).await;
            (StatusCode::OK, "printed")
        }
        Service::Silent => std::future::pending().await,
    };
    counts.running.fetch_sub(1, Ordering::Relaxed);
    answer
}
