//! Writes the type of a machine.

use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::LitStr;

use super::input::Input;
use super::read::Read;
use crate::node_types;

pub(super) fn expand(input: &Input, read: &Read) -> TokenStream {
    let Input { library, attrs, vis, name, .. } = input;
    // A printed machine is one file, and reading it gives the same machine.
    let source = read.machine.to_string();
    let paths = read.machine.ids().map(|id| read.machine.path(id));
    let nodes = node_types::module(library, vis, name, &node_types::of_paths(paths));
    let files = read.files.iter().map(|path| LitStr::new(&path.to_string_lossy(), Span::call_site()));
    quote! {
        #(#attrs)*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #vis struct #name;

        impl #name {
            /// Returns the machine of the file.
            #[must_use]
            #vis fn machine() -> #library::Machine {
                #library::for_macros::machine(#source)
            }
        }

        #nodes

        // The compiler reads the files again when they change.
        const _: &[&[u8]] = &[#(include_bytes!(#files)),*];
    }
}
