#[automatically_derived]
impl ::exo_rails::for_macros::DerivedToolArgs for Ping {
    const TOOL_NAME: &'static str = "ping";
    const TOOL_DESCRIPTION: &'static str = "Answers.";
    fn tool_schema() -> ::exo_rails::for_macros::Schema {
        let schema: ::exo_rails::for_macros::Schema = json!({ "type" : "object" });
        schema
    }
}
