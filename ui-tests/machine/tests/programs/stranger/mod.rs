//! Programs that someone wrote from the documentation alone. Each has a `main`.

ui_tests::programs!(
    approval_of_a_transition_and_a_tool,
    conditions_over_a_generic_context,
    executor_as_impl_trait_with_an_own_sink,
    host_of_machines_in_tasks,
    machine_of_a_module,
    steps_of_a_countdown,
    tools_with_state_in_nodes,
    two_machines_in_one_file,
);
