import { join } from 'node:path'
import { z } from 'zod'
import { locate } from '../src/core/files/workspaces.ts'
import { defineTool } from '../src/core/tools/tool.ts'

/** A tool that changes something, and remembers what it was made to do; what is broken it cannot paint. */
export function createPaint() {
  const painted: { path: string; colour?: string }[] = []
  /** Whether the path was in reach of the call, for each of them. */
  const reached: boolean[] = []
  const tool = defineTool({
    name: 'paint',
    description: 'Paints a file',
    group: 'workspace',
    input: z.strictObject({ path: z.string(), colour: z.string().optional() }),
    access: ({ path }, workspaces) => {
      const place = locate(workspaces, path)
      const full = place ? join(place.root, place.path) : path
      return { action: 'paint', effect: 'write', resources: [full], ...(!place && { outside: [path] }) }
    },
    async execute(input, { workspaces }) {
      if (input.path === 'broken') throw new Error('The paint is dry.')
      painted.push(input)
      reached.push(locate(workspaces, input.path) !== undefined)
      return { painted: input.path }
    },
  })
  return { tool, painted, reached }
}
