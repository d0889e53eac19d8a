use std::sync::LazyLock;

use exo_rails_guards::Kit;
use proptest::prelude::*;

use crate::content::{kit, output, streamed};

const FILTERS: &str = "[content]
    blocked_phrases = ['hack into', 'all rules']
    patterns = [{ name = 't', level = 'high', regex = 'ticket-[0-9]+2' }]";

/// Pieces of texts in which hidden characters and words meet.
fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "a",
        "B",
        " ",
        "\n",
        "é",
        "я",
        "م",
        "م\u{200c}",
        "क्",
        "👩",
        "🏴",
        "❤",
        "1",
        "葛",
        "ก",
        "\u{200b}",
        "\u{200c}",
        "\u{200d}",
        "\u{fe0f}",
        "\u{e0100}",
        "\u{e0067}",
        "\u{e007f}",
        "\u{202e}",
        "\u{2066}",
        "\u{2069}",
        "\u{200e}",
        "\u{ad}",
        "\u{2060}",
        "\u{feff}",
        "\u{1b}",
        "\u{1b}[31m",
        "\u{1b}]0;x\u{7}",
        "\u{1b}]",
        "\u{7}",
        "[0m",
        "\u{9b}",
        "hack",
        "into",
        "h a c k",
        "ignore",
        "all",
        "previous",
        "instructions",
        "i\u{200b}nto",
        "іnto",
        "rules",
        "<|im_",
        "start|>",
        "TICKET-1",
        "2",
    ]);
    prop::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

/// Returns the characters that are visible, or part of what a terminal shows.
fn visible(text: &str) -> String {
    let letters = |c: &char| c.is_alphanumeric() && !matches!(c, '\u{e0100}'..='\u{e01ef}');
    text.replace("\u{1b}[31m", "").replace("\u{1b}]0;x\u{7}", "").chars().filter(letters).collect()
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]
    #[test]
    fn stripping_keeps_letters_and_a_second_pass_changes_nothing(text in texts()) {
        static KIT: LazyLock<Kit> = LazyLock::new(|| kit("[injection]\nsources = []"));
        let once = run(output(&KIT, &text)).0;
        prop_assert_eq!(&run(output(&KIT, &once)).0, &once);
        let has_none = !once.contains(['\u{1b}', '\u{202e}']);
        prop_assert!(has_none);
        // A sequence may reach over later pieces, so only texts without open sequences are compared.
        if !text.contains("\u{1b}]\u{7}") && text.matches('\u{1b}').count() == text.matches("\u{1b}[31m").count() && !text.contains('\u{9b}') {
            prop_assert_eq!(visible(&once), visible(&text));
        }
    }

    #[test]
    fn a_stream_is_filtered_like_the_whole_answer(text in texts(), sizes in prop::collection::vec(1_usize..8, 1..5)) {
        static KIT: LazyLock<Kit> = LazyLock::new(|| kit(FILTERS));
        let chars: Vec<char> = text.chars().collect();
        let (mut pieces, mut from) = (Vec::new(), 0);
        for size in sizes.iter().cycle() {
            let end = (from + size).min(chars.len());
            pieces.push(chars[from..end].iter().collect());
            from = end;
            if from == chars.len() {
                break;
            }
        }
        let (_, whole) = run(streamed(&KIT, std::slice::from_ref(&text)));
        let (left, in_pieces) = run(streamed(&KIT, &pieces));
        if let Ok(whole) = whole {
            prop_assert_eq!(in_pieces.as_deref(), Ok(whole.as_str()));
        } else {
            prop_assert!(in_pieces.is_err());
            prop_assert!(text.starts_with(&left));
        }
    }
}
