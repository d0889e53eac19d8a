//! The recognisers: where a value may begin, what it looks like, and its checksum.

use std::net::IpAddr;

use super::checksums::{
    bech32, codice_fiscale, cpf, digits, finnish, german_tax_id, luhn, mod_97, nhs, pesel, spanish, tfn, varies,
    verhoeff,
};
use crate::scan::{Candidate, Check, FindStart, Judge, RecogniserRegex, Rule, Start, is_word_byte};

/// A recogniser of one kind of personal data.
pub(super) struct Recogniser {
    pub(super) name: &'static str,
    pub(super) finds: &'static str,
    /// Whether it runs if the configuration lists none.
    pub(super) is_default: bool,
    regex: RecogniserRegex,
    starts: FindStart,
    check: Option<Check>,
    /// Decides with the text around the value.
    judge: Option<Judge>,
}

use RecogniserRegex::{Made, Text};

/// All recognisers. More exact ones come first.
pub(super) const ALL: &[Recogniser] = &[
    Recogniser {
        name: "email",
        finds: "an e-mail address",
        is_default: true,
        regex: Text(
            // What follows a colon says whether the address is that of a path on a host.
            r"([0-9A-Za-z_+%-](?:\.{0,2}[0-9A-Za-z_+%'-]){0,63}@(?:[0-9A-Za-z\u{c0}-\u{24f}\u{370}-\u{1fff}\u{3041}-\u{9fff}\u{ac00}-\u{d7a3}](?:[0-9A-Za-z\u{c0}-\u{24f}\u{370}-\u{1fff}\u{3041}-\u{9fff}\u{ac00}-\u{d7a3}-]{0,61}[0-9A-Za-z\u{c0}-\u{24f}\u{370}-\u{1fff}\u{3041}-\u{9fff}\u{ac00}-\u{d7a3}])?\.){1,8}(?:(?:xn--[0-9A-Za-z-]{0,58}[0-9A-Za-z]|[A-Za-z]{2,24})(?-u:\b)|[\u{c0}-\u{24f}\u{370}-\u{1fff}\u{3041}-\u{9fff}\u{ac00}-\u{d7a3}]{2,24}))(?::[0-9A-Za-z~._-]{0,40}/?)?",
        ),
        starts: mailbox,
        check: None,
        judge: Some(is_mailbox),
    },
    Recogniser {
        name: "credit-card",
        finds: "the number of a card",
        is_default: true,
        regex: Text(r"[2-6][0-9]{3}(?:[ ./-]{0,2}[0-9]){8,15}(?-u:\b)"),
        starts: number,
        check: Some(is_card),
        judge: None,
    },
    Recogniser {
        name: "iban",
        finds: "the number of a bank account",
        is_default: true,
        regex: Made(iban_regex),
        starts: iban,
        check: Some(mod_97),
        judge: None,
    },
    Recogniser {
        name: "us-ssn",
        finds: "a US social security number",
        is_default: true,
        regex: Text(r"[0-8][0-9]{2}(?:-[0-9]{2}-|\.[0-9]{2}\.| [0-9]{2} )[0-9]{4}(?-u:\b)"),
        starts: number,
        check: Some(is_ssn),
        judge: None,
    },
    Recogniser {
        name: "us-itin",
        finds: "a US taxpayer number",
        is_default: true,
        regex: Text(r"9[0-9]{2}[ -](?:5[0-9]|6[0-5]|7[0-9]|8[0-8]|9[0-24-9])[ -][0-9]{4}(?-u:\b)"),
        starts: number,
        check: None,
        judge: None,
    },
    Recogniser {
        name: "it-fiscal-code",
        finds: "an Italian fiscal code",
        is_default: true,
        regex: Text(r"(?i)[A-Z]{6}[0-9]{2}[A-EHLMPRST][0-9]{2}[A-Z][0-9]{3}[A-Z](?-u:\b)"),
        starts: word,
        check: Some(codice_fiscale),
        judge: None,
    },
    Recogniser {
        name: "fi-identity-code",
        finds: "a Finnish personal identity code",
        is_default: true,
        regex: Text(r"[0-3][0-9][01][0-9]{3}[+A-FYXWVU-][0-9]{3}[0-9A-FHJ-NPR-Y](?-u:\b)"),
        starts: number,
        check: Some(finnish),
        judge: None,
    },
    Recogniser {
        name: "es-nif",
        finds: "a Spanish identity number",
        is_default: true,
        regex: Text(r"(?:[XYZxyz][ -]?[0-9]{7}|[0-9]{7,8})[ -]?[A-Za-z](?-u:\b)"),
        starts: spanish_start,
        check: Some(spanish),
        judge: None,
    },
    Recogniser {
        name: "br-cpf",
        finds: "a Brazilian CPF",
        is_default: true,
        regex: Text(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}(?-u:\b)"),
        starts: number,
        check: Some(cpf),
        judge: None,
    },
    Recogniser {
        name: "in-aadhaar",
        finds: "an Indian Aadhaar number",
        is_default: false,
        regex: Text(r"[2-9][0-9]{3}(?:[ -][0-9]{4}[ -][0-9]{4}|[0-9]{8})(?-u:\b)"),
        starts: number,
        check: Some(verhoeff),
        judge: None,
    },
    Recogniser {
        name: "in-pan",
        finds: "an Indian PAN",
        is_default: false,
        regex: Text(r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z](?-u:\b)"),
        starts: word,
        check: None,
        judge: None,
    },
    Recogniser {
        name: "uk-nhs",
        finds: "a British NHS number",
        is_default: false,
        regex: Text(r"[0-9]{3}[ -]?[0-9]{3}[ -]?[0-9]{4}(?-u:\b)"),
        starts: number,
        check: Some(nhs),
        judge: None,
    },
    Recogniser {
        name: "uk-nino",
        finds: "a British national insurance number",
        is_default: false,
        regex: Text(r"(?i)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D](?-u:\b)"),
        starts: two_letters,
        check: Some(is_nino),
        judge: None,
    },
    Recogniser {
        name: "pl-pesel",
        finds: "a Polish PESEL",
        is_default: false,
        regex: Text(r"[0-9]{11}(?-u:\b)"),
        starts: number,
        check: Some(pesel),
        judge: None,
    },
    Recogniser {
        name: "de-tax-id",
        finds: "a German tax number",
        is_default: false,
        regex: Text(r"[1-9][0-9](?: ?[0-9]{3}){3}(?-u:\b)"),
        starts: number,
        check: Some(german_tax_id),
        judge: None,
    },
    Recogniser {
        name: "au-tfn",
        finds: "an Australian tax file number",
        is_default: false,
        regex: Text(r"[0-9]{3} ?[0-9]{3} ?[0-9]{3}(?-u:\b)"),
        starts: number,
        check: Some(tfn),
        judge: None,
    },
    Recogniser {
        name: "ca-sin",
        finds: "a Canadian social insurance number",
        is_default: false,
        regex: Text(r"[1-79][0-9]{2}[ -]?[0-9]{3}[ -]?[0-9]{3}(?-u:\b)"),
        starts: number,
        check: Some(luhn),
        judge: None,
    },
    Recogniser {
        name: "se-personal-number",
        finds: "a Swedish personal number",
        is_default: false,
        regex: Text(r"(?:19|20)?[0-9]{2}[01][0-9][0-3][0-9][+-]?[0-9]{4}(?-u:\b)"),
        starts: number,
        check: Some(is_swedish),
        judge: None,
    },
    Recogniser {
        name: "phone",
        finds: "a phone number",
        is_default: true,
        regex: Text(concat!(
            // International.
            r"((?:(?:\+|00)[1-9][0-9]{0,2}(?: ?\(0\))?[ ./-]{0,2}(?:\([0-9]{1,4}\)[ -]?)?(?:[0-9][ ./-]?){5,12}[0-9]",
            // North America.
            r"|(?:1[ .-])?(?:\([2-9][0-9]{2}\)[ -]?|[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}(?: ?(?:x|ext\.?) ?[0-9]{1,5})?",
            // Britain, Germany and France.
            r"|\(?0[1-9][0-9]{1,4}\)?[ /-][0-9]{3,4}[ -]?[0-9]{3,5}|0[1-9](?:[ .][0-9]{2}){4})(?-u:\b))",
            // A number that follows in the same list.
            r"(?: -?[0-9])?",
        )),
        starts: number,
        check: Some(is_phone),
        judge: Some(is_no_list),
    },
    Recogniser {
        name: "ip-address",
        finds: "an IP address",
        is_default: false,
        regex: Text(concat!(
            r"(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?-u:\b)",
            r"|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){1,6}:[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?-u:\b)",
            r"|[0-9A-Fa-f]{0,4}(?::[0-9A-Fa-f]{0,4}){2,7}",
        )),
        starts: address,
        check: Some(is_address),
        judge: None,
    },
    Recogniser {
        name: "mac-address",
        finds: "the address of a network device",
        is_default: false,
        regex: Text(
            r"(?:[0-9A-Fa-f]{2}(?:(?::[0-9A-Fa-f]{2}){5}|(?:-[0-9A-Fa-f]{2}){5})|[0-9A-Fa-f]{4}(?:\.[0-9A-Fa-f]{4}){2})(?-u:\b)",
        ),
        starts: address,
        check: Some(is_device),
        judge: None,
    },
    Recogniser {
        name: "crypto-wallet",
        finds: "the address of a crypto wallet",
        is_default: true,
        regex: Text(
            r"(?:0x[0-9a-fA-F]{40}|(?:bc1|tb1|ltc1)[02-9ac-hj-np-z]{38,71}|(?:BC1|TB1|LTC1)[02-9AC-HJ-NP-Z]{38,71})(?-u:\b)",
        ),
        starts: wallet,
        check: Some(is_wallet),
        judge: None,
    },
];

