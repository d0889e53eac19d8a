impl<S: Store> RateLimit<S> {
    async fn spend(&self, call: &mut ModelCallInputs) -> Result<Verdict, S::Error> {
        self.store.take(1).await
    }
    fn report(&self) {}
}
///
/**# Rail

Name `rate limit`, priority 50.

| events | a fault |
| --- | --- |
| `PreLlmCall` | ends the run |
| `Finished` | is reported |
*/
#[automatically_derived]
impl<S: Store> ::exo_rails::Rail for RateLimit<S> {
    const WRITE_RAIL_ABOVE_AN_IMPL_BLOCK: ::exo_rails::for_macros::Row = ::exo_rails::for_macros::Row::new(
            ::exo_rails::RailInfo {
                name: "rate limit",
                priority: ::exo_rails::DEFAULT_PRIORITY,
                declared: ::exo_rails::SourceLocation::here(&::core::module_path!()),
            },
            &[
                <PreLlmCall as ::exo_rails::Event>::POINT,
                <Finished as ::exo_rails::Event>::POINT,
            ],
            &[<PreLlmCall as ::exo_rails::Event>::POINT],
        )
        .generic();
    type Events = (PreLlmCall, (Finished, ()));
}
#[automatically_derived]
impl<S: Store> ::exo_rails::RailOn<PreLlmCall> for RateLimit<S> {
    type Out = Result<Verdict, S::Error>;
    const CHANGES: bool = true;
    #[inline]
    fn call<'__event>(
        &'__event self,
        payload: <PreLlmCall as ::exo_rails::Payloads>::Payload<'__event>,
        ctx: &'__event mut ::exo_rails::RailContext,
    ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
        let mut parts = <PreLlmCall as ::exo_rails::Event>::parts(payload);
        let mut ctx = ::core::option::Option::Some(ctx);
        let p0 = <&mut ModelCallInputs as ::exo_rails::for_macros::CarriedBy<
            '_,
            PreLlmCall,
            <PreLlmCall as ::exo_rails::Payloads>::Payload<'_>,
        >>::pick(&mut parts, &mut ctx);
        Self::spend(self, p0)
    }
}
#[automatically_derived]
impl<S: Store> ::exo_rails::RailOn<Finished> for RateLimit<S> {
    type Out = ();
    #[inline]
    fn call<'__event>(
        &'__event self,
        payload: <Finished as ::exo_rails::Payloads>::Payload<'__event>,
        ctx: &'__event mut ::exo_rails::RailContext,
    ) -> impl ::core::future::Future<Output = Self::Out> + ::core::marker::Send {
        let _ = (payload, ctx);
        ::core::future::ready(Self::report(self))
    }
}
