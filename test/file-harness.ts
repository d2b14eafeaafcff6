import { mkdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Location, Workspaces } from '../src/core/files/workspaces.ts'
import type { ToolContext } from '../src/core/tools/tool.ts'
import { createFileTool, type FileToolOptions } from '../src/extensions/files/file-tool.ts'
import { arrangeFiles } from './context-arrange.ts'

/**
 * The file tool over real folders: `root` is the main workspace, `data` the folder of Parley with the workspace of the
 * session in it, `granted` was allowed, and `secret` is none of its business.
 */
export function arrangeFileTool(files: Record<string, string | Buffer> = {}, options: FileToolOptions = {}) {
  const arranged = arrangeFiles(files)
  const folder = realpathSync(arranged.folder)
  for (const path of ['data/workspaces/ses_1', 'granted']) mkdirSync(join(folder, path), { recursive: true })
  const workspaces: Workspaces = {
    main: join(folder, 'root'),
    session: join(folder, 'data/workspaces/ses_1'),
    granted: [join(folder, 'granted')],
    forbidden: [join(folder, 'data')],
  }
  const tool = createFileTool(options)
  const kept: Location[] = []
  const context: ToolContext = {
    scope: 'default',
    sessionId: 'ses_1',
    runId: 'run_1',
    toolCallId: 'call_1',
    workspaces,
    changes: {
      keepFile: async (location) => void kept.push(location),
      keep: async () => {},
    },
    signal: new AbortController().signal,
  }
  /** Through the schema, as a model's input comes. */
  const call = async (input: Record<string, unknown>, more: Partial<ToolContext> = {}): Promise<unknown> => {
    const parsed = tool.input.safeParse(input)
    if (!parsed.success) throw new Error(`The input does not fit: ${parsed.error.message}`)
    return tool.execute(parsed.data, { ...context, ...more })
  }
  return { ...arranged, folder, workspaces, tool, kept, call }
}
