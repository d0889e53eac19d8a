#[automatically_derived]
impl ::exo_rails::for_macros::DerivedToolArgs for DeleteFile {
    const TOOL_NAME: &'static str = "delete_file";
    const TOOL_DESCRIPTION: &'static str = "Deletes a file of the workspace.";
    fn tool_schema() -> ::exo_rails::for_macros::Schema {
        <DeleteFile as ::exo_rails::for_macros::HasSchema>::schema()
    }
}
