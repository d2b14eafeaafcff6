import { describe, expect, it } from 'vitest'
import type { PermissionMode, PermissionRule } from '../protocol/permission.ts'
import { permissionRuleSchema } from '../protocol/permission.ts'
import { decide, type Authority, type Call } from './permission.ts'
import { isProtected } from './protected-paths.ts'
import { compilePattern, escapePath, escapeWildcards, isExact } from './rule-patterns.ts'

const authority = (mode: PermissionMode, ...rules: PermissionRule[]): Authority => ({
  mode,
  ruleSets: [{ origin: 'session', rules }],
  root: '/work/it',
})
const command = (line: string): Call => ({
  tool: 'terminal',
  action: 'execute',
  effect: 'execute',
  resources: [line],
})
const write = (...resources: string[]): Call => ({
  tool: 'file',
  action: 'write',
  effect: 'write',
  resources,
})

describe('a rule that forbids a command', () => {
  const rm = authority('bypassPermissions', { tool: 'terminal', path: 'rm *', decision: 'deny' })

  it.each([
    'rm -rf x',
    'cd /tmp && rm -rf x',
    'true\nrm -rf x',
    'sudo rm -rf x',
    '"rm" -rf x',
    'r\\m -rf x',
    '/usr/bin/rm -rf x',
    'echo $(rm -rf x)',
    "sh -c 'rm -rf x'",
    'A=1 rm -rf x',
    'if true; then rm -rf x; fi',
    'ls | xargs rm -rf',
  ])('sees it in %j', (line) => {
    expect(decide(rm, command(line)).decision).toBe('deny')
  })

  it.each(["'; rm -rf x", '"; rm -rf x', "it's done'; rm -rf x #'", 'rm -rf x'])(
    'sees it in %j that is sent to a shell, whatever was sent before',
    (text) => expect(decide(rm, { ...command(text), action: 'send' }).decision).toBe('deny'),
  )

  it('counts for a line with more commands than are looked at', () => {
    const many = Array.from({ length: 3_000 }, (_, at) => `echo ${at}`).join('; ')
    expect(decide(rm, command(`${many}; rm -rf x`)).decision).toBe('deny')
    expect(decide(rm, command(many.slice(0, 1_000))).decision).toBe('allow')
  })

  it.each(['echo rm x', 'ls', "git commit -m 'rm x'", 'rmdir x'])('lets %j pass', (line) => {
    expect(decide(rm, command(line)).decision).toBe('allow')
  })
})

describe('patterns of addresses, however a path is written,', () => {
  const fits = (path: string, url: string, isAllowing: boolean) =>
    compilePattern(path, { effect: 'network', isAllowing })(url)

  it.each(['/%61dmin/x', '/a/..%2fadmin/x', '//admin/x', '/%2fadmin/x', '/x/%2e%2e/admin/x'])(
    'forbid %s',
    (path) => expect(fits('https://example.com/admin/*', `https://example.com${path}`, false)).toBe(true),
  )

  it.each([
    ['/docs/a', true],
    ['/docs/caf%C3%A9', true],
    ['/docs/..%2fadmin', false],
    ['/docs/%2e%2e%2fadmin', false],
  ])('allow %s: %j', (path, isAllowed) =>
    expect(fits('https://example.com/docs/*', `https://example.com${path}`, true)).toBe(isAllowed),
  )

  it('allow the very same address, whatever is in it', () => {
    const url = 'https://example.com/docs/..%2fa%25%3f%c3%a9'
    expect(fits(escapeWildcards(url), url, true)).toBe(true)
  })
})

describe('patterns of addresses', () => {
  const fits = (path: string, url: string) =>
    compilePattern(path, { effect: 'network', isAllowing: true })(url)

  it.each([
    ['https://*.example.com/*', 'https://api.example.com/x', true],
    ['https://*.example.com/*', 'https://evil.test/?x=a.example.com/', false],
    ['https://*.example.com/*', 'https://evil.test/a.example.com/x', false],
    ['https://*.example.com/*', 'https://evil.test#a.example.com/', false],
    ['https://*.example.com/*', 'https://a.example.com@evil.test/', false],
    ['https://*.example.com/*', 'https://a.example.com.evil.test/', false],
    ['https://*.example.com/*', 'http://a.example.com/', false],
    ['https://*.example.com/*', 'https://a.example.com:8443/', false],
    ['https://example.com:8443/*', 'https://example.com:8443/x', true],
    ['https://example.com/docs/*', 'https://example.com/docs/../admin', false],
    ['https://example.com/docs/*', 'https://example.com/docs/x?y=1', true],
    ['https://example.com/a?', 'https://example.com/a', true],
    ['https://example.com/a?', 'https://example.com/a?token=1', false],
    ['https://example.com/a?b=*', 'https://example.com/a?b=1', true],
    ['https://EXAMPLE.com/*', 'https://example.COM/x', true],
    ['example.com', 'https://example.com:9/x', true],
    ['example.com', 'https://user:pass@evil.test/example.com', false],
    ['*://example.com/*', 'http://example.com/', true],
  ])('%j and %j: %s', (path, url, expected) => {
    expect(fits(path, url)).toBe(expected)
  })
})

