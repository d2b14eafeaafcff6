import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..')
const examples = globSync('examples/*.ts', { cwd: root }).sort()

it.each(examples)('%s runs and says something', async (example) => {
  using folder = temporaryFolder()
  const { stdout, stderr } = await run(process.execPath, [join(root, example)], { cwd: folder.path })
  expect(stdout).not.toBe('')
  expect(stderr).toBe('')
})

it.each(['README.md', 'README.zh-CN.md'])('the code in %s is the minimal example', (file) => {
  const [, code] = /```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, file), 'utf8')) ?? []
  expect(code).toBe(readFileSync(join(root, 'examples/01-minimal.ts'), 'utf8'))
})
