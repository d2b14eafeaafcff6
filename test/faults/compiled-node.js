// Runs the program that its first argument names with the compiled files that the command line uses: what is killed
// dozens of times has to start as often, and would compile everything each time. See src/cli/compiled.js.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
const [program] = process.argv.splice(2, 1)
await import(new URL(program, import.meta.url).href)
// a kill leaves no time for it later
flushCompileCache()
