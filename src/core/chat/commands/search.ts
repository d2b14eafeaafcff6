import { answer, type BuiltInCommand } from './command.ts'

const shown = 10

export const search: BuiltInCommand = {
  name: 'search',
  aliases: ['搜索'],
  description: 'sessions that hold these words',
  argumentHint: '<words>',
  async run({ store, session }, args) {
    if (args.trim() === '') return answer('Say what to look for: /search words')
    while (await store.indexNextSession(session.scope));
    const { items } = await store.listSessions(session.scope, { text: args, limit: shown })
    return answer(
      items.map(({ id, title }) => `- ${title || '(untitled)'} (${id})`).join('\n') || 'Nothing found.',
    )
  },
}
