import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { locate, shownPath, toAbsolute, type Workspaces } from './workspaces.ts'

const workspaces: Workspaces = {
  main: '/main',
  session: '/main/.data/workspaces/ses_1',
  granted: ['/granted/folder', '/granted/file.txt', '/main/.data/keys.json'],
  forbidden: ['/main/.data'],
}
const inRun: Workspaces = {
  ...workspaces,
  further: [
    { name: 'run', folder: '/runs/one', isStart: true },
    { name: 'workflow', folder: '/runs' },
  ],
}

const found = (given: Workspaces, path: string, asked?: string) => {
  const location = locate(given, path, asked)
  return location && [location.workspace, location.path]
}

describe('a relative path', () => {
  it('starts from the workspace that is asked for, else from that of the run, else from main', () => {
    expect(found(workspaces, 'a/b')).toEqual(['main', 'a/b'])
    expect(found(workspaces, '.')).toEqual(['main', ''])
    expect(found(workspaces, 'a', 'session')).toEqual(['session', 'a'])
    expect(found(inRun, 'a')).toEqual(['run', 'a'])
    expect(found(inRun, 'a', 'workflow')).toEqual(['workflow', 'a'])
    expect(found(workspaces, 'a', 'run')).toEqual(['main', 'a'])
    expect(found({ granted: [] }, 'a')).toBeUndefined()
  })

  it('does not lead out', () => {
    for (const path of ['..', '../x', 'a/../../x', '../main-evil/x', 'a\0b'])
      expect(found(workspaces, path), path).toBeUndefined()
    expect(found(workspaces, 'a/../b')).toEqual(['main', 'b'])
    expect(found(workspaces, '..a/b')).toEqual(['main', '..a/b'])
  })
})

it('finds an absolute path in the nearest workspace, then in what was granted', () => {
  expect(found(inRun, '/runs/one/x')).toEqual(['run', 'x'])
  expect(found(inRun, '/runs/two/x')).toEqual(['workflow', 'two/x'])
  expect(found(inRun, '/main/x', 'run')).toEqual(['main', 'x'])
  expect(found(workspaces, '/granted/folder/x')).toEqual(['granted', 'x'])
  expect(found(workspaces, '/granted/file.txt')).toEqual(['granted', ''])
  expect(found({ granted: ['.', ''] }, join(process.cwd(), 'package.json'))).toBeUndefined()
  for (const path of ['/', '/mainly', '/granted', '/granted/file.txt.bak', '/main/../etc/passwd'])
    expect(found(workspaces, path), path).toBeUndefined()
})

it('keeps what is forbidden out of bounds, granted or not, but not the workspace within it', () => {
  for (const path of ['.data', '.data/keys.json', '/main/.data/keys.json', '.data/workspaces/ses_2/x'])
    expect(found(workspaces, path), path).toBeUndefined()
  expect(found(workspaces, '.data/workspaces/ses_1/x')).toEqual(['session', 'x'])
  expect(found(workspaces, '.database')).toEqual(['main', '.database'])
  expect(locate(workspaces, 'x')!.forbidden).toEqual(['/main/.data'])
  expect(locate(workspaces, 'x', 'session')!.forbidden).toBeUndefined()
  expect(found({ ...workspaces, main: '/main/.data' }, 'keys.json')).toBeUndefined()
  expect(found({ ...workspaces, main: '/main/.data/scopes/one' }, 'a')).toEqual(['main', 'a'])
})

it('names a place from its workspace on, and one elsewhere in full', () => {
  expect(shownPath(locate(workspaces, '.')!)).toBe('.')
  expect(shownPath(locate(workspaces, './a//b')!)).toBe('a/b')
  expect(shownPath(locate(workspaces, '/granted/folder/x')!)).toBe('/granted/folder/x')
})

it('says what absolute path is meant, in bounds or not', () => {
  expect(toAbsolute(workspaces, '../x')).toBe('/x')
  expect(toAbsolute(workspaces, 'x', 'session')).toBe('/main/.data/workspaces/ses_1/x')
  expect(toAbsolute(workspaces, '/etc/../etc/passwd')).toBe('/etc/passwd')
  expect(toAbsolute({ granted: [] }, 'x')).toBe('x')
})