impl Recogniser {
    /// Makes the rule. Its regex is compiled at the first text in which a value may begin.
    pub(super) fn rule(&self) -> Rule {
        let mut rule = Rule::recogniser(self.name, self.finds, self.regex, self.starts, self.check, self.judge);
        rule.doubt = match self.name {
            "email" => Some(may_be_a_user),
            "phone" => Some(may_be_a_number),
            _ => None,
        };
        rule
    }
}

/// The lengths of the account numbers of countries, in the registry of SWIFT.
const IBANS: &[(&str, usize)] = &[
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NL", 18),
    ("NO", 15),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("SA", 24),
    ("SC", 31),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
    ("XK", 20),
];

/// Makes one regex for each length. Without the lengths, a word after the number would belong to it.
fn iban_regex() -> String {
    let mut lengths: Vec<usize> = IBANS.iter().map(|(_, length)| *length).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let of_length = lengths.iter().map(|length| {
        let countries: Vec<&str> =
            IBANS.iter().filter(|(_, other)| other == length).map(|(country, _)| *country).collect();
        format!("(?:{})[0-9]{{2}}(?:[ .-]{{0,2}}[A-Z0-9]){{{}}}", countries.join("|"), length - 4)
    });
    format!(r"(?i)(?:{})(?-u:\b)", of_length.collect::<Vec<_>>().join("|"))
}

