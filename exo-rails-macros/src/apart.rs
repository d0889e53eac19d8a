//! Types of a name that the crate has already.
//!
//! When a module has two rails of one name, rustc reports the name. It would also report each trait of the second type: the name
//! means the first one, which has these traits. So the type of a second rail of a name stands in a module of its own, where
//! the name means that type. Most often, both rails are in different modules, and nothing is wrong.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;

/// How many types of each name the macros have made for this crate.
static MADE: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

/// The module for the type of this name, when it is not the first one. Outside of the compiler there is none: what a macro
/// writes in a test does not depend on other tests.
pub(crate) fn module(ident: &Ident) -> Option<Ident> {
    if !proc_macro::is_available() {
        return None;
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = made.entry(ident.to_string()).or_default();
    *count += 1;
    (*count > 1).then(|| format_ident!("__{}_{count}", ident.unraw(), span = Span::mixed_site()))
}
