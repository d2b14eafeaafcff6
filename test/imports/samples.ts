/* Exports of other programs, written by hand from public descriptions of their formats. */

export const gptNode = (
  id: string,
  parent: string | null,
  role: string | null,
  text: string | null,
  more: { time?: number | null; children?: string[]; message?: object; metadata?: object } = {},
) => ({
  [id]: {
    id,
    parent,
    children: more.children ?? [],
    message:
      role === null
        ? null
        : {
            id,
            author: { role, name: null, metadata: {} },
            create_time: more.time === undefined ? 1_700_000_000 : more.time,
            content: { content_type: 'text', parts: text === null ? [] : [text] },
            status: 'finished_successfully',
            weight: 1,
            metadata: more.metadata ?? {},
            recipient: 'all',
            ...more.message,
          },
  },
})

export const gptConversation = (id: string, mapping: object, more: object = {}) => ({
  title: `Conversation ${id}`,
  create_time: 1_700_000_000.123,
  update_time: 1_700_000_900.5,
  mapping,
  moderation_results: [],
  current_node: Object.keys(mapping).at(-1),
  conversation_id: id,
  id,
  is_archived: false,
  default_model_slug: 'gpt-4o',
  ...more,
})

/** A question that was edited, and an answer that was generated again: three branches. */
export const gptBranches = gptConversation(
  'conv-branches',
  {
    ...gptNode('root', null, null, null, { children: ['q1', 'q2'] }),
    ...gptNode('q1', 'root', 'user', 'What is a fjord?', { time: 1_700_000_010, children: ['a1', 'a2'] }),
    ...gptNode('a1', 'q1', 'assistant', 'A long inlet.', {
      time: 1_700_000_020,
      metadata: { model_slug: 'gpt-4o' },
    }),
    ...gptNode('a2', 'q1', 'assistant', 'An inlet made by ice.', { time: 1_700_000_100, children: ['q3'] }),
    ...gptNode('q3', 'a2', 'user', 'Thanks', { time: 1_700_000_110 }),
    ...gptNode('q2', 'root', 'user', 'What is a delta?', { time: 1_700_000_200, children: ['b1'] }),
    ...gptNode('b1', 'q2', 'assistant', 'The mouth of a river.', { time: 1_700_000_210 }),
  },
  { current_node: 'q3', title: 'Water' },
)

export const textOf = (parts: readonly { type: string; text?: unknown }[]) =>
  parts.flatMap(({ type, text }) => (type === 'text' ? [String(text)] : [])).join('\n')
