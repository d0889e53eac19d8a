//! Tells a test program where Cargo put the crates that it depends on.
//!
//! Cargo does not tell this to a test. But a macro runs inside rustc, so it can read the arguments of rustc.

use std::env;

use proc_macro::{Delimiter, Group, Literal, Punct, Spacing, TokenStream, TokenTree};

/// The arguments that a program needs to be compiled like the crate that calls this macro, as a `&[&str]`: its edition, the
/// names that it knows for `cfg`, its dependencies, and where they are.
///
/// An example in documentation is compiled by rustdoc, which has other arguments. So this one only compiles.
///
/// ```no_run
/// let args: &[&str] = rustc_args::rustc_args!();
/// assert!(args.iter().any(|arg| arg.starts_with("--edition=")));
/// ```
#[proc_macro]
pub fn rustc_args(_: TokenStream) -> TokenStream {
    let mut texts = TokenStream::new();
    let mut args = env::args();
    while let Some(arg) = args.next() {
        let value = match &*arg {
            "--extern" | "--check-cfg" | "-L" => args.next(),
            _ if arg.starts_with("--edition=") => None,
            _ => continue,
        };
        for text in [Some(arg), value].into_iter().flatten() {
            let comma = TokenTree::from(Punct::new(',', Spacing::Alone));
            texts.extend([TokenTree::from(Literal::string(&text)), comma]);
        }
    }
    let array = TokenTree::from(Group::new(Delimiter::Bracket, texts));
    TokenStream::from_iter([TokenTree::from(Punct::new('&', Spacing::Alone)), array])
}
