#[automatically_derived]
impl ::exo_rails::__private::DerivedProvided for RateLimitLeft {
    const VALUE: ::exo_rails::__private::ValueInfo = ::exo_rails::__private::ValueInfo {
        name: "RateLimitLeft",
        declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
    };
}
