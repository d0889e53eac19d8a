#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::__private::ToolArgs for Ping {
    const NAME: &'static str = "ping";
    const DESCRIPTION: &'static str = "Answers.";
    fn schema() -> ::exo_rails::__private::Schema {
        let schema: ::exo_rails::__private::Schema = json!({ "type" : "object" });
        schema
    }
}
