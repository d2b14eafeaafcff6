/** What memory brings into what crosses the wire and into prompts. */
export const memoryWords = {
  groups: { memory: true },
  tags: ['memories'],
  references: { memory: ['memory', '记忆'] },
  wordings: {
    session_layer: 'goes with layer "session", and only with it',
    profile_layer: '"profile" goes with layer "user" only',
  },
} as const
