import type { Usage } from '../../models/adapter.ts'
import { answer, type BuiltInCommand } from './command.ts'

const newestRuns = 200

export const stats: BuiltInCommand = {
  name: 'stats',
  aliases: ['统计'],
  description: 'messages and tokens of this session',
  async run({ store, session }) {
    const { items } = await store.listRuns(session.scope, { sessionId: session.id, limit: newestRuns })
    const sum = (key: keyof Usage) =>
      items.reduce((total, { usage }) => total + ((usage as Usage | undefined)?.[key] ?? 0), 0)
    return answer(
      [
        `${session.messageCount} messages, ${items.length}${items.length === newestRuns ? ' or more' : ''} turns`,
        `tokens: ${sum('inputTokens')} in (${sum('cacheReadTokens')} from the cache), ${sum('outputTokens')} out`,
      ].join('\n'),
    )
  },
}
