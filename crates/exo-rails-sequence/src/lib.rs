//! The grammar of sequence rules: rules about the order and the number of an agent's tool calls, such as
//! `refund only after approve within 1h same order_id`.
//!
//! `exo-rails` reads these rules with the macro `sequence_rules!` at compile time, and `exo-rails-guards` reads them from files
//! at run time. Both use this crate, so one rule has one meaning. The type of places, `P`, is a span for the macro, and a byte of
//! the text for [`text::parse`].
//!
//! ```
//! use exo_rails_sequence::grammar::Demand;
//! use exo_rails_sequence::text;
//!
//! let rule = text::parse("never send_mail after read_web unless review in between per session").unwrap();
//! assert_eq!(rule.per, "session");
//! assert!(matches!(rule.demand, Demand::Never { .. }));
//! ```

pub mod grammar;
pub mod text;
