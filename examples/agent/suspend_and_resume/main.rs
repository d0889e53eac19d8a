//! Suspends a run, kills the process, and resumes the run in another process. It does this twice: while a person decides,
//! and while a tool runs. At the end, there is exactly one payment.
//!
//! The program starts itself three times, like a server that restarts: see [`support`]. Between two starts, the program
//! kills the process. Then only the record on the disk is left of the run.

mod clerk;

use std::error::Error;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use exo_rails::RunContext;
use exo_rails::ToolOutput;
use exo_rails_agent::{FileCheckpoints, Resolution, SuspendedRun};

type Result<T> = std::result::Result<T, Box<dyn Error>>;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => three_processes(),
        ["support", directory] => support(Path::new(directory), None).await,
        ["support", directory, answer] => support(Path::new(directory), Some(answer)).await,
        _ => Err("this example takes no arguments".into()),
    }
}

/// Plays a server. It continues the run that the last process left, or begins one.
async fn support(directory: &Path, answer: Option<&str>) -> Result<()> {
    let checkpoints = FileCheckpoints::open(directory.join("runs"))?;
    let agent = clerk::agent(checkpoints.clone(), directory);
    let result = if let Some(run) = checkpoints.load_all()?.pop().transpose()? {
        agent.run(decided(run, answer, directory)?).await
    } else {
        // The default names are unique only within one process.
        let mut ctx = RunContext::new(agent.name()).with_run_id("ticket-7");
        agent.run_in("Please refund order 7.", &mut ctx).await
    };
    match result {
        Ok(output) => println!("answer: {}", output.text),
        Err(waiting) if waiting.suspended.is_some() => {
            println!("suspended: {waiting}");
            // A server would do other runs now.
            std::future::pending::<()>().await;
        }
        Err(failed) => return Err(failed.into()),
    }
    Ok(())
}

/// Returns the run with the answer of a person, and with the bank's records of a payment that had begun.
fn decided(mut run: SuspendedRun, answer: Option<&str>, directory: &Path) -> Result<SuspendedRun> {
    let questions: Vec<_> = run.questions().map(|open| (open.question.id(), open.question.text.clone())).collect();
    for ((id, text), answer) in questions.iter().zip(answer) {
        println!("answered: {text}: {answer}");
        run.answer(id, answer == "yes")?;
    }
    let unknown: Vec<_> = run.unknown_calls().map(|(number, call)| (number, call.function.name.clone())).collect();
    for (number, tool) in unknown {
        let payments = clerk::payments(directory)?;
        println!("unknown: whether `{tool}` has happened; the bank knows of {} payment", payments.len());
        let happened = payments.last().map(|receipt| Resolution::Returned(ToolOutput::text(receipt.as_str())));
        run.resolve(number, happened.unwrap_or(Resolution::Repeat))?;
    }
    Ok(run)
}

/// Starts the three processes of the server.
fn three_processes() -> Result<()> {
    let directory = std::env::temp_dir().join(format!("exo-rails-suspend-{}", std::process::id()));
    std::fs::create_dir_all(&directory)?;
    let lasts = restarts(&directory);
    let payments = clerk::payments(&directory);
    std::fs::remove_dir_all(&directory)?;
    lasts?;
    let payments = payments?;
    println!("The bank has {} payment: {}", payments.len(), payments.join(", "));
    assert_eq!(payments.len(), 1, "nobody is paid twice");
    Ok(())
}

fn restarts(directory: &Path) -> Result<()> {
    println!("The first process asks, and is killed while a person thinks.");
    kill_after("suspended: ", start(directory, None)?)?;
    println!("The second process has the answer, and is killed while the bank works.");
    kill_after("paid: ", start(directory, Some("yes"))?)?;
    println!("The third process goes on.");
    let mut last = start(directory, None)?;
    read_until("answer: ", &mut last)?;
    last.wait()?;
    Ok(())
}

fn start(directory: &Path, answer: Option<&str>) -> Result<Child> {
    let mut program = Command::new(std::env::current_exe()?);
    program.arg("support").arg(directory).args(answer);
    Ok(program.stdout(Stdio::piped()).spawn()?)
}

/// Kills the process when it has printed this line. The process cannot save anything then.
fn kill_after(line: &str, mut process: Child) -> Result<()> {
    let read = read_until(line, &mut process);
    process.kill()?;
    process.wait()?;
    println!("  (killed)");
    read
}

fn read_until(beginning: &str, process: &mut Child) -> Result<()> {
    let output = process.stdout.take().ok_or("the output is not piped")?;
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("  {line}");
        if line.starts_with(beginning) {
            return Ok(());
        }
    }
    Err(format!("the process has ended without `{beginning}`").into())
}
