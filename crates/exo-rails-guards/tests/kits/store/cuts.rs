//! Guards on a Redis whose connections break in the middle: before a command, or before its answer.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use exo_rails::prelude::*;
use exo_rails_guards::Kit;
use exo_rails_guards::store::RedisStore;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::store::redis_server::{PASSWORD, shared};

/// Starts a proxy to the server that cuts each connection after some messages. Returns its port.
async fn proxy(server: u16, seed: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        let next = AtomicUsize::new(seed);
        while let Ok((client, _)) = listener.accept().await {
            // Enough for the beginning of a connection, and then a different number each time.
            let messages = 6 + next.fetch_add(7, Ordering::Relaxed) % 23;
            tokio::spawn(pass(client, server, messages));
        }
    });
    port
}

async fn pass(mut client: TcpStream, server: u16, messages: usize) {
    let mut server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
    let (mut asked, mut answered) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    for _ in 0..messages {
        tokio::select! {
            Ok(length) = client.read(&mut asked) => {
                if length == 0 || server.write_all(&asked[..length]).await.is_err() {
                    return;
                }
            }
            Ok(length) = server.read(&mut answered) => {
                if length == 0 || client.write_all(&answered[..length]).await.is_err() {
                    return;
                }
            }
        }
    }
}

/// Four processes make calls. Returns how many tools have run, and how many calls had a fault.
async fn run(kit: &str, deployment: &str, server: u16) -> (u32, u32) {
    let (ran, faults) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let mut tasks = Vec::new();
    for process in 0..4 {
        let port = proxy(server, process).await;
        let store = RedisStore::open(&format!("redis://:{PASSWORD}@127.0.0.1:{port}/0"), deployment).unwrap();
        let kit = Arc::new(Kit::builder().store(store).from_toml(kit).unwrap());
        for _ in 0..2 {
            let (kit, ran, faults) = (Arc::clone(&kit), Arc::clone(&ran), Arc::clone(&faults));
            tasks.push(tokio::spawn(async move {
                for _ in 0..30 {
                    let tool = |_| async {
                        ran.fetch_add(1, Ordering::SeqCst);
                        Ok::<_, OperationError>(ToolOutput::text("done"))
                    };
                    let mut ctx = RunContext::new("desk");
                    let result = kit.guard_tool_call(ToolCallInputs::new("send"), &mut ctx, tool).await;
                    faults.fetch_add(u32::from(result.is_err()), Ordering::SeqCst);
                }
            }));
        }
    }
    for task in tasks {
        task.await.unwrap();
    }
    (ran.load(Ordering::SeqCst), faults.load(Ordering::SeqCst))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_limit_is_passed_when_connections_break() {
    let Some(server) = shared() else { return };
    for (number, kit) in [
        "[[budgets]]\nlimits = [{ name = 'b', of = 'tool_calls', most = 20, per = 'global' }]",
        "[[rate_limits]]\nlimits = [{ name = 'r', of = 'tool_calls', calls = 20, every = 'day', per = 'global' }]",
        "[sequence]\nrules = ['at most 20 send per global']",
        "[sequence]\nrules = ['at most 20 send within 1h per global']",
    ]
    .into_iter()
    .enumerate()
    {
        let (ran, faults) = run(kit, &format!("cuts-{number}"), server.port).await;
        // A reservation whose answer was lost keeps its place until it expires.
        assert!((5..=20).contains(&ran), "{kit}: {ran}");
        // The store repeats reservations, and nothing else that changes something.
        assert!(kit.contains("budgets") || faults > 0, "{kit}");
    }
}
