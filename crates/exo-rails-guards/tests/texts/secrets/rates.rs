//! How many texts of our own lists are hidden, and how many are changed without need.
//!
//! Each line of a list is a text. What must be hidden is between `⟦` and `⟧`. `{w36}` stands for 36 random letters and digits: see
//! [`filled`]. `{pem A¦B}` stands for a private key with `A` before and `B` after each line.

use exo_rails_guards::{PersonalData, Secrets};

use super::formats::random;

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const DIGITS: &str = "0123456789";

/// The texts of a list, with their groups.
fn texts(list: &'static str) -> impl Iterator<Item = (&'static str, String)> {
    let (mut group, mut number) = ("", 0);
    list.lines().filter_map(move |line| {
        number += 17;
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')).filter(|name| is_name(name))
        {
            group = name;
            return None;
        }
        let is_text = !line.is_empty() && number > 17;
        is_text.then(|| (group, filled(line, number)))
    })
}

fn is_name(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Writes random text in the place of `{w36}` and other such places, and letters in the place of `\n` and `\t`.
fn filled(line: &str, number: usize) -> String {
    let line = line.replace("\\\\", "\u{1}").replace("\\n", "\n").replace("\\t", "\t").replace("\\r", "\r");
    let line = line.replace('\u{1}', "\\");
    let (mut text, mut rest, mut place) = (String::new(), line.as_str(), 0);
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        place += 1;
        let inside = after.split_once('}');
        let value = inside.and_then(|(inside, rest)| Some((value(inside, number + 101 * place)?, rest)));
        let (value, after) = value.unwrap_or_else(|| ("{".to_owned(), after));
        text.push_str(&value);
        rest = after;
    }
    text + rest
}

/// Returns what `w36` or `pem A¦B` stands for.
fn value(inside: &str, number: usize) -> Option<String> {
    // Each place has other letters of the same sequence.
    let letters = |alphabet: &str, length: usize| random(alphabet, number + length)[number..].to_owned();
    if let Some((before, after)) = inside.strip_prefix("pem ").and_then(|around| around.split_once('¦')) {
        let (begin, end) = ("-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----");
        let body = letters(&format!("{LOWER}{UPPER}{DIGITS}+/"), 64 * 6 + 40);
        let body = (0..body.len()).step_by(64).map(|at| format!("⟦{}⟧", &body[at..body.len().min(at + 64)]));
        let lines = [begin.to_owned()].into_iter().chain(body).chain([end.to_owned()]).enumerate();
        let lines = lines.map(|(line, text)| format!("{}{text}{after}", before.replace("%d", &(line + 1).to_string())));
        return Some(lines.collect::<Vec<_>>().join("\n"));
    }
    if inside == "u" {
        let digits = letters("0123456789abcdef", 30);
        let parts = [&digits[..8], &digits[8..12], &format!("4{}", &digits[12..15]), &format!("a{}", &digits[15..18])];
        return Some(format!("{}-{}", parts.join("-"), &digits[18..]));
    }
    let (kind, length) = (inside.chars().next()?, inside.get(1..)?.parse().ok()?);
    Some(match kind {
        'w' => letters(&format!("{LOWER}{UPPER}{DIGITS}"), length),
        'h' => letters("0123456789abcdef", length),
        'c' => letters("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length),
        'b' => letters(&format!("{LOWER}{UPPER}{DIGITS}+/"), length),
        'l' => letters(&format!("{LOWER}{DIGITS}"), length),
        'a' => letters(&format!("{LOWER}{UPPER}"), length),
        'd' => letters(DIGITS, length),
        _ => return None,
    })
}

/// Returns the texts of which a part is not hidden.
fn missed(list: &'static str, redacted: impl Fn(&str) -> String) -> (Vec<String>, usize) {
    let mut all = 0;
    let missed = texts(list).filter_map(|(group, text)| {
        all += 1;
        let secrets: Vec<&str> = text.split('⟦').skip(1).filter_map(|part| part.split('⟧').next()).collect();
        let plain = text.replace(['⟦', '⟧'], "");
        let left = redacted(&plain);
        secrets.iter().any(|secret| left.contains(*secret)).then(|| format!("{group}: {plain:?} -> {left:?}"))
    });
    (missed.collect(), all)
}

/// Returns the texts that change.
fn stopped(list: &'static str, redacted: impl Fn(&str) -> String) -> (Vec<String>, usize) {
    let mut all = 0;
    let stopped = texts(list).filter_map(|(group, text)| {
        all += 1;
        let left = redacted(&text);
        (left != text).then(|| format!("{group}: {text:?} -> {left:?}"))
    });
    (stopped.collect(), all)
}

/// Counts, and prints what is wrong, so that a failed test shows it.
fn counted(name: &str, (wrong, all): (Vec<String>, usize)) -> (usize, usize) {
    println!("{name}: {} of {all}\n{}", wrong.len(), wrong.join("\n"));
    (wrong.len(), all)
}

#[test]
fn the_rates_of_our_lists_of_secrets_are_those_of_the_page() {
    let secrets = Secrets::builder().build().unwrap();
    let redacted = |text: &str| secrets.redacted(text);
    let missed = counted("missed", missed(include_str!("cases/secrets.txt"), redacted));
    let stopped = counted("stopped", stopped(include_str!("cases/no_secrets.txt"), redacted));
    assert_eq!((missed, stopped), ((21, 216), (11, 368)));
}

#[test]
fn the_rates_of_our_lists_of_personal_data_are_those_of_the_page() {
    let persons = PersonalData::builder().build().unwrap();
    let redacted = |text: &str| persons.redacted(text);
    let missed = counted("missed", missed(include_str!("cases/persons.txt"), redacted));
    let stopped = counted("stopped", stopped(include_str!("cases/no_persons.txt"), redacted));
    assert_eq!((missed, stopped), ((1, 153), (3, 307)));
}
