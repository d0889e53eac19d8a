/// What the support agent can do.
#[derive(Clone)]
pub struct SupportTools {
    search: ::exo_rails::ToolFor<Search>,
    pub delete_file: ::exo_rails::ToolFor<files::DeleteFile>,
}
const _: () = {
    #[automatically_derived]
    impl ::exo_rails::ToolSet for SupportTools {
        const NAME: &'static str = "SupportTools";
        const NAMES: &'static [&'static str] = &[
            ::exo_rails::for_macros::name_of(
                |set: &Self| &set.search,
                &<_ as ::exo_rails::ToolArgs>::NAMED,
            ),
            ::exo_rails::for_macros::name_of(
                |set: &Self| &set.delete_file,
                &<_ as ::exo_rails::ToolArgs>::NAMED,
            ),
        ];
        fn tools(&self) -> impl ::core::iter::Iterator<Item = &::exo_rails::Tool> {
            let tools: [&::exo_rails::Tool; _] = [
                ::core::convert::AsRef::as_ref(&self.search),
                ::core::convert::AsRef::as_ref(&self.delete_file),
            ];
            ::core::iter::IntoIterator::into_iter(tools)
        }
    }
    #[automatically_derived]
    impl ::core::iter::IntoIterator for SupportTools {
        type Item = ::exo_rails::Tool;
        type IntoIter = ::exo_rails::for_macros::IntoTools;
        fn into_iter(self) -> Self::IntoIter {
            let tools: [::exo_rails::Tool; _] = [
                ::core::convert::Into::into(self.search),
                ::core::convert::Into::into(self.delete_file),
            ];
            ::exo_rails::for_macros::into_tools(tools)
        }
    }
    const _: () = ::exo_rails::for_macros::distinct::<
        SupportTools,
    >(&["Search", "files::DeleteFile"]);
};
