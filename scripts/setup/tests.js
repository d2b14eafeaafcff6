import { ensureNode } from './node.js'
import { ensurePackages } from './packages.js'
import { ensureProgram } from './program.js'
import { ensureWeb } from './web.js'

/**
 * What a run of tests stands on. For all of them everything is built now; of a part, each test file has built what it
 * needs when it needs it (test/runner/provision.ts). Answers the Node to run them with.
 */
export async function setUpTests({ isPart }) {
  const node = await ensureNode()
  await ensurePackages(node)
  if (isPart) return node
  await ensureProgram(node)
  await ensureWeb(node)
  return node
}