/// Returns the first byte from a place on that `is_it` accepts.
fn next(bytes: &[u8], from: usize, is_it: impl Fn(u8) -> bool) -> Option<usize> {
    let find = |from: usize, to: usize| bytes[from..to].iter().position(|byte| is_it(*byte)).map(|found| from + found);
    let near = bytes.len().min(from + NEAR);
    if let found @ Some(_) = find(from, near) {
        return found;
    }
    // Most texts have few of these bytes. Without an early end, the compiler looks at all bytes of a block at once.
    let (blocks, _) = bytes[near..].as_chunks::<BLOCK>();
    let without = blocks.iter().take_while(|block| !block.iter().fold(false, |any, byte| any | is_it(*byte))).count();
    find(near + BLOCK * without, bytes.len())
}

/// The bytes that [`next`] looks at one by one.
const NEAR: usize = 4;

/// The bytes that [`next`] looks at together.
const BLOCK: usize = 32;

/// Which places [`find`] looks at.
struct Near<B> {
    /// The places are at these bytes, or before them.
    byte: B,
    /// The most bytes between such a place and the byte.
    before: usize,
    /// The bytes at the end of a text that may begin something without such a byte.
    at_end: usize,
}

/// Returns the first place outside of words that `begins` accepts. It gets the byte before the place, if there is one, and the rest. It returns
/// `None` if the rest is too short to decide.
fn find(
    text: &str,
    from: usize,
    near: &Near<impl Fn(u8) -> bool>,
    begins: impl Fn(Option<u8>, &[u8]) -> Option<bool>,
) -> Start {
    let bytes = text.as_bytes();
    let end = bytes.len().saturating_sub(near.at_end);
    // The place after the last such byte.
    let (mut at, mut known) = (from, from);
    while at < bytes.len() {
        if at >= known && at < end {
            let found = next(bytes, at, &near.byte).unwrap_or(bytes.len());
            at = at.max(found.saturating_sub(near.before).min(end));
            known = found + 1;
            if at == bytes.len() {
                break;
            }
        }
        if at > 0 && is_word_byte(bytes[at - 1]) {
            at += bytes[at..].iter().take_while(|byte| is_word_byte(**byte)).count().max(1);
            continue;
        }
        match begins(at.checked_sub(1).map(|before| bytes[before]), &bytes[at..]) {
            Some(false) => at += 1,
            Some(true) => return Start::At(at),
            None => return Start::Short(at),
        }
    }
    Start::None
}

