// npm start: sets up what is missing, then serves.
import { attach, environment } from './setup/command.js'
import { runScript } from './setup/failure.js'
import { ensureNode } from './setup/node.js'
import { ensurePackages } from './setup/packages.js'
import { ensureProgram, program } from './setup/program.js'
import { ensureWeb } from './setup/web.js'

await runScript(async () => {
  const node = await ensureNode()
  await ensurePackages(node)
  await ensureProgram(node)
  await ensureWeb(node)
  return attach(node, [program, 'serve', ...process.argv.slice(2)], { env: environment(node) })
})
