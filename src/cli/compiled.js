// Plain JavaScript on purpose: the cache has to be on before the first TypeScript file is read, or Node loads its
// compiler all the same, which costs a third of the start and some 30 MiB. It lies beside the packages, where nobody
// else can write.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url)))
// a server may run for months and end by a kill; the next start should not have to wait for its end
setTimeout(flushCompileCache, 1_000).unref()
await import('./main.ts')
