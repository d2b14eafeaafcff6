import { describe, expect, it } from 'vitest'
import { modeWithin } from '../protocol/mode-within.ts'
import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import { decide, type Authority, type Call } from './permission.ts'
import { escapePath } from './rule-patterns.ts'

const authority = (mode: PermissionMode, ...rules: PermissionRule[]): Authority => ({
  mode,
  ruleSets: [{ origin: 'session', rules }],
  root: '/work/it',
})
const read: Call = { tool: 'file', action: 'read', effect: 'read', resources: ['/work/it/a.md'] }
const write: Call = { ...read, action: 'write', effect: 'write' }
const execute = (command: string): Call => ({
  tool: 'terminal',
  action: 'execute',
  effect: 'execute',
  resources: [command],
})
const fetch = (url: string): Call => ({
  tool: 'web_fetch',
  action: 'fetch',
  effect: 'network',
  resources: [url],
})

describe('the mode', () => {
  it.each([
    ['default', 'allow', 'ask', 'ask', 'ask'],
    ['acceptEdits', 'allow', 'allow', 'ask', 'ask'],
    ['plan', 'allow', 'deny', 'deny', 'deny'],
    ['dontAsk', 'allow', 'deny', 'deny', 'deny'],
    ['bypassPermissions', 'allow', 'allow', 'allow', 'allow'],
  ] as const)('%s: reads %s, writes %s, commands %s, network %s', (mode, ...expected) => {
    const calls = [read, write, execute('ls'), fetch('https://example.com/')]
    expect(calls.map((call) => decide(authority(mode), call).decision)).toEqual(expected)
  })

  it('never opens what is outside the workspaces', () => {
    const outside: Call = { ...read, resources: ['/etc/passwd'], outside: ['/etc/passwd'] }
    const decisions = (['default', 'acceptEdits', 'bypassPermissions', 'dontAsk'] as const).map(
      (mode) => decide(authority(mode, { tool: '*', decision: 'allow' }), outside).decision,
    )
    expect(decisions).toEqual(['ask', 'ask', 'ask', 'deny'])
  })
})

describe('rules', () => {
  it('count in their order, the first that fits', () => {
    const rules: PermissionRule[] = [
      { tool: 'file', action: ['write'], path: 'docs/**', decision: 'allow' },
      { tool: 'file', action: ['write', 'delete'], decision: 'deny', message: 'Only the docs.' },
    ]
    const at = (path: string) => decide(authority('default', ...rules), { ...write, resources: [path] })
    expect(at('/work/it/docs/a/b.md').decision).toBe('allow')
    expect(at('/work/it/src/a.ts')).toMatchObject({ decision: 'deny', reason: 'Only the docs.' })
  })

  it('that forbid count wherever they are said, also where nothing is asked', () => {
    const forbidden: Authority = {
      mode: 'bypassPermissions',
      ruleSets: [
        { origin: 'session', rules: [{ tool: '*', decision: 'allow' }] },
        { origin: 'config', rules: [{ tool: 'terminal', decision: 'deny' }] },
      ],
    }
    expect(decide(forbidden, execute('ls')).decision).toBe('deny')
    expect(decide(forbidden, write).decision).toBe('allow')
  })

  it('of the session go before those of the scope', () => {
    const both: Authority = {
      mode: 'default',
      ruleSets: [
        { origin: 'session', rules: [{ tool: 'file', decision: 'ask' }] },
        { origin: 'scope', rules: [{ tool: 'file', decision: 'allow' }] },
      ],
    }
    expect(decide(both, write)).toMatchObject({ decision: 'ask' })
  })

  it('that allow fit all that a call touches, others a part of it', () => {
    const move: Call = { ...write, action: 'move', resources: ['/work/it/docs/a', '/work/it/src/a'] }
    const allow = authority('default', { tool: 'file', path: 'docs/**', decision: 'allow' })
    const deny = authority('default', { tool: 'file', path: 'docs/**', decision: 'deny' })
    expect(decide(allow, move).decision).toBe('ask')
    expect(decide(deny, move).decision).toBe('deny')
  })

  it('in plan mode allow nothing that changes something', () => {
    expect(decide(authority('plan', { tool: '*', decision: 'allow' }), write).decision).toBe('deny')
  })

  it.each([
    ['git status', 'git *', 'allow'],
    ['git status; rm -rf /', 'git *', 'ask'],
    ['git log | sh', 'git *', 'ask'],
    ['git log $(id)', 'git *', 'ask'],
    ['git log\nid', 'git *', 'ask'],
    ['git log `id`', 'git *', 'ask'],
    ['npm test && npm run lint', 'npm test && npm run lint', 'allow'],
    ['gitx', 'git *', 'ask'],
    ['echo a b c', 'echo *b*', 'allow'],
    ['echo a', 'echo a*a', 'ask'],
  ] as const)('about commands: %j by %j is %s', (command, path, expected) => {
    expect(
      decide(authority('default', { tool: 'terminal', path, decision: 'allow' }), execute(command)).decision,
    ).toBe(expected)
  })

  it('that forbid a command see it among others', () => {
    const rule: PermissionRule = { tool: 'terminal', path: '*rm -rf*', decision: 'deny' }
    expect(decide(authority('bypassPermissions', rule), execute('ls; rm -rf /')).decision).toBe('deny')
  })

  it.each([
    ['https://example.com/a', 'example.com', 'allow'],
    ['https://example.com.evil.test/a', 'example.com', 'ask'],
    ['https://api.example.com/a', '*.example.com', 'allow'],
    ['https://evil.test/?example.com', 'example.com', 'ask'],
    ['https://user@example.com/', 'example.com', 'allow'],
    ['https://example.com/docs/x', 'https://example.com/docs/*', 'allow'],
    ['https://example.com/other', 'https://example.com/docs/*', 'ask'],
  ] as const)('about addresses: %j by %j is %s', (url, path, expected) => {
    expect(
      decide(authority('default', { tool: 'web_*', path, decision: 'allow' }), fetch(url)).decision,
    ).toBe(expected)
  })

  it('about paths start at the scope, and special letters of a folder are only letters', () => {
    const rule: PermissionRule = { tool: 'file', path: 'a [1]/*', decision: 'allow' }
    const odd: Authority = { ...authority('default', rule), root: '/work/{it}' }
    expect(decide(odd, { ...write, resources: ['/work/{it}/a 1/x'] }).decision).toBe('allow')
    expect(decide(odd, { ...write, resources: ['/work/it/a 1/x'] }).decision).toBe('ask')
    const exact = escapePath('/work/{it}/a [1]/x*.md')
    const one = authority('default', { tool: 'file', path: exact, decision: 'allow' })
    expect(decide(one, { ...write, resources: ['/work/{it}/a [1]/x*.md'] }).decision).toBe('allow')
    expect(decide(one, { ...write, resources: ['/work/{it}/a [1]/xy.md'] }).decision).toBe('ask')
  })
})

