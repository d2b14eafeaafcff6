import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryFolder } from './harness.ts'
import { startApp } from './http/app-server.ts'
import { registerMcpFixtures } from './mcp-fixtures.ts'

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js')

/** Runs the published suite in a process of its own; answers what it printed. */
async function runSuite(...args: string[]): Promise<string> {
  using folder = temporaryFolder()
  const options = { cwd: folder.path, maxBuffer: 64 * 1_024 * 1_024 }
  // a failed check ends it with 1; what it printed says which
  return await promisify(execFile)(process.execPath, [suite, ...args], options).then(
    ({ stdout, stderr }) => stdout + stderr,
    (error: Error & { stdout?: string; stderr?: string }) => `${error.message}${error.stdout}${error.stderr}`,
  )
}

it('passes every active scenario of the MCP conformance suite, on the server as it is', async () => {
  await using server = await startApp({ mcpFixtures: registerMcpFixtures })
  const printed = await runSuite('server', '--url', `${server.url}/mcp`)
  const summary = printed.slice(printed.indexOf('=== SUMMARY ==='))
  const scenarios = [...summary.matchAll(/^([✓✗]) (\S+): (\d+) passed, (\d+) failed/gmu)]
  expect(scenarios).toHaveLength(30)
  const failed = scenarios.flatMap(([, mark, name]) => (mark === '✓' ? [] : name!))
  if (failed.length === 0) expect(summary).toMatch(/Total: 40 passed, 0 failed/)
  // once in hundreds of runs the suite waits a minute in vain for an answer, whose cause is not known: one scenario may
  // fail, is told of, and has to pass alone
  expect(failed.length, summary).toBeLessThan(2)
  for (const name of failed) {
    process.stdout.write(`${name} failed among the others:\n${printed}\n`)
    const alone = await runSuite('server', '--url', `${server.url}/mcp`, '--scenario', name)
    expect(alone, name).toMatch(/Passed: (\d+)\/\1, 0 failed/)
  }
  expect(server.bugs()).toEqual([])
}, 240_000)

it('keeps the keywords of JSON Schema 2020-12, which the suite holds back as pending', async () => {
  await using server = await startApp({ mcpFixtures: registerMcpFixtures })
  const printed = await runSuite('server', '--url', `${server.url}/mcp`, '--scenario', 'json-schema-2020-12')
  expect(printed).toMatch(/Passed: (\d+)\/\1, 0 failed/)
}, 120_000)

// the others are about asking people and about OAuth, which Parley does not do
it.each(['initialize', 'tools_call', 'sse-retry'])(
  'passes %s of the scenarios for clients',
  async (scenario) => {
    const command = `${process.execPath} ${join(import.meta.dirname, 'mcp-conformance-client.ts')}`
    const printed = await runSuite(
      'client',
      '--command',
      command,
      '--scenario',
      scenario,
      '--timeout',
      '60000',
    )
    expect(printed).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
    expect(printed).toContain('OVERALL: PASSED')
  },
  120_000,
)
