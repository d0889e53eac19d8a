//! Prompt injection: text that instructs a model, hidden characters, encoded text, and a canary for the system message.
//!
//! The guard is advisory. It reports, and removes hidden characters from the outputs of tools. It refuses only with
//! [`enforce_from`](field@InjectionConfig::enforce_from), because patterns find few attacks and also match honest texts. See the
//! figures in `GUARDS.md`.
//!
//! The guard reads what others write: inputs, outputs of tools, memories. It does not search the arguments and answers of the
//! model for instructions, only for the canary. So a program that writes a test with an attack in it is not disturbed.
//!
//! # Rules
//!
//! | name | severity | example |
//! |---|---|---|
//! | `instruction_override` | high | ignore all previous instructions |
//! | `delimiter` | high | `<\|im_start\|>`, `[INST]`, `### System: you are` |
//! | `concealment` | high | do not tell the user |
//! | `new_instructions` | medium | your new task is |
//! | `role_change` | medium | you are now in developer mode |
//! | `prompt_extraction` | medium | repeat your system prompt |
//! | `addressed_to_model` | medium | if you are an AI assistant reading this, you must |
//! | `exfiltration` | low | send the API key to |
//! | `task_switch` | low | before you answer, you must |
//! | `encoded_instructions` | medium, or that of the instructions | one of these rules in base64, hex, percent codes, escapes, character references or ROT13 |
//! | `hidden_instructions` | critical | one of these rules in invisible characters |
//! | `hidden_tags`, `hidden_variation_selectors` | medium to high | see below |
//! | `hidden_direction`, `hidden_zero_width`, `hidden_ansi` | low to medium | see below |
//! | `mixed_scripts` | low | a word with Latin and Cyrillic letters that look alike |
//!
//! The rules find words as people read them: case, spaces, marks, accents, styles of letters, look-alikes and invisible characters
//! do not hide them. A text in JSON is read as its strings, to a depth of four.
//!
//! Two different rules of at least medium severity in one text make the more serious of them one step more serious, up to
//! critical. A rule that a text only mentions is two steps less serious: in quotation marks, in code and comments, in a document
//! of a shell, or after words such as "for example" in the same paragraph. Attackers can quote too, so this is a report of less
//! weight and not an acquittal.
//!
//! # A classifier
//!
//! A [`Classifier`] reads each text that the guard checks, and returns a score. It finds what patterns cannot find. From
//! [`threshold`](ClassifierConfig::threshold) on, the score is the finding `classifier`. A classifier has a time limit, and
//! [`fail_mode`](ClassifierConfig::fail_mode) says what happens if it fails. By default, the run ends.
//!
//! # Hidden characters
//!
//! | kind | kept |
//! |---|---|
//! | tags (U+E0000 to U+E007F) | flags of regions |
//! | variation selectors | one after an emoji, a key, a symbol, an ideograph or a Mongolian letter |
//! | joiners (U+200C, U+200D) | one after a letter of an Arabic, Indic or South-East Asian script; one between emoji |
//! | zero-width space, soft hyphen, word joiner, other characters without width | one where the script or the line break needs it; a byte order mark at the beginning |
//! | marks of direction (U+200E, U+200F, U+061C) | two in a place |
//! | embeddings and isolates | in lines with letters from right to left |
//! | overrides (U+202D, U+202E) | none |
//! | escape sequences of terminals | none. Colours are removed without a finding |
//!
//! With [`strip`](field@InjectionConfig::strip), all others are removed. What is removed is not visible, so the visible text stays
//! the same.
//!
//! # The canary
//!
//! With [`canary`](field@InjectionConfig::canary), the guard writes a random word into the instructions of each request, another
//! one in each run. If the word leaves, the system message leaves too. So the run ends before the word is in an answer, a piece of a
//! stream, or the arguments of a tool call: as it is, spaced, backwards, in ROT13, hex or base64, or a part of ten letters of it.
//!
//! The word is at the end of the instructions. A provider that caches prompts caches only what is before it. In shadow, requests do
//! not change, so nothing has a canary.

mod canary;
mod classifier;
mod encoded;
mod guard;
#[cfg(feature = "http")]
mod http;
mod mention;
#[cfg(feature = "agent")]
mod model;
mod rules;
mod scan;
mod scripts;

pub use classifier::{Classifier, ClassifierError, ScoreFuture, Suspect};
pub use exo_rails_policy::injection::{ClassifierConfig, ClassifierFailMode, InjectionConfig, Source};
pub use guard::{Injection, InjectionError};
#[cfg(feature = "http")]
#[cfg_attr(docsrs, doc(cfg(feature = "http")))]
pub use http::HttpClassifier;
#[cfg(feature = "agent")]
#[cfg_attr(docsrs, doc(cfg(feature = "agent")))]
pub use model::ModelClassifier;

const GUARD: &str = "injection";
