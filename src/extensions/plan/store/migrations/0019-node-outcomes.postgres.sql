-- Which states a node has is known to the code, as with steps: one more is no reason to write all nodes anew.
ALTER TABLE plan_nodes DROP CONSTRAINT plan_nodes_status_check;
