import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { conflict, invalidRequest, quote } from '../core/protocol/error.ts'
import { readVersion } from '../version.ts'

/** Creates a folder in the current one; rejects an existing one. */
export function scaffoldExtension(name: string): { folder: string; files: string[] } {
  if (!/^[a-z][a-z\d-]{0,39}$/.test(name))
    throw invalidRequest(`${quote(name)} must be a word of lower-case letters, digits and "-".`)
  const folder = resolve(name)
  if (existsSync(folder)) throw conflict(`${folder} is there already.`)
  const files = filesOf(name)
  mkdirSync(folder)
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return { folder, files: Object.keys(files) }
}

function filesOf(name: string): Record<string, string> {
  const noun = name.replaceAll(/-([a-z\d])/g, (_, letter: string) => letter.toUpperCase())
  return {
    'package.json': `${JSON.stringify(
      {
        name: `parley-${name}`,
        version: '0.1.0',
        type: 'module',
        exports: './extension.ts',
        scripts: { test: 'node --test' },
        peerDependencies: { parley: `>=${readVersion()}` },
      },
      undefined,
      2,
    )}\n`,
    'extension.ts': `import { defineExtension, inScopeSchema, operationsOf, z } from 'parley/extension'

const operations = operationsOf<undefined>('${name}')

const ${noun}Operations = {
  greet: operations.read('/api/${name}/greeting', {
    summary: 'A greeting',
    input: inScopeSchema.extend({ name: z.string().min(1) }),
    output: z.object({ text: z.string() }),
    returns: 'The greeting',
    run: (_call, _params, { name }) => ({ text: \`Hello \${name}\` }),
  }),
}

export default defineExtension({
  name: '${name}',
  version: '0.1.0',
  create: () => ({
    service: undefined,
    operations: { ${noun}: { operations: ${noun}Operations } },
  }),
})
`,
    'extension.test.ts': `import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createParley } from 'parley'
import extension from './extension.ts'

test('greets', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), '${name}-'))
  const parley = await createParley({ dataDir, extensions: [extension] })
  assert.deepEqual(await parley.${noun}.greet({ name: 'Mira' }), { text: 'Hello Mira' })
  await parley.close()
  rmSync(dataDir, { recursive: true })
})
`,
  }
}
