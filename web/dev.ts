// npm run dev -- [--url http://127.0.0.1:4127] [--port 5173]
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startDevServer } from './dev-server.ts'

const { values } = parseArgs({
  options: { url: { type: 'string', default: 'http://127.0.0.1:4127' }, port: { type: 'string' } },
})
const lookMs = 200

const isThere = () =>
  fetch(new URL('/healthz', values.url)).then(
    ({ ok }) => ok,
    () => false,
  )

/** From its sources, with the settings and data that `parley serve` has here. */
function startParley(): ChildProcess {
  const { hostname, port } = new URL(values.url)
  const main = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url))
  const parley = spawn(process.execPath, [main, 'serve', '--host', hostname, '--port', port || '80'], {
    stdio: 'inherit',
  })
  // why is on the screen
  parley.once('exit', (code) => process.exit(code ?? 1))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => parley.kill(signal))
  return parley
}

const own = (await isThere()) ? undefined : startParley()
while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, lookMs))
const server = await startDevServer({
  parleyUrl: values.url,
  port: values.port === undefined ? undefined : Number(values.port),
})
process.stdout.write(`The workbench from its sources is at ${server.url}, over the Parley at ${values.url}\n`)
if (own) await once(own, 'exit')
