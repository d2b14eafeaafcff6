import {
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { expect, it } from 'vitest'
import { isInside } from '../../src/core/files/file-rules.ts'
import { ParleyError } from '../../src/core/protocol/error.ts'
import { arrangeFileTool } from '../file-harness.ts'
import { someOf } from '../runner/tier.ts'

/**
 * Every path that somebody thought of to get out, tried with everything that the tool can do. What lies around the
 * workspaces must be the same afterwards, and nothing of it may have been told.
 */

// in what is outside, by content and by name, and in no path that is tried
const canary = 'PIGEON'
const outsideFiles = [
  'secret/canary.txt',
  'secret/PIGEON-name',
  'root-evil/canary.txt',
  'root-evil/PIGEON-name',
  'data/credentials.json',
  'data/PIGEON-name',
  'data/workspaces/ses_2/canary.txt',
  'se\u0301cret/canary.txt',
  's\u00E9cret/PIGEON-name',
]

const links: Record<string, string> = {
  out: '../secret',
  'out.txt': '../secret/canary.txt',
  'new.txt': '../secret/new.txt',
  'docs/deep': '../../secret',
  'docs/up': '../..',
  chain: 'chain2',
  chain2: 'docs/deep',
  parent: '..',
  evil: '../root-evil',
  data: '../data',
  slash: '/',
  proc: '/proc/self/root',
  cwd: '/proc/self/cwd',
  dev: '/dev',
  loop: 'loop',
}

const upward = [
  '../',
  './../',
  '..//',
  '.././',
  'docs/../../',
  'none/../../',
  '../root/../',
  'docs/./../../',
  'docs/deep/../../',
  '..///',
  './/../',
  '../../root/../',
]
const disguised = [
  '%2e%2e/',
  '%2e%2e%2f',
  '..%2f',
  '%252e%252e%252f',
  '..%c0%af',
  '%c0%ae%c0%ae/',
  '..\\',
  '..\\/',
  '..\u2215',
  '..\u2044',
  '．．/',
  '..／',
  '\u2024\u2024/',
  '....//',
  '..;/',
  '.. /',
  ' ../',
  '../ ',
  '..\t/',
  '..\n/',
  '..%00/',
  '..\0/',
  '\0../',
  '\u202E../',
  '..\u200B/',
  '&#46;&#46;/',
  '\\u002e\\u002e/',
  '$HOME/../',
  '${PWD}/../',
  '`pwd`/../',
  '*/../../',
  '{..}/',
  '?./',
]
const targets = [
  'secret/canary.txt',
  'secret',
  'root-evil/canary.txt',
  'data/credentials.json',
  'secret/new.txt',
]
const system = [
  '/etc/passwd',
  '/etc/shadow',
  '/proc/self/environ',
  '/proc/self/mem',
  '/proc/self/fd/0',
  '/proc/self/fd/1',
  '/proc/1/root/etc/passwd',
  '/proc/thread-self/root/etc/passwd',
  '/proc/self/cwd/package.json',
  '/dev/zero',
  '/dev/null',
  '/dev/random',
  '/dev/stdin',
  '/dev/fd/0',
  '/dev/full',
  '/dev/tty',
  '/sys/kernel/notes',
  '/',
  '//',
  '/..',
  '/root',
  '/tmp',
  '/var/run',
]

function pathsIn(folder: string): string[] {
  const root = join(folder, 'root')
  const absolute = targets.map((target) => join(folder, target))
  return [
    ...upward.flatMap((way) => targets.map((target) => way + target)),
    ...disguised.flatMap((way) => targets.slice(0, 3).map((target) => way + target)),
    ...absolute.flatMap((path) => [
      path,
      `/${path}`,
      `/.${path}`,
      `/proc/self/root${path}`,
      `file://${path}`,
      `file:${path}`,
      `~${path}`,
      `${root}/..${path.slice(folder.length)}`,
      path.toUpperCase(),
      `${root}${path}`,
      `\\\\?\\${path}`,
    ]),
    ...Object.keys(links).flatMap((link) => [
      link,
      `${link}/`,
      `${link}/canary.txt`,
      `${link}/secret/canary.txt`,
      `${link}${absolute[0]}`,
      `./${link}/../secret/canary.txt`,
      `docs/../${link}/new.txt`,
    ]),
    ...system,
    ...system.map((path) => `proc${path}`),
    '..',
    '.',
    './',
    '../',
    '...',
    '~',
    '~/',
    '~root',
    '-',
    '-rf',
    ' ',
    '\n',
    '\0',
    'C:\\Windows',
    '\\\\server\\share',
    'con',
    'nul',
    'hard.txt',
    'docs/hard.txt',
    'Docs/../../Secret/canary.txt',
    '../SECRET/canary.txt',
    '../Root-evil/canary.txt',
    'ROOT/../../secret/canary.txt',
    '../s\u00E9cret/canary.txt',
    '../se\u0301cret/canary.txt',
    's\u00E9cret/../../secret/canary.txt',
    '\uFEFF../secret/canary.txt',
    'root',
    '../root',
    '../root-evil',
    '../rootevil',
    `${root}-evil/canary.txt`,
    `${root}/../root-evil/canary.txt`,
    `${root}\u0000/../../secret`,
    '../data/workspaces/ses_2/canary.txt',
    '../data/workspaces/ses_1/../ses_2/canary.txt',
    `${folder}/data/workspaces/ses_1-evil`,
    `${folder}/data/workspaces`,
    `${'../'.repeat(1_300)}etc/passwd`,
    `${'docs/../'.repeat(400)}../secret/canary.txt`,
    'x'.repeat(256),
    'x'.repeat(4_096),
    'x'.repeat(4_097),
    'x/'.repeat(2_048),
    '\u{1F600}'.repeat(1_024),
    `${'a'.repeat(255)}/../../secret/canary.txt`,
  ]
}

it('reads and changes nothing outside, whatever the path', { timeout: 600_000 }, async () => {
  const { folder, call } = arrangeFileTool()
  for (const path of outsideFiles) put(join(folder, path), `${canary} of ${path}\n`)
  const before = snapshot(folder)
  const all = [...new Set(pathsIn(folder))]
  expect(all.length).toBeGreaterThanOrEqual(300)
  const paths = someOf(all, 0, 2)

  let naive = 0
  const outcomes = { done: 0, refused: 0 }
  for (const path of paths) {
    arrangeRoot(folder)
    naive += escapesNaively(folder, path) ? 1 : 0
    for (const input of inputsWith(path)) {
      const outcome = await call(input).catch((error: unknown) => error)
      const told = `${JSON.stringify(input).slice(0, 300)}: ${String(JSON.stringify(outcome)).slice(0, 300)}`
      if (!(outcome instanceof Error)) {
        outcomes.done++
        expect(JSON.stringify(outcome), told).not.toContain(canary)
        const isMeant = input.path === path || input.to === path
        if (isMeant && isAbsolute(path))
          expect(
            isInside(join(folder, 'root'), path) || isInside(join(folder, 'data/workspaces/ses_1'), path),
            told,
          ).toBe(true)
        continue
      }
      outcomes.refused++
      // what else is thrown is a bug
      expect(
        outcome instanceof ParleyError || outcome.message.startsWith('The input does not fit'),
        `${told} ${outcome.stack}`,
      ).toBe(true)
      expect(outcome.message, told).not.toContain(canary)
    }
    expect(snapshot(folder), JSON.stringify(path).slice(0, 300)).toEqual(before)
  }
  // or the paths would not have been worth trying
  expect(naive).toBeGreaterThan(paths.length / 10)
  expect(outcomes.done).toBeGreaterThan(100)
  expect(outcomes.refused).toBeGreaterThan(1_000)
})

/** What looks first and what destroys last. */
const inputsWith = (path: string): Record<string, unknown>[] => [
  { action: 'read', path },
  { action: 'read', path, workspace: 'session' },
  { action: 'list', path },
  { action: 'grep', pattern: canary, fixed: true, path, include_ignored: true },
  { action: 'glob', pattern: '**', path, include_ignored: true },
  { action: 'glob', pattern: path.slice(0, 1_000), include_ignored: true },
  { action: 'edit', path, edits: [{ old: 'A', new: 'B', all: true }] },
  { action: 'write', path, content: 'PWNED' },
  { action: 'write', path: `${path}/pwned.txt`.slice(0, 4_096), content: 'PWNED', workspace: 'session' },
  { action: 'move', path, to: 'stolen', overwrite: true },
  { action: 'read', path: 'stolen' },
  { action: 'move', path: 'mine.txt', to: path, overwrite: true },
  { action: 'promote', path, to: 'promoted', overwrite: true },
  { action: 'promote', path: 'draft.txt', to: path, overwrite: true },
  { action: 'delete', path },
  { action: 'delete', path, recursive: true },
]

function arrangeRoot(folder: string): void {
  for (const path of ['root', 'data/workspaces/ses_1'])
    rmSync(join(folder, path), { recursive: true, force: true })
  put(join(folder, 'root/docs/a.md'), 'inside\n')
  put(join(folder, 'root/mine.txt'), 'mine\n')
  put(join(folder, 'data/workspaces/ses_1/draft.txt'), 'draft\n')
  for (const [path, target] of Object.entries(links)) symlinkSync(target, join(folder, 'root', path))
  linkSync(join(folder, 'secret/canary.txt'), join(folder, 'root/hard.txt'))
  linkSync(join(folder, 'secret/canary.txt'), join(folder, 'root/docs/hard.txt'))
}

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** Whether one that joins and reads would have told. */
function escapesNaively(folder: string, path: string): boolean {
  try {
    const real = realpathSync(isAbsolute(path) ? path : `${join(folder, 'root')}/${path}`)
    return isInside(folder, real) && readFileSync(real, 'utf8').includes(canary)
  } catch {
    return false // nothing there, a folder, or no permission
  }
}

/** All that lies around the workspaces, with its content. */
function snapshot(folder: string, path = ''): string[] {
  return readdirSync(join(folder, path), { withFileTypes: true })
    .toSorted((one, two) => (one.name < two.name ? -1 : 1))
    .flatMap((entry) => {
      const below = path === '' ? entry.name : `${path}/${entry.name}`
      if (below === 'root' || below === 'data/workspaces/ses_1') return []
      if (entry.isDirectory()) return [`${below}/`, ...snapshot(folder, below)]
      return [
        `${below} ${entry.isSymbolicLink() ? readlinkSync(join(folder, below)) : readFileSync(join(folder, below), 'utf8')}`,
      ]
    })
}
