import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client, StreamableHTTPClientTransport, type FetchLike } from '@modelcontextprotocol/client'
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
  expect(
    scenarios.filter(([, mark]) => mark !== '✓').map(([line]) => line),
    printed,
  ).toEqual([])
  expect(scenarios).toHaveLength(30)
  expect(summary).toMatch(/Total: 40 passed, 0 failed/)
  expect(server.bugs()).toEqual([])
})

// the suite opens a second stream while it calls, and must not depend on which of the two is there first
it.each([
  ['test_sampling', { prompt: 'x' }],
  ['test_elicitation', { message: 'x' }],
  ['test_elicitation_sep1034_defaults', {}],
  ['test_elicitation_sep1330_enums', {}],
])('asks in %s a client that has no stream but that of its call', async (name, args) => {
  await using server = await startApp({ mcpFixtures: registerMcpFixtures })
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { capabilities: { sampling: {}, elicitation: { form: {} } } },
  )
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' as const }))
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant' as const,
    model: 'test',
    content: { type: 'text' as const, text: 'heard' },
  }))
  const withoutStream: FetchLike = async (url, init) =>
    init?.method === 'GET' ? new Response(null, { status: 405 }) : fetch(url, init)
  const url = new URL(`${server.url}/mcp`)
  await client.connect(new StreamableHTTPClientTransport(url, { fetch: withoutStream }))
  const { content } = await client.callTool({ name, arguments: args })
  await client.close()
  expect(JSON.stringify(content)).toMatch(/heard|action=decline/)
})

it('keeps the keywords of JSON Schema 2020-12, which the suite holds back as pending', async () => {
  await using server = await startApp({ mcpFixtures: registerMcpFixtures })
  const printed = await runSuite('server', '--url', `${server.url}/mcp`, '--scenario', 'json-schema-2020-12')
  expect(printed).toMatch(/Passed: (\d+)\/\1, 0 failed/)
})

const runClientScenario = (scenario: string) =>
  runSuite(
    'client',
    '--command',
    `${process.execPath} ${join(import.meta.dirname, 'mcp-conformance-client.ts')}`,
    '--scenario',
    scenario,
    '--timeout',
    '60000',
  )

// the others are about asking people and about OAuth, which Parley does not do
it.each(['initialize', 'tools_call'])(
  'passes %s of the scenarios for clients',
  async (scenario) => {
    const printed = await runClientScenario(scenario)
    expect(printed).toMatch(/Passed: (\d+)\/\1, 0 failed, 0 warnings/)
    expect(printed).toContain('OVERALL: PASSED')
  },
  120_000,
)

it('connects again after a stream is closed, not before the server said, and names the last event', async () => {
  const printed = await runClientScenario('sse-retry')
  const checks = [...printed.matchAll(/\[(client-sse-[\w-]+) *\] \S*?(SUCCESS|WARNING|FAILURE)/g)]
  const results = Object.fromEntries(checks.map(([, id, result]) => [id, result]))
  // the suite also fails a client that comes late, which every client does on a busy machine
  const { 'client-sse-retry-timing': timing, ...others } = results
  expect(others, printed).toEqual({
    'client-sse-graceful-reconnect': 'SUCCESS',
    'client-sse-last-event-id': 'SUCCESS',
  })
  expect(timing, printed).toBeDefined()
  expect(printed).not.toContain('reconnected too early')
})
