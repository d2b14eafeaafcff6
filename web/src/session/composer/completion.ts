/** What is being typed that could be completed: `/command` at the start of the text, `@something` anywhere. */
export interface Trigger {
  kind: 'command' | 'mention'
  query: string
  /** From the sign to the caret. */
  start: number
  end: number
}

export interface Option {
  id: string
  kind: 'command' | 'file' | 'folder' | 'session' | 'agent'
  label: string
  detail?: string
  /** A letter or an emoji in place of the icon of its kind. */
  avatar?: string
  badge?: string
  /** What it becomes in the text: words that one could have typed as well, which the server reads. */
  insert: string
}

export interface CommandLike {
  name: string
  aliases: readonly string[]
  description?: string
  argumentHint?: string
  source: string
}

// longer than this nobody completes; a text without spaces must not be searched for
const maxQuery = 100

export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - maxQuery - 2), caret)
  if (caret <= maxQuery) {
    const [, command] = /^\/([^\s()/]*)$/.exec(text.slice(0, caret)) ?? []
    if (command !== undefined) return { kind: 'command', query: command, start: 0, end: caret }
  }
  // not within a word: mail addresses and packages are none
  const [, mention] = /(?:^|[^\w.%+/-])@([^\s@()（）]*)$/u.exec(before) ?? []
  if (mention === undefined || mention.length > maxQuery) return undefined
  return { kind: 'mention', query: mention, start: caret - mention.length - 1, end: caret }
}

/** `file:` and `session:` may have been typed already. */
export function splitMention(query: string): { only?: 'file' | 'session'; words: string } {
  const [, word = '', words = ''] = /^(file|session|文件|会话)[:：](.*)$/u.exec(query) ?? []
  if (word === '') return { words: query }
  return { only: word === 'file' || word === '文件' ? 'file' : 'session', words }
}

/** Names that begin with it first, then aliases, then names that hold it. */
export function matchCommands(commands: readonly CommandLike[], query: string, limit = 20): CommandLike[] {
  const word = query.toLowerCase()
  const rank = ({ name, aliases }: CommandLike) => {
    if (name.toLowerCase().startsWith(word)) return 0
    if (aliases.some((alias) => alias.toLowerCase().startsWith(word))) return 1
    return name.toLowerCase().includes(word) ? 2 : 3
  }
  return commands
    .map((command) => ({ command, rank: rank(command) }))
    .filter((entry) => entry.rank < 3)
    .sort((one, two) => one.rank - two.rank || (one.command.name < two.command.name ? -1 : 1))
    .slice(0, limit)
    .map(({ command }) => command)
}

export const toCommandOption = (command: CommandLike, badge: string): Option => ({
  id: `command-${command.name}`,
  kind: 'command',
  label: `/${command.name}${command.argumentHint ? ` ${command.argumentHint}` : ''}`,
  detail: command.description,
  badge,
  insert: `/${command.name} `,
})

/** A folder is left open for what is in it. */
export const toFileOption = ({ path, kind }: { path: string; kind: 'file' | 'folder' }): Option => ({
  id: `${kind}-${path}`,
  kind,
  label: kind === 'folder' ? `${path}/` : path,
  insert: `${toReference('file', path)}${kind === 'file' || /\s/.test(path) ? ' ' : '/'}`,
})

export const toSessionOption = (session: { id: string; title: string }, untitled: string): Option => ({
  id: session.id,
  kind: 'session',
  label: session.title || untitled,
  detail: session.id,
  insert: `${toReference('session', session.id)} `,
})

/** In brackets where the plain form would end too early. */
export const toReference = (type: string, id: string) =>
  /^[^\s()（），。；：！？、【】《》“”‘’「」,;"'`<>]+$/u.test(id) && !/[.:!?…]$/u.test(id)
    ? `@${type}:${id}`
    : `@(${type}:${id})`

export function applyOption(
  text: string,
  { start, end }: Trigger,
  { insert }: Option,
): { text: string; caret: number } {
  const after = text.slice(end)
  // a space that is there already is not put there again
  const inserted = insert.endsWith(' ') && after.startsWith(' ') ? insert.slice(0, -1) : insert
  const caret = start + inserted.length + (inserted.length < insert.length ? 1 : 0)
  return { text: text.slice(0, start) + inserted + after, caret }
}
