/* Imports a file into a data folder and prints what it needed: `node import-node.ts <data folder> <file>`. */
import { openAsBlob } from 'node:fs'
import { createParley } from '../../src/parley.ts'

const [dataDir, file] = process.argv.slice(2)
const parley = await createParley({ dataDir: dataDir! })
const report = await parley.sessions.importFile(await openAsBlob(file!), {
  onProgress: ({ done }) => process.stdout.write(`${JSON.stringify({ done })}\n`),
})
await parley.close()
const { sessions, messages, failures } = report
process.stdout.write(`${JSON.stringify({ sessions, messages, failures })}\n`)
