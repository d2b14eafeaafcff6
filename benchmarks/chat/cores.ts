import { execFileSync } from 'node:child_process'

export interface Cores {
  /** For the server that is measured. */
  server: number
  release(): void
}

/**
 * Moves this process, and what it starts from now on, to the second core that it may use, so that servers can have the
 * first to themselves. Where that cannot be done it says so, and nothing is moved.
 */
export function takeCores(): Cores | undefined {
  try {
    const allowed = taskset('--pid', '--cpu-list', `${process.pid}`).split(': ').at(-1)!.trim()
    const [server, other] = toNumbers(allowed)
    if (server === undefined || other === undefined) throw new Error('there is one core')
    const move = (list: string) => taskset('--all-tasks', '--pid', '--cpu-list', list, `${process.pid}`)
    move(`${other}`)
    return { server, release: () => void move(allowed) }
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    process.stderr.write(`  Servers share their cores with the rest of the benchmark: ${reason}\n`)
    return undefined
  }
}

const taskset = (...args: string[]) => execFileSync('taskset', args, { encoding: 'utf8', stdio: 'pipe' })

/** Of a list as `0,2-3`. */
const toNumbers = (list: string): number[] =>
  list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
