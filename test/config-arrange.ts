import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { loadConfig, type LoadOptions, type Problem } from '../src/config.ts'
import { ParleyError } from '../src/core/protocol/error.ts'

/**
 * For tests: a real home and project folder that hold these files, gone when the test ends. `own` is a file in the project
 * folder that the user names by its full path, so that it may set everything.
 */
export function arrange(files: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'parley-config-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const home = join(folder, 'home')
  const cwd = join(folder, 'work')
  const userFile = join(home, '.config/parley/config.yaml')
  const projectFile = join(cwd, 'parley.yaml')
  mkdirSync(cwd)
  for (const [name, text] of Object.entries(files)) {
    const path = { project: projectFile, own: projectFile, user: userFile }[name] ?? join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const named = 'own' in files ? { PARLEY_CONFIG: projectFile } : {}
  const load = (options: LoadOptions = {}) =>
    loadConfig({ cwd, home, platform: 'linux', ...options, env: { ...named, ...options.env } })
  const fail = (options?: LoadOptions) => refusalOf(() => load(options))
  return { folder, home, cwd, projectFile, userFile, load, fail }
}

function refusalOf(work: () => unknown): { message: string; problems: Problem[] } {
  try {
    work()
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    expect(error.code).toBe('invalid_request')
    return { message: error.message, problems: error.details as Problem[] }
  }
  throw new Error('The configuration was accepted')
}
