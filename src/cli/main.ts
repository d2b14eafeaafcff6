import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// a third of the start is compiling; beside the packages, where nobody else can put anything into it
enableCompileCache(join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'compiled'))
const { runCommandLine } = await import('./program.ts')
process.exitCode = await runCommandLine(process.argv)