describe('what a person has agreed to once', () => {
  it.each(['ls *.md', 'echo \\*', 'a\\', 'rm -rf ./*', 'find . -name "*"', 'printf %s\\\\n *'])(
    'is the command %j and no other',
    (line) => {
      const pattern = escapeWildcards(line)
      const once = authority('default', { tool: 'terminal', path: pattern, decision: 'allow' })
      expect(isExact(pattern)).toBe(true)
      expect(decide(once, command(line)).decision).toBe('allow')
      for (const other of [
        line.replaceAll('*', 'secret; id'),
        line.replaceAll('*', 'x'),
        `${line} x`,
        `x ${line}`,
      ])
        if (other !== line) expect(decide(once, command(other)).decision, other).toBe('ask')
    },
  )

  it('is each of two files, in one call or in two', () => {
    const rules = ['/work/it/a*', '/work/it/b?'].map((path): PermissionRule => ({
      tool: 'file',
      path: escapePath(path),
      decision: 'allow',
    }))
    const twice = authority('default', ...rules)
    expect(decide(twice, write('/work/it/a*', '/work/it/b?')).decision).toBe('allow')
    expect(decide(twice, write('/work/it/b?')).decision).toBe('allow')
    expect(decide(twice, write('/work/it/a*', '/work/it/bc')).decision).toBe('ask')
  })
})

describe('files that other programs run', () => {
  const paths = [
    '.git/config',
    '.git/hooks/pre-commit',
    'sub/module/.git/hooks/post-merge',
    '.GIT/HOOKS/pre-commit',
    '.husky/pre-push',
    'parley.yaml',
    '.parley/workflows/a.yaml',
    '.claude/settings.json',
    '.mcp.json',
    '.bashrc',
    'home/.zshenv',
    '.config/fish/config.fish',
    '.vscode/tasks.json',
    '.idea/runConfigurations/a.xml',
    '.devcontainer/devcontainer.json',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    'package.json',
    'packages/a/package.json',
    'Makefile',
    '.npmrc',
    '.envrc',
    '.ssh/authorized_keys',
    '.git',
    '.github/workflows',
  ].map((path) => `/work/it/${path}`)

  it.each(paths)('%s is asked about in every mode that would write it', (path) => {
    expect(isProtected(path)).toBe(true)
    for (const mode of ['default', 'acceptEdits', 'bypassPermissions'] as const) {
      expect(decide(authority(mode), write(path)).decision, mode).toBe('ask')
      // a rule for many files does not mean this one
      const wide = authority(mode, { tool: '*', path: '**', decision: 'allow' })
      expect(decide(wide, write(path)).decision, mode).toBe('ask')
      const exact = authority(mode, { tool: 'file', path: escapePath(path), decision: 'allow' })
      expect(decide(exact, write(path)).decision, mode).toBe('allow')
    }
    expect(decide(authority('dontAsk'), write(path)).decision).toBe('deny')
  })

  it.each(['src/a.ts', 'README.md', '.gitignore', 'docs/git/config', 'my.package.json', 'a/makefile.md'])(
    '%s is not one of them',
    (path) => {
      expect(isProtected(`/work/it/${path}`)).toBe(false)
    },
  )
})

it('a pattern that could take long, or is read in two ways, is refused at the door', () => {
  const refused = ['{a,b}'.repeat(12), '*.+(env|key)', '!(a|b)']
  for (const path of refused) {
    expect(permissionRuleSchema.safeParse({ tool: 'file', path, decision: 'deny' }).success, path).toBe(false)
    expect(permissionRuleSchema.safeParse({ tool: path, decision: 'deny' }).success, path).toBe(false)
  }
  // stored before that, it forbids everything rather than nothing
  const [fault = ''] = refused
  const old: PermissionRule = { tool: 'file', path: fault, decision: 'deny' }
  expect(decide(authority('acceptEdits', old), write('/work/it/a')).decision).toBe('deny')
  const allowing: PermissionRule = { ...old, decision: 'allow' }
  expect(decide(authority('default', allowing), write('/work/it/a')).decision).toBe('ask')
})

it('no pattern that is accepted takes long, whatever it is held against', () => {
  const hostile = ['*a'.repeat(400) + 'b', '**/a/'.repeat(180) + 'b', '?*'.repeat(400), '[a-z]*'.repeat(150)]
  for (const path of hostile) {
    expect(permissionRuleSchema.safeParse({ tool: 'file', path, decision: 'deny' }).success).toBe(true)
    for (const resource of ['/' + 'a'.repeat(4_000), '/' + 'a/'.repeat(2_000)])
      for (const effect of ['read', 'network', 'execute'] as const)
        expect(compilePattern(path, { effect, isAllowing: false })(resource)).toBeTypeOf('boolean')
  }
})

it('what a rule forbids does not begin where a path is longer than any that is looked at', () => {
  const path = `/work/it/${'folder/'.repeat(600)}.env`
  const fits = (isAllowing: boolean) =>
    compilePattern('**/.env', { effect: 'read', root: '/work/it', isAllowing })
  expect(fits(false)(path)).toBe(true)
  expect(fits(true)(path)).toBe(false)
})
