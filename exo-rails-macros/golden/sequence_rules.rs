fn rules() -> [SequenceRule; 3] {
    type __Tools = shop::OrderTools;
    [
        {
            let tool_0 = ::exo_rails_guards::for_macros::tool(|set: &__Tools| {
                &set.refund
            });
            let tool_1 = ::exo_rails_guards::for_macros::tool(|set: &__Tools| {
                &set.payout
            });
            let tool_2 = ::exo_rails_guards::for_macros::tool(|set: &__Tools| {
                &set.approve
            });
            let rule = ::exo_rails_guards::for_macros::TypedRule::new(
                "refund or payout only after approve within 1h same order_id as id",
                &[tool_0.name(), tool_1.name(), tool_2.name()],
            );
            let first = tool_0.field("order_id", |arguments| &arguments.order_id);
            let rule = rule
                .same(
                    0usize,
                    &[
                        first.name(),
                        ::exo_rails_guards::for_macros::same(
                            &first,
                            tool_1.field("order_id", |arguments| &arguments.order_id),
                        ),
                    ],
                    &[
                        ::exo_rails_guards::for_macros::same(
                            &first,
                            tool_2.field("id", |arguments| &arguments.id),
                        ),
                    ],
                );
            rule.rule()
        },
        {
            let tool_0 = ::exo_rails_guards::for_macros::tool(|set: &__Tools| {
                &set.refund
            });
            let rule = ::exo_rails_guards::for_macros::TypedRule::new(
                    "sum of euros in refund at most 500 within 1d per user",
                    &[tool_0.name()],
                )
                .sum(&[tool_0.amount("euros", |arguments| &arguments.euros)]);
            rule.rule().named("large").because("A person pays more.")
        },
        {
            let tool_0 = ::exo_rails_guards::for_macros::tool(|set: &__Tools| {
                &set.refund
            });
            let rule = ::exo_rails_guards::for_macros::TypedRule::new(
                    "sum of price.euros in refund at most 500 same order.id",
                    &[tool_0.name()],
                )
                .sum(
                    &[
                        tool_0
                            .field("price", |arguments| &arguments.price)
                            .inner_amount("euros", |arguments| &arguments.euros),
                    ],
                );
            let first = tool_0
                .field("order", |arguments| &arguments.order)
                .inner("id", |arguments| &arguments.id);
            let rule = rule.same(0usize, &[first.name()], &[]);
            rule.rule()
        },
    ]
}
