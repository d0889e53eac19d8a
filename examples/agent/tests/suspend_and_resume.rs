//! Runs the example `suspend_and_resume` as a user does, and checks its output.

const PRINTED: &str = "\
The first process asks, and is killed while a person thinks.
  suspended: rail `approval` suspended the run at pre_tool_call: approve the refund
  (killed)
The second process has the answer, and is killed while the bank works.
  answered: approve the refund: yes
  paid: order 7, and the bank takes its time to confirm it
  (killed)
The third process goes on.
  unknown: whether `refund` has happened; the bank knows of 1 payment
  answer: The money is on its way: receipt for order 7.
The bank has 1 payment: receipt for order 7
";

#[test]
fn a_run_survives_two_kills_and_pays_once() -> std::io::Result<()> {
    let output = examples_agent::command("suspend_and_resume")?.output()?;
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(String::from_utf8_lossy(&output.stdout), PRINTED);
    Ok(())
}
