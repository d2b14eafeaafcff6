/** Loaded into the server with `--import`: how long one turn of its event loop kept the thread busy, at most. */
import { writeSync } from 'node:fs'

let longestMs = 0
let last = process.threadCpuUsage()

// CPU of the thread between two timers, waiting not included: a machine that is busy elsewhere changes nothing
setInterval(() => {
  const { user, system } = process.threadCpuUsage(last)
  last = process.threadCpuUsage()
  longestMs = Math.max(longestMs, (user + system) / 1_000)
}, 1).unref()

process.on('SIGUSR2', () => {
  writeSync(1, `stall ${longestMs.toFixed(1)}\n`)
  longestMs = 0
})
