//! Numbers behind a word that says what they are, such as `SSN: 536904399`. Then the signs between the digits do not matter.

use super::checksums::{codice_fiscale, cpf, digits, german_tax_id, luhn, nhs, pesel, spanish, tfn, verhoeff};
use super::recognisers::{is_nino, is_phone, is_ssn, is_swedish};
use crate::scan::{AfterWord, Candidate, Check, Rule};

/// A number of a recogniser behind a word.
pub(super) struct Named {
    /// The name of the recogniser.
    pub(super) name: &'static str,
    finds: &'static str,
    number: AfterWord,
    check: Check,
}

/// Makes a regex for digits with signs between them: the first ones, and how many follow.
macro_rules! digits {
    ($first:literal, $more:literal) => {
        concat!($first, r"(?:[ ./\u{a0}\u{2007}\u{2009}\u{202f}-]{0,2}[0-9]){", $more, r"}(?-u:\b)")
    };
}

const fn named(
    name: &'static str,
    finds: &'static str,
    begins: &'static [&'static str],
    words: &'static str,
    number: &'static str,
    check: Check,
) -> Named {
    Named { name, finds, number: AfterWord { begins, words, number }, check }
}

/// The numbers. A word for a telephone is also that of a person who is asked to call.
pub(super) const ALL: &[Named] = &[
    named(
        "phone",
        "a phone number",
        &[
            "tel", "phone", "mobil", "cell", "fax", "handy", "whatsapp", "sms", "call", "ring", "contact", "tlf",
            "puhelin", "movil", "celular", "電話", "тел",
        ],
        "tele?(?:phone|fon|foon|fone|fono)?(?:nummer)?|phones?|mobil(?:e|telefon|nummer)?|cell(?:ular)?|fax|handy(?:nummer)?|whatsapp|sms|call|ring|contact|tlf|puhelin|movil|電話|тел(?:ефон)?",
        digits!("[0-9(]", "6,13"),
        is_phone,
    ),
    named(
        "us-ssn",
        "a US social security number",
        &["ssn", "social"],
        "ssn|social[ _-]?security",
        digits!("[0-8]", "8"),
        is_ssn,
    ),
    named("us-itin", "a US taxpayer number", &["itin"], "itin", digits!("9", "8"), is_itin),
    named("br-cpf", "a Brazilian CPF", &["cpf"], "cpf", digits!("[0-9]", "10"), cpf),
    named("in-aadhaar", "an Indian Aadhaar number", &["aadha"], "aadha{1,2}r", digits!("[2-9]", "11"), verhoeff),
    named("in-pan", "an Indian PAN", &["pan"], "pan", r"[A-Z]{3}[ABCFGHJLPT][A-Z][0-9]{4}[A-Z](?-u:\b)", has_capitals),
    named("uk-nhs", "a British NHS number", &["nhs"], "nhs", digits!("[0-9]", "9"), nhs),
    named(
        "uk-nino",
        "a British national insurance number",
        &["nino", "ni", "national"],
        "nino|ni|national[ _-]?insurance",
        r"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z](?:[ .-]?[0-9]{2}){3}[ .-]?[A-D](?-u:\b)",
        is_nino,
    ),
    named("pl-pesel", "a Polish PESEL", &["pesel"], "pesel", digits!("[0-9]", "10"), pesel),
    named(
        "de-tax-id",
        "a German tax number",
        &["steuer", "idnr", "identifikation", "tax"],
        "steuer[ -]?id|idnr|(?:steuer)?identifikationsnummer|tax",
        digits!("[1-9]", "10"),
        german_tax_id,
    ),
    named("au-tfn", "an Australian tax file number", &["tfn", "tax"], "tfn|tax[ _-]?file", digits!("[0-9]", "8"), tfn),
    named(
        "ca-sin",
        "a Canadian social insurance number",
        &["sin", "social"],
        "sin|social[ _-]?insurance",
        digits!("[1-79]", "8"),
        luhn,
    ),
    named(
        "se-personal-number",
        "a Swedish personal number",
        &["person"],
        "personnummer|personal[ _-]?number",
        r"(?:19|20)?[0-9]{2}[01][0-9][0-3][0-9][ +-]?[0-9]{4}(?-u:\b)",
        is_swedish,
    ),
    named(
        "es-nif",
        "a Spanish identity number",
        &["dni", "nif", "nie"],
        "dni|nif|nie",
        r"[XYZ0-9](?:[ .-]{0,2}[0-9]){7}[ .-]{0,2}[A-Z](?-u:\b)",
        spanish,
    ),
    named(
        "it-fiscal-code",
        "an Italian fiscal code",
        &["codice", "cf"],
        "codice[ _-]?fiscale|cf",
        r"[A-Z]{3}[ .-]?[A-Z]{3}[ .-]?[0-9]{2}[A-EHLMPRST][0-9]{2}[ .-]?[A-Z][0-9]{3}[A-Z](?-u:\b)",
        is_fiscal_code,
    ),
];

impl Named {
    /// Makes the rule. Its regex is compiled at the first text that has one of the words.
    pub(super) fn rule(&self) -> Rule {
        Rule::after_word(self.name, self.finds, self.number, self.check, begins_word)
    }
}

/// Whether the word stands alone. In `hotel`, the word `tel` is the end of a longer word.
fn begins_word(found: &Candidate<'_>) -> bool {
    let begins_capital = found.whole.starts_with(char::is_uppercase);
    found.before.chars().next_back().is_none_or(|last| !last.is_alphabetic() || (begins_capital && last.is_lowercase()))
}

fn is_itin(text: &str) -> bool {
    let group = digits(text).skip(3).take(2).fold(0, |number, digit| number * 10 + digit);
    matches!(group, 50..=65 | 70..=88 | 90..=92 | 94..=99)
}

fn has_capitals(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_lowercase())
}

fn is_fiscal_code(text: &str) -> bool {
    codice_fiscale(&text.replace([' ', '.', '-'], ""))
}
