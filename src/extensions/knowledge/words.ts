/** What knowledge brings into prompts. */
export const knowledgeWords = { tags: ['document', 'knowledge'] } as const