/// Whether a byte is a digit.
fn is_digit(byte: u8) -> bool {
    byte.is_ascii_digit()
}

/// The fewest digits of a number that a recogniser finds.
const FEWEST: usize = 7;

/// Numbers with enough digits, with signs between them.
fn number(text: &str, from: usize) -> Start {
    find(text, from, &Near { byte: is_digit, before: 1, at_end: 1 }, |_, rest| {
        let begins = match rest[0] {
            b'0'..=b'9' => true,
            b'+' | b'(' => rest.get(1).is_none_or(u8::is_ascii_digit),
            _ => false,
        };
        if !begins {
            return Some(false);
        }
        // Most numbers are short.
        let mut digits = 0;
        for byte in rest.iter().take(40) {
            match byte {
                b'0'..=b'9' => digits += 1,
                b' ' | b'-' | b'.' | b'(' | b')' | b'/' | b'+' => {}
                letter => return Some(digits >= FEWEST || (digits >= 6 && letter.is_ascii_alphabetic())),
            }
            if digits >= FEWEST {
                return Some(true);
            }
        }
        if rest.len() >= 40 { Some(false) } else { None }
    })
}

/// Words of five or six letters and then digits.
fn word(text: &str, from: usize) -> Start {
    find(text, from, &Near { byte: is_digit, before: 6, at_end: 6 }, |_, rest| {
        if !rest[0].is_ascii_alphabetic() {
            return Some(false);
        }
        let letters = rest.iter().take(7).take_while(|byte| byte.is_ascii_alphabetic()).count();
        match rest.get(letters) {
            None if letters < 7 => None,
            after => Some(matches!(letters, 5 | 6) && after.is_some_and(u8::is_ascii_digit)),
        }
    })
}

/// Two letters and then digits.
fn two_letters(text: &str, from: usize) -> Start {
    find(text, from, &Near { byte: is_digit, before: 3, at_end: 3 }, |_, rest| {
        let letters = rest.iter().take(3).take_while(|byte| byte.is_ascii_alphabetic()).count();
        if !matches!(letters, 1 | 2) {
            return Some(false);
        }
        let gap = usize::from(letters == 2 && rest.get(2) == Some(&b' '));
        match rest.get(letters + gap) {
            None => None,
            after => Some(letters == 2 && after.is_some_and(u8::is_ascii_digit)),
        }
    })
}

fn spanish_start(text: &str, from: usize) -> Start {
    let begins = |byte: u8| byte.is_ascii_digit() | matches!(byte | 0x20, b'x'..=b'z');
    find(text, from, &Near { byte: begins, before: 0, at_end: 0 }, |_, rest| {
        let begin = usize::from(matches!(rest[0].to_ascii_uppercase(), b'X' | b'Y' | b'Z'));
        let gap = usize::from(begin == 1 && rest.get(1).is_some_and(|byte| matches!(byte, b' ' | b'-')));
        let digits = rest[begin + gap..].iter().take(9).take_while(|byte| byte.is_ascii_digit()).count();
        if begin + gap + digits == rest.len() && digits < 9 && (begin == 1 || digits > 0) {
            return None;
        }
        Some(digits == 7 || digits == 8 - begin)
    })
}

fn iban(text: &str, from: usize) -> Start {
    find(text, from, &Near { byte: is_digit, before: 2, at_end: 4 }, |_, rest| {
        let fits =
            |(place, byte): (usize, &u8)| if place < 2 { byte.is_ascii_alphabetic() } else { byte.is_ascii_digit() };
        let begun = rest.iter().take(4).enumerate().take_while(|part| fits(*part)).count();
        if begun == rest.len() && begun < 4 { None } else { Some(begun == 4) }
    })
}

