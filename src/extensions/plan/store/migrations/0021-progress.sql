-- What lets a run go on without a look at all that it has done.

-- One node that has to be done before this one, as far as somebody has looked: 0 when nobody has since something changed.
-- It is never a node that is done, so that one which is done can say who is to be looked at again.
ALTER TABLE plan_nodes ADD COLUMN waits_for BIGINT NOT NULL DEFAULT 0;
CREATE INDEX plan_nodes_next ON plan_nodes (plan_id, parent_id, sort) WHERE status = 'pending' AND waits_for = 0;
CREATE INDEX plan_nodes_waiting ON plan_nodes (plan_id, waits_for) WHERE waits_for <> 0;
CREATE INDEX plan_nodes_running ON plan_nodes (plan_id) WHERE status = 'running';
CREATE INDEX plan_steps_by_status ON plan_steps (run_id, status, number);
CREATE INDEX plan_steps_of_node ON plan_steps (run_id, node_id) WHERE node_id IS NOT NULL;
