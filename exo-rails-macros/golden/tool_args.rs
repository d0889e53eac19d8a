#[automatically_derived]
impl ::exo_rails::__private::DerivedToolArgs for DeleteFile {
    const TOOL_NAME: &'static str = "delete_file";
    const TOOL_DESCRIPTION: &'static str = "Deletes a file of the workspace.";
    fn tool_schema() -> ::exo_rails::__private::Schema {
        <DeleteFile as ::exo_rails::__private::HasSchema>::schema()
    }
}
