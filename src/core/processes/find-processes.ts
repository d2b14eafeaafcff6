import { readdir, readFile } from 'node:fs/promises'

/** What only Linux reports about processes. */

/**
 * Set for every program that a terminal starts, and handed down by each to those that it starts. Does not begin as
 * settings do, of which Parley itself would warn when it is started there.
 */
export const markVariable = 'RUN_BY_PARLEY'

/**
 * Processes with this mark, wherever they moved: one that makes itself a leader of its own group and lets its parent
 * die can be found by nothing else.
 */
export const findMarked = (mark: string): Promise<number[]> =>
  findProcesses('environ', (environment) => environment.split('\0').includes(`${markVariable}=${mark}`))

/** Whether a group has members that are more than a number which nobody has collected yet; undefined: unknown. */
export async function hasLivingMembers(group: number): Promise<boolean | undefined> {
  if (process.platform !== 'linux') return undefined
  const living = await findProcesses('stat', (stat) => {
    // the name in front may hold anything, brackets and spaces too
    const [state, , groupOf] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(groupOf) === group && state !== 'Z' && state !== 'X'
  })
  return living.length > 0
}

async function findProcesses(file: string, isWanted: (content: string) => boolean): Promise<number[]> {
  if (process.platform !== 'linux') return []
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))
  const wanted = await Promise.all(
    // of others, or gone meanwhile: not ours
    pids.map(async (pid) => isWanted(await readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => ''))),
  )
  return pids.filter((_, index) => wanted[index]).map(Number)
}
