/** What plans bring into what crosses the wire and into prompts. */
export const planWords = {
  groups: { plan: true },
  runKind: 'plan',
  tags: [
    'plan_context',
    'plan_binding',
    'plan_outline',
    'plan_list',
    'recent_results',
    'reply_schema',
    'actions',
    'guidelines',
    'subgraph',
  ],
} as const
