import type { Usage } from '../../models/adapter.ts'
import { unsearchedNote } from '../../protocol/search.ts'
import { catchUpIndex } from '../../store/catch-up-index.ts'
import { answer, type BuiltInCommand } from './command.ts'

export const createHelp = (builtIn: () => readonly BuiltInCommand[]): BuiltInCommand => ({
  name: 'help',
  aliases: ['帮助'],
  description: 'the commands there are',
  async run({ custom }) {
    const lines = [...builtIn(), ...(custom?.commands ?? [])].map(
      ({ name, description }) => `- /${name}${description ? `: ${description}` : ''}`,
    )
    return answer(['Commands:', ...lines].join('\n'))
  },
})

const shown = 10

export const search: BuiltInCommand = {
  name: 'search',
  aliases: ['搜索'],
  description: 'sessions that hold these words',
  argumentHint: '<words>',
  async run({ store, session }, args) {
    if (args.trim() === '') return answer('Say what to look for: /search words')
    const note = unsearchedNote(await catchUpIndex(store, session.scope))
    const { items } = await store.listSessions(session.scope, { text: args, limit: shown })
    const found = items.map(({ id, title }) => `- ${title || '(untitled)'} (${id})`).join('\n')
    return answer([found || 'Nothing found.', ...(note ? [note] : [])].join('\n\n'))
  },
}

export const skill: BuiltInCommand = {
  name: 'skill',
  aliases: ['技能'],
  description: 'the skills there are; with a name, its text goes to the model',
  argumentHint: '[name]',
  async run({ session, skills, loadSkill }, args) {
    const name = args.trim()
    if (name === '' || name === 'list')
      return answer(
        skills.map((one) => `- ${one.name}: ${one.description}`).join('\n') || 'There are no skills here.',
      )
    if (!skills.some((one) => one.name === name))
      return answer(`There is no skill "${name}". /skill lists them.`)
    return { mode: 'prompt', text: (await loadSkill(session.scope, name)).text }
  },
}

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
