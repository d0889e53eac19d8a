#[automatically_derived]
impl ::exo_rails::__private::DerivedToolArgs for Ping {
    const TOOL_NAME: &'static str = "ping";
    const TOOL_DESCRIPTION: &'static str = "Answers.";
    fn tool_schema() -> ::exo_rails::__private::Schema {
        let schema: ::exo_rails::__private::Schema = json!({ "type" : "object" });
        schema
    }
}