fn address(text: &str, from: usize) -> Start {
    let separates = |byte| matches!(byte, b':' | b'.' | b'-');
    find(text, from, &Near { byte: separates, before: 5, at_end: 5 }, |before, rest| {
        if before.is_some_and(separates) {
            return Some(false);
        }
        let digits = rest.iter().take(5).take_while(|byte| byte.is_ascii_hexdigit()).count();
        match rest.get(digits) {
            None if digits < 5 => None,
            // A second one may follow.
            Some(b':') if rest.len() == 1 => None,
            after => Some(
                after.is_some_and(|after| matches!(after, b':' | b'.' | b'-'))
                    && (digits > 0 || rest.starts_with(b"::")),
            ),
        }
    })
}

fn wallet(text: &str, from: usize) -> Start {
    const BEGUN: [&[u8]; 4] = [b"0x", b"bc1", b"tb1", b"ltc1"];
    find(text, from, &Near { byte: |byte| matches!(byte, b'0' | b'1'), before: 3, at_end: 3 }, |_, rest| {
        let is_begun = |begun: &&[u8]| {
            let length = begun.len().min(rest.len());
            rest[..length].eq_ignore_ascii_case(&begun[..length])
        };
        match BEGUN.iter().find(|begun| is_begun(begun)) {
            Some(begun) if begun.len() > rest.len() => None,
            begun => Some(begun.is_some()),
        }
    })
}

/// The longest local part of an e-mail address.
const LOCAL: usize = 64;

/// The beginning of the local part before the next `@`.
fn mailbox(text: &str, from: usize) -> Start {
    let bytes = text.as_bytes();
    let is_local = |byte: &u8| is_word_byte(*byte) || b".+%'-".contains(byte);
    let mut at = from;
    while let Some(sign) = next(bytes, at, |byte| byte == b'@') {
        let local = bytes[..sign].iter().rev().take(LOCAL).take_while(|byte| is_local(byte)).count();
        // The local part begins after what is no part of it, or is the end of a longer text. So its beginning does not depend on
        // where the search began.
        if local > 0 {
            let begun = &bytes[sign - local..sign];
            let skipped = begun.iter().take_while(|byte| matches!(byte, b'.' | b'\'')).count();
            let first = sign - local + skipped;
            if skipped < local && first >= from {
                return Start::At(first);
            }
        }
        at = sign + 1;
    }
    // The `@` may follow.
    let open = bytes[from..].iter().rev().take(LOCAL).take_while(|byte| is_local(byte)).count();
    if open == 0 { Start::None } else { Start::Open(bytes.len() - open) }
}

/// Whether a number has the beginning and the length of a known kind of card.
fn is_card(text: &str) -> bool {
    let all: Vec<u32> = digits(text).collect();
    let first = |count: usize| all.iter().take(count).fold(0, |number, digit| number * 10 + digit);
    let is_known = match (first(2), all.len()) {
        (22..=27, 16) => (2221..=2720).contains(&first(4)),
        (30, 14..=19) => (300..=305).contains(&first(3)) || first(3) == 309,
        (35, 16..=19) => (3528..=3589).contains(&first(4)),
        (60, 16..=19) => first(4) == 6011,
        (64, 16..=19) => (644..=649).contains(&first(3)),
        (40..=49, 13 | 16 | 19)
        | (51..=55, 16)
        | (34 | 37, 15)
        | (36 | 38 | 39, 14..=19)
        | (62 | 65, 16..=19)
        | (50 | 56..=58 | 63 | 67 | 69, 12..=19) => true,
        _ => false,
    };
    is_known && luhn(text) && varies(text)
}

/// The kinds of units in the manual `systemd.unit`, which are the ends of their names.
const UNITS: &[&str] =
    &["service", "socket", "device", "mount", "automount", "swap", "target", "path", "timer", "slice", "scope"];

