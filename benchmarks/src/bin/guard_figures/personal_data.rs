//! The guard of personal data: the tests of presidio, and benign text.

use std::collections::BTreeMap;
use std::ops::Range;

use exo_rails_guards::PersonalData;

use crate::Failure;
use crate::corpora::Corpora;
use crate::secrets::{percent, python};
use crate::text::{benign, times};

type Result<T> = std::result::Result<T, Failure>;

/// Reads the cases of the tests, which are Python.
const READ: &str = include_str!("read_presidio.py");

/// The recognisers of presidio, and ours for the same data.
const PAIRS: &[(&str, &str)] = &[
    ("au_tfn", "au-tfn"),
    ("ca_sin", "ca-sin"),
    ("credit_card", "credit-card"),
    ("crypto", "crypto-wallet"),
    ("de_tax_id", "de-tax-id"),
    ("email", "email"),
    ("es_nie", "es-nif"),
    ("es_nif", "es-nif"),
    ("fi_personal_identity_code", "fi-identity-code"),
    ("iban", "iban"),
    ("in_aadhaar", "in-aadhaar"),
    ("in_pan", "in-pan"),
    ("ip", "ip-address"),
    ("it_fiscal_code", "it-fiscal-code"),
    ("mac", "mac-address"),
    ("phone", "phone"),
    ("pl_pesel", "pl-pesel"),
    ("se_personnummer", "se-personal-number"),
    ("uk_nhs", "uk-nhs"),
    ("uk_nino", "uk-nino"),
    ("us_itin", "us-itin"),
    ("us_ssn", "us-ssn"),
];

struct Case {
    recogniser: String,
    text: String,
    spans: Vec<Range<usize>>,
}

pub(crate) async fn measure(corpora: Option<&Corpora>) -> Result<()> {
    let guard = PersonalData::builder().build()?;
    times("personal_data", &guard, PersonalData::redacted, HOSTILE).await?;
    let Some(corpora) = corpora else { return Ok(()) };
    let cases = cases(corpora)?;
    println!("\n## Tests of presidio\n");
    println!("| presidio | guard | texts | values | found | recall | exact span | wrongly found | precision |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let mut sum = [0; 5];
    for (theirs, ours) in PAIRS {
        let guard = PersonalData::builder().recognisers([*ours]).build()?;
        let of_pair: Vec<&Case> = cases.iter().filter(|case| case.recogniser == *theirs).collect();
        let mut counts = [of_pair.len(), 0, 0, 0, 0];
        for case in of_pair {
            let found: Vec<Range<usize>> = guard.find(&case.text).into_iter().map(|(_, span)| span).collect();
            let overlaps = |one: &Range<usize>, all: &[Range<usize>]| {
                all.iter().any(|other| one.start < other.end && other.start < one.end)
            };
            counts[1] += case.spans.len();
            counts[2] += case.spans.iter().filter(|span| overlaps(span, &found)).count();
            counts[3] += case.spans.iter().filter(|span| found.contains(span)).count();
            counts[4] += found.iter().filter(|span| !overlaps(span, &case.spans)).count();
        }
        print_row(theirs, ours, counts);
        sum = std::array::from_fn(|at| sum[at] + counts[at]);
    }
    print_row("all of these", "", sum);
    let mut others: BTreeMap<&str, usize> = BTreeMap::new();
    for case in cases.iter().filter(|case| PAIRS.iter().all(|(theirs, _)| *theirs != case.recogniser)) {
        *others.entry(&case.recogniser).or_default() += 1;
    }
    let others: Vec<String> = others.iter().map(|(name, count)| format!("{name} ({count})")).collect();
    println!("\nThe guard has no recogniser for: {}", others.join(", "));
    benign("personal_data", corpora, |text| guard.redacted(text))
}

/// The worst texts for the recognisers: values without ends, and ends without values.
const HOSTILE: &[&str] = &["a@", "1 ", "1234567 ", "+49 ", "DE89", "a.", "0x", "::", "4111 1111 1111 111", "a", "x@y."];

fn print_row(theirs: &str, ours: &str, [texts, values, found, exact, wrong]: [usize; 5]) {
    let (recall, precision) = (percent(found, values), percent(found, found + wrong));
    println!("| {theirs} | `{ours}` | {texts} | {values} | {found} | {recall} | {exact} | {wrong} | {precision} |");
}

fn cases(corpora: &Corpora) -> Result<Vec<Case>> {
    let lines = python(READ, &[corpora.folder("presidio")?])?;
    let case = |line: &str| {
        let (recogniser, text, spans): (String, String, Vec<(usize, usize)>) = serde_json::from_str(line)?;
        let byte = |at: usize| text.char_indices().nth(at).map_or(text.len(), |(byte, _)| byte);
        let spans = spans.into_iter().map(|(start, end)| byte(start)..byte(end)).collect();
        Ok(Case { recogniser, text, spans })
    };
    lines.lines().map(case).collect()
}
