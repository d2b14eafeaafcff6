/** What other tools call the things that Parley's tools do, the most common word first; theirs for files are one here. */
const parleyTools: Record<string, readonly string[]> = {
  file: [
    'read',
    'edit',
    'multiedit',
    'write',
    'patch',
    'grep',
    'glob',
    'list',
    'ls',
    'search',
    'codebase',
    'usages',
    'editfiles',
    'file',
  ],
  terminal: ['bash', 'shell', 'execute', 'runcommands', 'runinterminal', 'terminal'],
  web_fetch: ['webfetch', 'fetch', 'web', 'web_fetch'],
  web_search: ['websearch', 'web', 'web_search'],
  spawn_task: ['task', 'agent', 'runsubagent', 'spawn_task'],
}

/**
 * Parley's tools for those of another tool: a list, one text with commas, or switches by name. What has no counterpart
 * is left out. Undefined means all: nothing is said, or everything is meant.
 */
export function toParleyTools(given: unknown): string[] | undefined {
  if (typeof given === 'string') return fromNames(given.match(/[^\s,()]+(?:\([^()]*\))?/g) ?? [])
  if (Array.isArray(given)) return fromNames(given.filter((name) => typeof name === 'string'))
  if (typeof given === 'object' && given !== null) return fromSwitches(given as Record<string, unknown>)
  return undefined
}

function fromNames(names: readonly string[]): string[] | undefined {
  if (names.includes('*')) return undefined
  const wanted = new Set(names.map(toKey))
  const own = toolsOf((foreign) => foreign.some((name) => wanted.has(name)))
  return [...own, ...names.filter((name) => name.startsWith('mcp__'))]
}

/** There everything is on that is not switched off. */
function fromSwitches(given: Record<string, unknown>): string[] | undefined {
  const switches = Object.entries(given).filter(([, value]) => typeof value === 'boolean')
  if (switches.every(([, value]) => value)) return undefined
  const isOn = new Map(switches.map(([name, value]) => [toKey(name), value as boolean]))
  const usual = isOn.get('*') ?? true
  return toolsOf((foreign) => foreign.some((name) => isOn.get(name)) || (isOn.get(foreign[0]!) ?? usual))
}

const toolsOf = (isWanted: (foreign: readonly string[]) => boolean): string[] =>
  Object.entries(parleyTools).flatMap(([tool, foreign]) => (isWanted(foreign) ? [tool] : []))

/** `Bash(git add:*)` is about Bash, and `edit/editFiles` about editFiles. */
const toKey = (name: string): string => name.replace(/\(.*$/s, '').replace(/^.*\//, '').toLowerCase()
