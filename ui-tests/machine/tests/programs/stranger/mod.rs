//! Programs that someone wrote from the documentation alone. Each has a `main`.

ui_tests::programs!(
    a_drawing_of_a_definition,
    a_file_drawn_before_and_after_its_run,
    a_path_for_each_line_of_an_order,
    a_publication_resumed_from_json,
    a_task_that_uses_a_typed_tool,
    approval_of_a_transition_and_a_tool,
    conditions_over_a_generic_context,
    conditions_with_functions_enums_and_two_contexts,
    executor_as_impl_trait_with_an_own_sink,
    host_of_machines_in_tasks,
    machine_of_a_module,
    one_function_for_machines_of_all_kinds,
    steps_of_a_countdown,
    tools_with_state_in_nodes,
    two_machines_in_one_file,
);
