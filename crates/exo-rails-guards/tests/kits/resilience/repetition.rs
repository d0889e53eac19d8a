//! Answers that repeat themselves, in streams and as a whole.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use exo_rails::prelude::*;
use exo_rails::{ModelDelta, StreamPiece};
use exo_rails_guards::repetition::RepetitionConfig;
use exo_rails_guards::{Repetition, config};
use futures_util::stream;

rail_chain! { struct Rails { repetition: Repetition } }

fn rails(toml: &str) -> Rails {
    Rails { repetition: config::from_toml::<RepetitionConfig>(toml).unwrap().build().unwrap() }
}

/// Streams texts in pieces of this length, one text for each attempt. Returns the answer, what the reader has, and the attempts.
async fn streamed(rails: &Rails, texts: &[String], piece: usize) -> (Result<ModelResponse, RunError>, String, u32) {
    let (shown, attempts) = (Mutex::new(String::new()), AtomicU32::new(0));
    let model = |request: Permit<ModelCallInputs>| {
        attempts.fetch_add(1, Ordering::SeqCst);
        let text = &texts[(request.attempt() as usize).min(texts.len() - 1)];
        let chars: Vec<char> = text.chars().collect();
        let pieces: Vec<_> = chars.chunks(piece).map(|piece| Ok(ModelDelta::Text(piece.iter().collect()))).collect();
        stream::iter::<Vec<Result<_, OperationError>>>(pieces)
    };
    let sink = async |piece| match piece {
        StreamPiece::Text(text) => shown.lock().unwrap().push_str(&text),
        StreamPiece::Restart => shown.lock().unwrap().clear(),
    };
    let mut ctx = RunContext::new("demo");
    let answer = rails.guard_stream(ModelCallInputs::default(), &mut ctx, model, sink).await;
    (answer, shown.into_inner().unwrap(), attempts.into_inner())
}

#[tokio::test]
async fn an_answer_ends_at_the_same_place_for_all_pieces() {
    let rails = rails("");
    let text = format!("Let me see. {}", "I am sorry, für alles. ".repeat(5_000));
    // The first repetition begins with the end of the sentence before.
    for piece in [1, 2, 7, 64, 1_000, 200_000] {
        let (answer, shown, _) = streamed(&rails, std::slice::from_ref(&text), piece).await;
        let answer = answer.unwrap().message.text().into_owned();
        assert_eq!(answer.len(), 2_010, "{piece}");
        assert_eq!(answer, shown, "{piece}");
    }
    // A whole answer is one window.
    let model = |_| async { Ok::<_, OperationError>(ModelResponse::text(text.clone())) };
    let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut RunContext::new("demo"), model).await.unwrap();
    assert_eq!(answer.message.text().len(), 2_010);
}

#[tokio::test]
async fn texts_that_repeat_something_for_a_reason_pass() {
    let table = (0..200).map(|row| format!("| {row} | ok |\n")).collect::<Vec<_>>().concat();
    let numbers = (0..2_000).map(|number| number.to_string()).collect::<Vec<_>>().join(", ");
    let code = "    if (error) {\n        return error;\n    }\n".repeat(10);
    for text in [
        format!("{}\n| a | b |\n|{}|\n{table}", "=".repeat(200), "-".repeat(400)),
        format!("Title\n{}\n{}", "-".repeat(1_000), "*".repeat(1_000)),
        numbers,
        code,
        "0, ".repeat(1_000),
        "ha ".repeat(300),
        "\n".repeat(1_000),
        "la la la, ".repeat(50),
        "        ".repeat(500),
        "a text of some length that is there three times, as in a song.\n".repeat(20),
    ] {
        let (answer, shown, _) = streamed(&rails(""), std::slice::from_ref(&text), 50).await;
        assert_eq!(answer.unwrap().message.text(), text);
        assert_eq!(shown, text);
    }
}

#[tokio::test]
async fn a_repeating_answer_is_retried_once_and_then_ended() {
    let stuck = "no ".repeat(10_000);
    let rails = rails("action = 'retry'");
    let (answer, shown, attempts) = streamed(&rails, &[stuck.clone(), "Fine.".to_owned()], 50).await;
    assert_eq!((answer.unwrap().message.text().as_ref(), shown.as_str(), attempts), ("Fine.", "Fine.", 2));
    let (answer, _, attempts) = streamed(&rails, std::slice::from_ref(&stuck), 50).await;
    assert_eq!((answer.unwrap().message.text().len(), attempts), (2_000, 2));
    let (answer, shown, attempts) = streamed(&super::repetition::rails("action = 'abort'"), &[stuck], 50).await;
    let error = answer.unwrap_err().to_string();
    assert!(error.contains("repetition/answer: the answer repeats a text of 3 bytes 666 times in a row"), "{error}");
    assert!(shown.len() <= 2_000 && attempts == 1);
}

#[tokio::test]
async fn repetition_is_not_counted_across_answers() {
    let rails = rails("");
    let mut ctx = RunContext::new("demo");
    for _ in 0..20 {
        let model = |_| async { Ok::<_, OperationError>(ModelResponse::text("no ".repeat(400))) };
        let answer = rails.guard_llm_call(ModelCallInputs::default(), &mut ctx, model).await.unwrap();
        assert_eq!(answer.message.text().len(), 1_200);
    }
}

#[test]
fn configurations_that_make_no_sense_are_refused() {
    for (toml, message) in [
        ("min_times = 2", "`min_times`: a text may well be there twice: write at least 3"),
        ("min_bytes = 10", "`min_bytes`: 10 bytes are too few to tell a repetition from a text: write at least 64"),
        ("max_unit_bytes = 5000", "`max_unit_bytes`: write a number from 1 to 4096"),
    ] {
        let error = config::from_toml::<RepetitionConfig>(toml).unwrap().build().unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
