// npm run bundle: what each route of the workbench costs to open, and the largest files; see web/bundle-report.ts.
import { join } from 'node:path'
import { attach, environment } from './setup/command.js'
import { runScript } from './setup/failure.js'
import { ensureNode } from './setup/node.js'
import { ensurePackages } from './setup/packages.js'
import { root } from './setup/root.js'

await runScript(async () => {
  const node = await ensureNode()
  await ensurePackages(node)
  const env = { ...environment(node), NODE_ENV: 'production' }
  return attach(node, [join(root, 'web', 'bundle-report.ts')], { env })
})
