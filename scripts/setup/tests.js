import { ensureNode } from './node.js'
import { ensurePackages } from './packages.js'

/**
 * What a run of tests stands on. What else a test file needs is built when it asks for it (test/runner/provision.ts), while
 * other files run. Answers the Node to run them with.
 */
export async function setUpTests() {
  const node = await ensureNode()
  await ensurePackages(node)
  return node
}
