#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::Provided for RateLimitLeft {
    const VALUE: ::exo_rails::ValueInfo = ::exo_rails::ValueInfo {
        name: "RateLimitLeft",
        declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
    };
}
