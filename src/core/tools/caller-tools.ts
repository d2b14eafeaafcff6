import { type CallerTool, checkOf } from '../protocol/awaited-call.ts'
import { invalidRequest, quote } from '../protocol/error.ts'
import type { Tool } from './tool.ts'
import { refuseToExecute } from './tool.ts'

const anyObject = { type: 'object', properties: {} }

/** Tools that came with an input, as the turn offers them. */
export const callerToolsOf = (given: readonly CallerTool[] = []): Tool[] =>
  given.map(({ name, description = '', inputSchema }) => ({
    name,
    description,
    // whoever brings a tool wants the model to see all of it
    offered: 'whole',
    input: checkOf(inputSchema),
    inputSchema: inputSchema ?? anyObject,
    isAwaited: true,
    execute: refuseToExecute,
  }))

/** Refuses names that are there twice, and those of tools that the turn has anyway. */
export function checkCallerTools(given: readonly CallerTool[], taken: (name: string) => boolean): void {
  const names = new Set<string>()
  for (const { name } of given) {
    if (names.has(name)) throw invalidRequest(`"tools" names ${quote(name)} twice.`)
    if (taken(name))
      throw invalidRequest(
        `"tools" names ${quote(name)}, a tool that Parley has. Give yours another name, or send "builtInTools": false.`,
      )
    names.add(name)
  }
}
