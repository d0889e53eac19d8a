#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::__private::ToolArgs for DeleteFile {
    const NAME: &'static str = "delete_file";
    const DESCRIPTION: &'static str = "Deletes a file of the workspace.";
    fn schema() -> ::exo_rails::__private::Schema {
        <DeleteFile as ::exo_rails::__private::HasSchema>::schema()
    }
}
