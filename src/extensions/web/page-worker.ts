import { parentPort, workerData } from 'node:worker_threads'
import { readPage, type PageFormat } from './readable-page.ts'

const { html, url, format } = workerData as { html: string; url: string; format: PageFormat }
// a rule for windows, which workers are not
// oxlint-disable-next-line unicorn/require-post-message-target-origin
parentPort!.postMessage(readPage(html, url, format))