it('lets a task do at most what its parent may', () => {
  const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']
  const rank = { allow: 0, ask: 1, deny: 2 }
  for (const parentMode of modes)
    for (const mode of modes)
      for (const call of [read, write, execute('ls'), fetch('https://example.com/')]) {
        const parent = authority(parentMode, { tool: 'file', action: ['delete'], decision: 'deny' })
        const child: Authority = { ...authority(mode, { tool: '*', decision: 'allow' }), parent }
        expect(rank[decide(child, call).decision]).toBeGreaterThanOrEqual(rank[decide(parent, call).decision])
      }
})

describe('a hook', () => {
  const say = (decision: 'allow' | 'ask' | 'deny') => ({ decision, reason: 'Says the hook.' })
  const child = (mode: PermissionMode, parentMode: PermissionMode): Authority => ({
    ...authority(mode),
    parent: authority(parentMode),
  })

  it.each([
    ['what the mode would ask about', authority('default'), write, 'allow'],
    ['not what a rule asks about', authority('default', { tool: 'file', decision: 'ask' }), write, 'ask'],
    ['not what a rule forbids', authority('default', { tool: 'file', decision: 'deny' }), write, 'deny'],
    ['not what the mode forbids', authority('plan'), write, 'deny'],
    ['not where nothing is asked', authority('dontAsk'), write, 'deny'],
    ['not what lies outside', authority('default'), { ...write, outside: ['/etc/x'] }, 'ask'],
    ['not more to a task than to its parent', child('acceptEdits', 'default'), write, 'ask'],
    ['not what its parent must not', child('default', 'plan'), write, 'deny'],
    ['what only the task would ask about', child('default', 'acceptEdits'), write, 'allow'],
  ] as const)('allows %s', (_what, given, call, expected) => {
    expect(decide(given, call, say('allow')).decision).toBe(expected)
  })

  it.each([
    ['default', 'ask'],
    ['acceptEdits', 'ask'],
    ['bypassPermissions', 'ask'],
    ['plan', 'deny'],
    ['dontAsk', 'deny'],
  ] as const)('that asks about a change, in %s: %s', (mode, expected) => {
    expect(decide(authority(mode), write, say('ask')).decision).toBe(expected)
  })

  it('can forbid anything, also what nobody else would ask about', () => {
    expect(decide(authority('bypassPermissions'), read, say('deny'))).toEqual({
      decision: 'deny',
      reason: 'Says the hook.',
      by: 'hook',
    })
    expect(decide(authority('default'), read).decision).toBe('allow')
    expect(decide(authority('dontAsk'), read, say('ask')).decision).toBe('deny')
  })
})

it('lets a mode below another one only narrow it', () => {
  const modes: PermissionMode[] = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions']
  for (const above of modes)
    for (const wished of modes) {
      const kept = modeWithin(above, wished) ?? above
      for (const call of [read, write, execute('ls'), fetch('https://example.com')]) {
        const isAllowed = decide(authority(kept), call).decision === 'allow'
        if (isAllowed) expect(decide(authority(above), call).decision, `${above} ${wished}`).toBe('allow')
      }
    }
  expect(modeWithin('default', undefined)).toBeUndefined()
})
