// npm run dev: the workbench from its sources, changed in the browser when they change; see web/dev.ts.
import { join } from 'node:path'
import { attach, environment } from './setup/command.js'
import { runScript } from './setup/failure.js'
import { ensureNode } from './setup/node.js'
import { ensurePackages } from './setup/packages.js'
import { root } from './setup/root.js'

await runScript(async () => {
  const node = await ensureNode()
  await ensurePackages(node)
  return attach(node, [join(root, 'web', 'dev.ts'), ...process.argv.slice(2)], { env: environment(node) })
})
