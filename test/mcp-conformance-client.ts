/** What the conformance suite starts to watch how Parley talks to a server: lists its tools, and calls each. */
import { pino } from 'pino'
import { createMcpServers } from '../src/extensions/mcp/mcp-servers.ts'
import { systemClock } from '../src/core/shared/clock.ts'
import type { ToolContext } from '../src/core/tools/tool.ts'

const url = process.argv.at(-1)!
const logger = pino({ level: 'silent' })
const servers = createMcpServers(
  { one: { type: 'http', url } },
  { clock: systemClock, logger, version: '0.0.0' },
)
for (const tool of await servers.toolsFor({}))
  await tool.execute({ a: 5, b: 3 }, { signal: AbortSignal.timeout(20_000) } as ToolContext)
await servers.close()
