#[automatically_derived]
#[diagnostic::do_not_recommend]
impl ::exo_rails::Provided for RateLimitLeft {
    const VALUE: ::exo_rails::__private::ValueInfo = ::exo_rails::__private::ValueInfo {
        name: "RateLimitLeft",
        declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
    };
}
