/** What rooms bring into what crosses the wire and into prompts. */
export const roomWords = {
  tags: ['peers', 'room_rules', 'room_state', 'room_task', 'message'],
  wordings: { agents_once: 'must name at least one agent, each once' },
} as const
