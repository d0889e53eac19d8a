//! What it shows: a machine in a module of a module, re-exported with its nodes, which another module turns into states of its own.
use exo_rails_agent::ScriptedModel;
use exo_rails_machine::{BuildError, Executor, Node};

mod flows {
    mod visa {
        use exo_rails_machine::machine;
        use serde::{Deserialize, Serialize};

        #[derive(Serialize, Deserialize)]
        pub struct Application {
            pub country: String,
            pub days: u16,
        }

        impl Application {
            pub fn new(country: &str, days: u16) -> Self {
                Self { country: country.to_owned(), days }
            }
        }

        machine! {
            pub machine VisaDesk {
                context application: Application;

                init Received {
                    reads application;
                    -> Granted when application.days <= 30 && application.country != "Atlantis";
                    -> Refused when application.country == "Atlantis";
                    -> Interview;
                }
                end Granted;
                end Refused;
                end Interview;
            }
        }
    }

    pub use visa::{Application, VisaDesk, visa_desk as nodes};
}

use flows::{Application, VisaDesk, nodes};

#[derive(Debug, PartialEq)]
enum Outcome {
    Granted,
    Refused,
    Interview,
}

impl Outcome {
    fn of(path: &str) -> Option<Self> {
        match path {
            nodes::Granted::PATH => Some(Self::Granted),
            nodes::Refused::PATH => Some(Self::Refused),
            nodes::Interview::PATH => Some(Self::Interview),
            _ => None,
        }
    }
}

fn executor(application: Application) -> Result<Executor<ScriptedModel>, BuildError> {
    let model = "[]".parse::<ScriptedModel>().expect("the script is empty");
    Executor::builder(VisaDesk::machine(application), model).build()
}

#[tokio::main(flavor = "current_thread")]
pub async fn main() -> Result<(), Box<dyn std::error::Error>> {
    for (country, days, outcome) in
        [("Norway", 10, Outcome::Granted), ("Norway", 90, Outcome::Interview), ("Atlantis", 1, Outcome::Refused)]
    {
        let done = executor(Application::new(country, days))?.run().await?;
        assert_eq!(done.ended_at.first().and_then(|path| Outcome::of(path)), Some(outcome));
    }
    Ok(())
}
