//! Data flow: values from untrusted sources must not reach certain arguments.
//!
//! A page, a mail or a document can contain an address, a path or an instruction that an attacker has written. The model reads it
//! and may use it in the next call. [`DataFlow`] remembers what untrusted tools have returned, and compares the arguments of
//! later calls with it.
//!
//! # What is compared
//!
//! All texts are compared as letters and digits: without case, accents, spaces, punctuation, invisible characters, look-alikes of
//! ASCII letters and other variants of Unicode (NFKC).
//!
//! | a copy | is found from |
//! |---|---|
//! | a passage of a text, anywhere in an argument | 12 characters (`passage_chars`), not counting common English words, dates and times; 32 characters (`common_passage_chars`) with them |
//! | an e-mail address, a host, a domain above a host, a file name, an IP address | 3 characters |
//! | an id of letters and digits, a name with `_`, a path, a URL | 6 characters (`value_chars`) |
//! | a placeholder of [`PersonalData`](crate::PersonalData), such as `[IBAN_1]`: the guard sees it in the place of the value | any length |
//! | a number, also in groups such as `0171 234 5678` | 6 digits |
//! | a whole value of a JSON result with at most three words, anywhere in an argument | 6 characters |
//! | one to three words of a text, as a whole argument | 6 characters |
//!
//! - **Encodings.** The guard also compares what percent codes, escapes such as `\u0041`, HTML entities, base64 (both
//!   alphabets, with and without padding, in lines) and hexadecimal codes contain, in results and in arguments, three levels deep.
//!   It reads JSON in texts.
//! - **Several arguments.** A value that is split over several arguments is found in the order of the arguments and in the opposite
//!   order. The order of the fields of an object is the alphabetical one.
//! - **Several results.** Each copied part that is long enough counts. So a value that is joined from two results has both labels.
//! - **Other tools.** If a call has a tainted argument, its result is tainted too (`propagate`). So a value that a tool has
//!   translated or looked up keeps its label.
//! - **Answers and summaries of the model.** The guard finds copies, wherever the model has put them in between.
//!
//! The guard does not find: a paraphrase, a translation by the model, a summary, a value that the model has encrypted, reversed or
//! spelled in words, base32, codes in pieces, and values shorter than the lengths above, such as a PIN. Against these, use
//! `coarse = true`: after the model has read a tainted text, the arguments of a sink may only have what the user, the program or a
//! trusted tool has written, and what is cleared.
//!
//! # What is not tainted
//!
//! - What the user has written in the input of a run or in the conversation before it, unless `user_input` is a label.
//! - The instructions at the beginning of the conversation, and the values that the schemas of the tools name (not their
//!   descriptions). A later message of the system, such as a warning of a guard, may quote the model, so it is not trusted.
//! - The results of `trusted` tools, and `trusted_values`.
//! - Values that a [`Sanitizer`] or [`clear`] has cleared. Only this very value is clean: a part of it, or a longer value that
//!   contains it, stays tainted.
//!
//! The input of an [inner run](exo_rails::RailContext::is_inner_run), such as the task of an agent in a tool, and the conversation
//! before it are neither tainted nor trusted, because a model has written them. The instructions of the inner agent itself are
//! trusted: a tool must not make them from its arguments.
//!
//! A value that occurs in a tainted and in a trusted text is not tainted. So an attacker who can make the user or a trusted tool
//! repeat a value can clear it.
//!
//! # How long it is remembered
//!
//! For a run, or for a session (`scope = "session"`). The guard keeps hashes with a random key, and no texts. They survive when the
//! run is suspended, and are saved with a session. At the beginning of a run and of each model call, the guard reads what is new in
//! the conversation, so the results of earlier runs count as well; but a result clears something, or is trusted, only while its call runs. A run that goes on without its state, for example after a crash,
//! is strict until the next model call: all values are tainted. Then it knows what is in the conversation again, but not what
//! agents in its tools have read: use a [store](#a-store).
//!
//! With the scope `run`, the next run of a session reads the results that are still in the conversation. It does not know those that a
//! compaction has removed, that agents in tools have read, or that a [`Fallback`](crate::Fallback) has made: use
//! `scope = "session"`.
//!
//! An agent in a tool has the same state if it runs in the [context](exo_rails::Permit::context) of the call, and if its chain has
//! the guard. A run with a context of its own begins without taint.
//!
//! # A store
//!
//! With `keep_in_store = true`, the guard keeps what it remembers in a [store](crate::store) under the id of the run, or of the
//! session: a run without a session is then a fault. Each text that it reads becomes a record, which other processes read at
//! their next event. So a value that one process has read is tainted in all, also after a restart. The records have hashes, and
//! no texts.
//!
//! - A call of a sink reads one record, and so does each other event of the guard. A text that is read is one more record with
//!   about 11 bytes for each letter, and a change of a small one. A process that joins a session reads all its records once.
//! - A record expires 30 days after it was written. If a process joins a session later and a record is missing, all values
//!   that are not trusted or cleared are tainted. After 30 days without any text, the session begins again.
//! - Two calls that run at the same time in two processes do not know each other's results before they end.
//! - A store that is full or fails is a fault, which ends the run.
//!
//! # A full state
//!
//! The guard keeps at most `max_marks` marks. If more text is read, all values that are not trusted or cleared are tainted with the
//! labels of what did not fit.

mod declared;
mod folded;
mod guard;
mod hash;
mod learned;
mod leaves;
mod marks;
mod shared;
mod state;
mod values;
mod views;
mod watched;
mod words;

pub use declared::{clear, taint, trust};
pub use exo_rails_policy::data_flow::{DataFlowConfig, FlowScope, Sanitizer, Sink, SinkDecision, Source};
pub use guard::{DataFlow, FlowError};
pub use state::FlowState;
