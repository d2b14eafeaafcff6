import { readdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { createParley } from '../src/parley.ts'
import { defineTool } from '../src/core/tools/tool.ts'
import { temporaryFolder } from './harness.ts'

const tool = (name: string) =>
  defineTool({ name, description: name, input: z.strictObject({}), execute: async () => name })

it.each([
  ['one of Parley', 'file', ['file']],
  ['another one', 'dice', ['dice', 'dice']],
])('refuses a tool that has the name of %s, and leaves nothing open', async (_, name, given) => {
  using folder = temporaryFolder()
  const open = (...tools: string[]) => createParley({ dataDir: folder.path, tools: tools.map(tool) })
  await expect(open(...given)).rejects.toThrow(`the tool "${name}"`)
  // SQLite takes it away with the last connection
  expect(readdirSync(folder.path)).not.toContain('parley.db-wal')
  await using parley = await open('cards')
  const { items } = await parley.catalogue.tools()
  expect(items.map((listed) => listed.name)).toContain('cards')
})
