const _: () = {
    type Query_0_ = Query;
    type Memories_1_ = Memories;
    type Memories_2_ = Memories;
    const POINT: ::exo_rails::CustomPoint = ::exo_rails::CustomPoint::new(
        "memories_recalled",
        "MemoriesRecalled",
        ::core::module_path!(),
        false,
    );
    const CARRIED: bool = <Query_0_ as ::exo_rails::for_macros::Carried>::CARRIED
        && <Memories_1_ as ::exo_rails::for_macros::Carried>::CARRIED;
    #[automatically_derived]
    impl ::exo_rails::Payloads for MemoriesRecalled {
        type Payload<'__event> = ::exo_rails::for_macros::Sound<
            (&'__event Query_0_, &'__event mut Memories_1_),
            Self,
            { CARRIED },
        >;
        type Substitute = Memories_2_;
        type Skip = ::exo_rails::RailSkip<Memories_2_>;
        type Retry = ::exo_rails::EventCannotRetry;
        type Abort = ::exo_rails::RailAbortError;
        #[inline]
        fn reborrow<'__lent>(
            payload: &'__lent mut Self::Payload<'_>,
        ) -> Self::Payload<'__lent> {
            let (part0, part1) = payload;
            (&**part0, &mut **part1)
        }
    }
    #[automatically_derived]
    #[allow(
        unused_variables,
        unused_mut,
        clippy::unused_unit,
        clippy::needless_question_mark
    )]
    impl ::exo_rails::for_macros::DerivedEvent for MemoriesRecalled {
        const POINT: ::exo_rails::HookPoint = ::exo_rails::HookPoint::Custom(&POINT);
        const ALLOWS: ::exo_rails::Allows = ::exo_rails::Allows::Skip;
        type Returns = (
            ::exo_rails::RailAction<::exo_rails::NoSubstitute, ::exo_rails::NoRetry>,
            ::exo_rails::RailAction<Memories_2_, ::exo_rails::NoRetry>,
            ::exo_rails::Verdict,
            (),
        );
        type Parts<'__event> = (
            ::core::option::Option<&'__event Query_0_>,
            ::core::option::Option<&'__event mut Memories_1_>,
        );
        #[inline]
        fn parts(payload: Self::Payload<'_>) -> Self::Parts<'_> {
            let (part0, part1) = payload;
            (::core::option::Option::Some(part0), ::core::option::Option::Some(part1))
        }
        type Shared<'__event> = ::exo_rails::for_macros::Sound<
            (&'__event Query_0_, &'__event Memories_1_),
            Self,
            { CARRIED },
        >;
        #[inline]
        fn share(payload: Self::Payload<'_>) -> Self::Shared<'_> {
            let (part0, part1) = payload;
            (part0, part1)
        }
        fn whole<'__event>(
            parts: &mut Self::Parts<'__event>,
        ) -> ::core::option::Option<::exo_rails::Inputs<'__event>> {
            ::core::option::Option::Some(
                <Self as ::exo_rails::for_macros::DerivedEvent>::inputs((
                    parts.0.take()?,
                    parts.1.take()?,
                )),
            )
        }
        fn inputs(payload: Self::Payload<'_>) -> ::exo_rails::Inputs<'_> {
            let (part0, part1) = payload;
            let parts = ::core::convert::From::from([
                ::exo_rails::for_macros::CustomPart::Ref(part0),
                ::exo_rails::for_macros::CustomPart::Mut(part1),
            ]);
            ::exo_rails::Inputs::Custom(::exo_rails::CustomInputs::new(&POINT, parts))
        }
        fn payload(
            inputs: ::exo_rails::Inputs<'_>,
        ) -> ::core::option::Option<Self::Payload<'_>> {
            let ::exo_rails::Inputs::Custom(inputs) = inputs else {
                return ::core::option::Option::None
            };
            let mut parts = inputs.of(&POINT)?;
            ::core::option::Option::Some((
                ::core::iter::Iterator::next(&mut parts)?.into_ref()?,
                ::core::iter::Iterator::next(&mut parts)?.into_mut()?,
            ))
        }
    }
    #[automatically_derived]
    impl<'__event> ::exo_rails::for_macros::Param<'__event, MemoriesRecalled>
    for &'__event Query_0_ {
        const TAKES: u8 = 1;
        #[inline]
        fn take(
            parts: &mut <MemoriesRecalled as ::exo_rails::Event>::Parts<'__event>,
            _: &mut ::core::option::Option<&'__event mut ::exo_rails::RailContext>,
        ) -> ::core::option::Option<Self> {
            parts.0.take().map(|part| &*part)
        }
    }
    #[automatically_derived]
    #[allow(unused_variables)]
    impl<'__event> ::exo_rails::for_macros::SharedParam<'__event, MemoriesRecalled>
    for &'__event Query_0_ {
        #[inline]
        fn look(
            payload: <MemoriesRecalled as ::exo_rails::Event>::Shared<'__event>,
            _: &'__event ::exo_rails::RailContext,
        ) -> Self {
            let (part0, part1) = payload;
            part0
        }
    }
    #[automatically_derived]
    impl<'__event> ::exo_rails::for_macros::Param<'__event, MemoriesRecalled>
    for &'__event Memories_1_ {
        const TAKES: u8 = 2;
        #[inline]
        fn take(
            parts: &mut <MemoriesRecalled as ::exo_rails::Event>::Parts<'__event>,
            _: &mut ::core::option::Option<&'__event mut ::exo_rails::RailContext>,
        ) -> ::core::option::Option<Self> {
            parts.1.take().map(|part| &*part)
        }
    }
    #[automatically_derived]
    impl<'__event> ::exo_rails::for_macros::Param<'__event, MemoriesRecalled>
    for &'__event mut Memories_1_ {
        const TAKES: u8 = 2;
        #[inline]
        fn take(
            parts: &mut <MemoriesRecalled as ::exo_rails::Event>::Parts<'__event>,
            _: &mut ::core::option::Option<&'__event mut ::exo_rails::RailContext>,
        ) -> ::core::option::Option<Self> {
            parts.1.take()
        }
    }
    #[automatically_derived]
    #[allow(unused_variables)]
    impl<'__event> ::exo_rails::for_macros::SharedParam<'__event, MemoriesRecalled>
    for &'__event Memories_1_ {
        #[inline]
        fn look(
            payload: <MemoriesRecalled as ::exo_rails::Event>::Shared<'__event>,
            _: &'__event ::exo_rails::RailContext,
        ) -> Self {
            let (part0, part1) = payload;
            part1
        }
    }
    #[automatically_derived]
    impl ::exo_rails::AllowsAbort for MemoriesRecalled {}
    #[automatically_derived]
    impl ::exo_rails::AllowsSkip for MemoriesRecalled {}
    #[automatically_derived]
    impl ::exo_rails::SubstituteFor<MemoriesRecalled> for Memories_2_ {
        fn into_substitute(self) -> Self {
            self
        }
    }
};
