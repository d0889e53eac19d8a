#[automatically_derived]
impl ::exo_rails::for_macros::DerivedProvided for RateLimitLeft {
    const VALUE: ::exo_rails::for_macros::ValueInfo = ::exo_rails::for_macros::ValueInfo {
        name: "RateLimitLeft",
        declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
    };
}
