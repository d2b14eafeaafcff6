import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * A thread that runs the file `new URL('./…-worker.ts', import.meta.url)`. `scripts/build.js` puts the code of that file in
 * the place of the expression, so that a program that is bundled again needs no file beside it. It loads the code with
 * `await`: callers of this are asynchronous.
 */
export const startWorker = (code: URL | string, options: WorkerOptions): Worker =>
  new Worker(code, { ...options, eval: typeof code === 'string' })
