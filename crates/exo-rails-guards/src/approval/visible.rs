//! Texts and times in the form that a person reads: nothing invisible, nothing too long.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::time::Duration;

use exo_rails_text::invisible::is_deceptive;
use unicode_normalization::char::is_combining_mark;

/// Returns the text with a visible escape, such as `\u{202e}`, for each character that a person cannot see or that changes
/// how other characters look.
///
/// These are control characters with the escapes of terminals, marks of direction, characters without width, spaces other than
/// the usual one, private characters, and the third and later combining marks on one letter. A backslash stays as it is.
///
/// ```
/// use exo_rails_guards::approval::visible;
///
/// assert_eq!(visible("rm \u{1b}[2Kls"), r"rm \u{1b}[2Kls");
/// assert_eq!(visible("gpj.\u{202e}exe"), r"gpj.\u{202e}exe");
/// assert_eq!(visible("naïve 💡"), "naïve 💡");
/// ```
#[must_use]
pub fn visible(text: &str) -> Cow<'_, str> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return Cow::Borrowed(text);
    }
    let (mut shown, mut marks) = (String::with_capacity(text.len()), 0);
    for character in text.chars() {
        marks = if is_combining_mark(character) { marks + 1 } else { 0 };
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            _ if marks > 2 || is_deceptive(character) => {
                // Writing to a text cannot fail.
                let _ = write!(shown, "\\u{{{:x}}}", u32::from(character));
            }
            _ => shown.push(character),
        }
    }
    Cow::Owned(shown)
}

/// Returns the visible text with at most `limit` of its characters, and says how many are left out.
pub(super) fn shortened(text: &str, limit: usize) -> String {
    let count = text.chars().count();
    if count <= limit {
        return visible(text).into_owned();
    }
    let start: String = text.chars().take(limit).collect();
    format!("{} … {} left out", visible(&start), counted(count - limit, "character"))
}

pub(super) fn counted(count: usize, what: &str) -> String {
    let mut digits = count.to_string();
    for at in (1..digits.len()).rev().filter(|at| (digits.len() - at).is_multiple_of(3)).collect::<Vec<_>>() {
        digits.insert(at, ',');
    }
    format!("{digits} {what}{}", if count == 1 { "" } else { "s" })
}

/// Returns a duration in the unit in which people read it.
pub(super) fn seconds(time: Duration) -> String {
    match time.as_secs() {
        0 => format!("{} ms", time.as_millis()),
        1 => "1 second".to_owned(),
        seconds => format!("{seconds} seconds"),
    }
}