/// Whether an address is that of a mailbox, and not a user on a host, a version of a package, a file or a unit.
fn is_mailbox(found: &Candidate<'_>) -> bool {
    // The user of a URL: `postgres://app@host`.
    let is_space = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '<' | '(');
    let begun = found.before.rsplit(is_space).next().unwrap_or_default();
    if begun.rsplit_once("://").is_some_and(|(_, user)| !user.contains(['/', '?', '#'])) {
        return false;
    }
    // A path on a host, as `scp` and `git` have it: `git@host:group/project`.
    let after = found.whole[found.value.len()..].strip_prefix(':').unwrap_or_default();
    if after.starts_with('~') || after.ends_with('/') || after.rsplit_once('.').is_some_and(|(_, end)| end == "git") {
        return false;
    }
    let domain = found.value.rsplit('@').next().unwrap_or_default();
    let labels: Vec<&str> = domain.split('.').collect();
    let number = |label: &&str| label.bytes().take_while(u8::is_ascii_digit).count();
    let (first, second) = (labels.first().copied().unwrap_or_default(), labels.get(1).copied().unwrap_or_default());
    // A version, or the scale of an image: `react@18.2.0-rc.beta`, `icon@2x.png`, `icon@1.5x.png`.
    let is_version = |label: &str| {
        let label = label.strip_prefix('v').unwrap_or(label);
        !label.is_empty() && number(&label) == label.len()
    };
    let is_scale =
        |label: &str| label.strip_suffix('x').is_some_and(|label| !label.is_empty() && number(&label) == label.len());
    let is_unit = labels.last().is_some_and(|last| UNITS.contains(last));
    !(is_scale(first) || (is_version(first) && number(&second) > 0) || is_unit)
}

/// Whether a number stands outside of a list of numbers, such as the coordinates of a drawing. The signs `+`, `-` and `(` are those of a phone
/// number.
fn is_no_list(found: &Candidate<'_>) -> bool {
    let begun = found.before.trim_end_matches([' ', '.']);
    let is_after_number = begun.len() < found.before.len() && begun.ends_with(|letter: char| letter.is_ascii_digit());
    let is_before_number = found.whole.len() > found.value.len();
    found.value.contains(['+', '-', '(', '/'])
        || found.value.starts_with("00")
        || !(is_after_number || is_before_number)
}

/// Whether an address may be that of a user on a host, as the programs for other machines take it.
fn may_be_a_user(found: &Candidate<'_>) -> bool {
    const PROGRAMS: &[&str] = &["ssh", "scp", "sftp", "rsync", "mosh", "ssh-copy-id", "git"];
    let line = found.before.rsplit('\n').next().unwrap_or_default();
    let is_sign = |letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.'));
    let has_path = found.whole[found.value.len()..].len() > 1;
    has_path || line.split(is_sign).any(|word| PROGRAMS.contains(&word))
}

/// Whether a number may be another one than that of a phone. A number with a country code is none.
fn may_be_a_number(found: &Candidate<'_>) -> bool {
    !(found.value.starts_with('+') || found.value.starts_with("00"))
}

pub(super) fn is_ssn(text: &str) -> bool {
    let all: Vec<u32> = digits(text).collect();
    let number = |range: std::ops::Range<usize>| all[range].iter().fold(0, |number, digit| number * 10 + digit);
    let (area, group, serial) = (number(0..3), number(3..5), number(5..9));
    area != 0 && area != 666 && area < 900 && group != 0 && serial != 0 && varies(text)
        // Numbers that were published.
        && !matches!((area, group, serial), (78, 5, 1120) | (219, 9, 9999) | (123, 45, 6789))
}

pub(super) fn is_nino(text: &str) -> bool {
    let begun = text.to_ascii_uppercase();
    !["BG", "GB", "KN", "NK", "NT", "TN", "ZZ"].iter().any(|refused| begun.starts_with(refused))
}

pub(super) fn is_swedish(text: &str) -> bool {
    let all: String = text.chars().filter(char::is_ascii_digit).collect();
    luhn(&all[all.len().saturating_sub(10)..])
}

pub(super) fn is_phone(text: &str) -> bool {
    let count = digits(text).count();
    (7..=20).contains(&count) && varies(text)
}

fn is_address(text: &str) -> bool {
    text.parse::<IpAddr>().is_ok_and(|address| !address.is_unspecified() && !address.is_loopback())
}

/// Whether the address is of one device.
fn is_device(text: &str) -> bool {
    let mut letters = text.bytes().filter(u8::is_ascii_hexdigit);
    let first = letters.next();
    letters.any(|letter| Some(letter) != first)
}

fn is_wallet(text: &str) -> bool {
    text.starts_with("0x") || bech32(text)
}
