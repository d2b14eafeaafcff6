/** What documents and todo lists bring into what crosses the wire and into prompts. */
export const documentWords = {
  groups: { document: true, todo: true },
  tags: ['active_locks'],
  /** What a turn may have changed. */
  snapshotExample: { document: 1 },
  references: {
    doc: ['doc', 'document', 'note', '文档', '便签', '笔记'],
    todo: ['todo', '待办'],
  },
  wordings: { folder: 'must be names with "/" between them, such as "plans/2027"' },
} as const
