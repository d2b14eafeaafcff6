import { ensureProgram } from '../scripts/setup/program.js'
import { ensureNodes } from './faults/build-nodes.js'

/** Global set-up: tests that start Parley in a process of its own start what is shipped, or is bundled like it. */
export default async function setUp() {
  await ensureProgram(process.execPath)
  await ensureNodes()
}
