import type { Option } from './schema-options.ts'

const ofStep = ['output', 'data', 'approved', 'status', 'sessionId', 'error']

/** What a `$name` can stand for at a place of a text, which may be half typed. */
export function nameOptions(text: string, offset: number): Option[] {
  const before = text.slice(0, offset)
  const steps = [...before.matchAll(/(?:^|[\s{,])"?id"?:\s*["']?([A-Za-z_][\w-]*)/g)].map(([, id]) => id!)
  const items = [...before.matchAll(/(?:^|[\s{,])as:\s*["']?([A-Za-z_][\w-]*)/g)].map(([, name]) => name!)
  // the step that is being written cannot know what it will say
  const own = ownId(before)
  const isIn = (type: string) => new RegExp(`type:\\s*["']?${type}\\b`).test(before)
  const names = [
    ...argNames(text).map((name) => `$args.${name}`),
    ...ofStep.slice(0, 2).map((word) => `$prev.${word}`),
    ...[...new Set(steps)].filter((id) => id !== own).flatMap((id) => ofStep.map((word) => `$${id}.${word}`)),
    ...(isIn('foreach')
      ? [...new Set(items.length > 0 ? items : ['item']), 'index'].map((name) => `$${name}`)
      : []),
    ...(isIn('loop') ? ['$iteration'] : []),
  ]
  return names.map((label) => ({ label }))
}

function ownId(before: string): string | undefined {
  const start = Math.max(before.lastIndexOf('\n- '), before.lastIndexOf('  - '), before.lastIndexOf('{'))
  return /(?:^|[\s{,-])"?id"?:\s*["']?([A-Za-z_][\w-]*)/.exec(before.slice(start))?.[1]
}

/** Keys right below `args:` on the top level, in a block or on one line. */
export function argNames(text: string): string[] {
  const [, rest, block = ''] = /^args:[ \t]*(.*)\n?((?:[ \t]+.*\n?|\s*\n)*)/m.exec(text) ?? []
  if (rest === undefined) return []
  if (rest.startsWith('{'))
    return [
      ...rest
        .replace(/\{[^{}]*\}/g, (inner) => (inner === rest ? inner : ''))
        .matchAll(/(?<![\w-])([A-Za-z_][\w-]*)\s*:/g),
    ].map(([, name]) => name!)
  const indent = /^[ \t]+/.exec(block)?.[0].length ?? 0
  return block.split('\n').flatMap((line) => {
    const [, lead = '', name] = /^([ \t]+)["']?([A-Za-z_][\w-]*)["']?\s*:/.exec(line) ?? []
    return name !== undefined && lead.length === indent ? [name] : []
  })
}
