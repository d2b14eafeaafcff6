import { defineFacets, idSchema, z } from 'parley/extension'

declare module 'parley/extension' {
  /** `sessions.create({ pollId })`, and a field of the session record. */
  interface SessionFacets {
    pollId?: string
  }
  /** `sessions.update(id, { pollId: null })`. */
  interface PatchFacets {
    pollId?: string | null
  }
  /** `sessions.chat(id, { content, vote })`. */
  interface ChatFacets {
    vote?: string
  }
  interface InputFacets {
    vote?: string
  }
  /** `sessions.create({ toolGroups: { polls: false } })`. */
  interface ToolGroups {
    polls: true
  }
  interface PromptTags {
    current_poll: true
  }
}

/** What polls add to sessions and chats. It is validated like every other field, and is part of the OpenAPI document. */
export const pollFacets = defineFacets({
  session: {
    fields: { pollId: idSchema.optional().meta({ description: 'The poll that it is about' }) },
  },
  patch: { fields: { pollId: idSchema.nullish() } },
  chat: {
    fields: {
      vote: z.string().trim().min(1).max(500).optional().meta({
        description: 'In a session about a poll: the choice that is voted for with what is said',
      }),
    },
    toInput: ({ vote }) => ({ vote }),
  },
  groups: { list: { polls: true } },
  tags: ['current_poll'],
})
