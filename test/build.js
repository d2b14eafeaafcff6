import { ensureProgram } from '../scripts/setup/program.js'

/** Global set-up: tests that start Parley in a process of its own start what is shipped. */
export default () => ensureProgram(process.execPath)
