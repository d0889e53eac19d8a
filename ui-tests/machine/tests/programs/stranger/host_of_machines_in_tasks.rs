//! What it shows: a host with generic rails shares one executor, and tasks own the futures of its runs.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails::{NoRails, ServesOperation};
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{BuildError, Executor, Node, PreTransition, Transition, TransitionRequest, machine};
use tokio::task::JoinHandle;

machine! {
    machine Lift {
        init Ground { -> First; }
        state First { -> Second; }
        end Second;
    }
}

struct Host<R = NoRails> {
    executor: Arc<Executor<ScriptedModel, R>>,
}

impl<R: GuardSet + ServesOperation<Transition> + 'static> Host<R> {
    fn new(rails: R) -> Result<Self, BuildError> {
        let model = "[]".parse::<ScriptedModel>().expect("the script is empty");
        Ok(Self { executor: Arc::new(Executor::builder(Lift::machine(), model).rails(rails).build()?) })
    }

    fn ride(&self) -> JoinHandle<Result<Vec<String>, String>> {
        let executor = Arc::clone(&self.executor);
        tokio::spawn(async move {
            let done = executor.run().await.map_err(|stopped| stopped.to_string())?;
            Ok(done.ended_at)
        })
    }
}

struct Doors(AtomicU32);

#[rail(priority = 20)]
impl Doors {
    #[on(PreTransition)]
    fn close(&self, request: &TransitionRequest) {
        assert!(request.is_automatic);
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

rail_chain! {
    #[chain(operations = [Transition])]
    struct LiftRails { doors: Arc<Doors> }
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let doors = Arc::new(Doors(AtomicU32::new(0)));
    let host = Host::new(LiftRails { doors: Arc::clone(&doors) })?;
    let rides = [host.ride(), host.ride()];
    drop(host);
    for ride in rides {
        assert_eq!(ride.await??, [lift::Second::PATH]);
    }
    assert_eq!(doors.0.load(Ordering::Relaxed), 4);
    assert_eq!(Host::new(NoRails)?.ride().await??, ["Second"]);
    Ok(())
}
