// Runs the program that its first argument names, bundled and with its compiled code kept: what is killed dozens of
// times has to start as often. See build-nodes.js.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
const [program] = process.argv.splice(2, 1)
await import(new URL(`../dist/${basename(program, '.ts')}.js`, import.meta.url).href)
// a kill leaves no time for it later
flushCompileCache()
