import { invalidRequest, quote } from '../protocol/error.ts'
import type { Tool } from './tool.ts'

/** The tools of one Parley. It is built before those who call tools, and filled before anything is executed. */
export interface ToolRegistry {
  /** Refuses a name that is taken, and then adds none of them. */
  register(...tools: readonly Tool[]): void
  /** In the order in which they were registered; grows with it. */
  list(): readonly Tool[]
  find(name: string): Tool | undefined
}

export function createToolRegistry(): ToolRegistry {
  const registered: Tool[] = []
  const byName = new Map<string, Tool>()
  return {
    register(...added) {
      const names = new Set(byName.keys())
      for (const { name } of added) {
        if (names.has(name)) throw invalidRequest(`There is a tool named ${quote(name)} already.`)
        names.add(name)
      }
      for (const tool of added) byName.set(tool.name, tool)
      registered.push(...added)
    },
    list: () => registered,
    find: (name) => byName.get(name),
  }
}
