/** What workflows bring into what crosses the wire and into prompts. */
export const workflowWords = {
  groups: { workflow: true },
  tags: ['workflow_context', 'workflow_management_context', 'current_definition'],
  runKind: 'workflow',
  folderFiles: 'workflows',
  references: { workflow: ['workflow', '工作流'] },
} as const
