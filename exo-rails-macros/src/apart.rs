//! Types whose name another type of the crate has too.
//!
//! If a module has two rails of one name, rustc reports the name. It would also report each trait of the second type: the
//! name means the first type, which has these traits already. So the type of a second rail stands in its own module,
//! where the name means the second type. Usually the two rails are in different modules, and both are correct.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;

/// The number of types of each name that the macros have made for this crate.
static MADE: Mutex<BTreeMap<String, u32>> = Mutex::new(BTreeMap::new());

/// Returns the module for the type of this name. Returns `None` for the first type of a name. Also returns `None` outside
/// of the compiler, so the output of a macro in a test does not depend on other tests.
pub(crate) fn module(ident: &Ident) -> Option<Ident> {
    if !proc_macro::is_available() {
        return None;
    }
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    let count = made.entry(ident.to_string()).or_default();
    *count += 1;
    (*count > 1).then(|| format_ident!("__{}_{count}", ident.unraw(), span = Span::mixed_site()))
}
