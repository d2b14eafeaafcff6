import { createHash } from 'node:crypto'

// what every provider takes
const maxLength = 64

/** `mcp__server__tool`. Server names have no `__` in them, so two servers never share a name. */
export function toToolName(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`
  if (name.length <= maxLength) return name
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, 8)
  return `${name.slice(0, maxLength - hash.length - 1)}_${hash}`
}
