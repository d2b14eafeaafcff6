// npm run bench: sets up what is missing, then runs the benchmarks.
import { join } from 'node:path'
import { attach, environment } from './setup/command.js'
import { runScript } from './setup/failure.js'
import { ensureNode } from './setup/node.js'
import { ensurePackages } from './setup/packages.js'
import { ensureProgram } from './setup/program.js'
import { root } from './setup/root.js'
import { ensureWeb } from './setup/web.js'

await runScript(async () => {
  const node = await ensureNode()
  await ensurePackages(node)
  await ensureProgram(node)
  await ensureWeb(node)
  const program = [join(root, 'benchmarks', 'main.ts'), ...process.argv.slice(2)]
  return attach(node, program, { env: environment(node) })
})
