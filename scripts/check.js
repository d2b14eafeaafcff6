// npm run check: format, lint and types at once, then the unit tests. Prints a line per step, and what failed.
import { join } from 'node:path'
import { capture, environment, packageCommand } from './setup/command.js'
import { runScript } from './setup/failure.js'
import { ensureNode } from './setup/node.js'
import { ensurePackages } from './setup/packages.js'
import { root } from './setup/root.js'

await runScript(async () => {
  const node = await ensureNode()
  await ensurePackages(node)
  const tool =
    (name, command) =>
    (...args) => [packageCommand(name, command), ...args]
  const oxfmt = tool('oxfmt')
  const oxlint = tool('oxlint')
  const tsc = tool('typescript', 'tsc')
  const vitest = tool('vitest')

  // what has not changed since the last check need not be looked at again
  const cache = (name) => join(root, 'node_modules', '.cache', 'check', name)
  const types = (project, name) =>
    tsc('-p', project, '--incremental', '--tsBuildInfoFile', cache(`${name}.tsbuildinfo`))

  const results = await Promise.all([
    step(node, 'format', [oxfmt('--check')]),
    step(node, 'lint', [oxlint('--deny-warnings')]),
    step(node, 'types', [types('.', 'all'), types('web', 'web'), types('test/e2e', 'e2e')]),
  ])
  // after the others, because it would take both cores from them
  results.push(await step(node, 'unit', [vitest('run', '--project', 'unit', '--project', 'components')]))
  return results.every(Boolean) ? 0 : 1
})

/** Runs all commands of a step, also after one failed, so that one run shows every problem. */
async function step(node, name, commands) {
  const startedAt = performance.now()
  const failures = []
  for (const command of commands) {
    const { code, output } = await capture(node, command, { env: environment(node) })
    if (code !== 0) failures.push(output.trim())
  }
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  const isOk = failures.length === 0
  process.stdout.write(
    `${isOk ? 'ok' : 'failed'} ${name} ${seconds} s\n${failures.map((text) => `${text}\n`).join('')}`,
  )
  return isOk
}
