/** Set-up of every test file: measures what the file costs, for the report in `cost-reporter.ts`. */
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll } from 'vitest'

// USER_HZ is 100 on every Linux that Node runs on
const msPerTick = 10

// this file is run again for each test file, before it is loaded
const atStart = cpuMs()

// oxlint-disable-next-line no-empty-pattern -- Vitest reads from the pattern which fixtures a hook wants
afterAll(({}, suite) => {
  suite.meta.cpuMs = cpuMs() - atStart
})

declare module 'vitest' {
  interface TaskMeta {
    /** CPU of a test file in this process and in all that it started: servers, command lines, the browser. */
    cpuMs?: number
  }
}

/** CPU this process and its descendants have used so far; those that have ended are counted by their parents. */
function cpuMs(): number {
  try {
    return ticksOf(process.pid) * msPerTick
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

function ticksOf(pid: number): number {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => readProcess(Number(name)) ?? [])
  const childrenOf = Map.groupBy(processes, ({ parent }) => parent)
  const sum = ({ pid: id, ticks }: { pid: number; ticks: number }): number =>
    (childrenOf.get(id) ?? []).reduce((total, child) => total + sum(child), ticks)
  return sum(processes.find((entry) => entry.pid === pid)!)
}

function readProcess(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // the name in parentheses may have spaces of its own
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user, system, childUser, childSystem] = fields.slice(11, 15)
    return { pid, parent: fields[1]!, ticks: user! + system! + childUser! + childSystem! }
  } catch {
    return undefined // ended just now
  }
}
