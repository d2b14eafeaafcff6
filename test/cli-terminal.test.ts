/**
 * At a terminal, no command lets through what the terminal would act on or what reads in another order than it is written,
 * whoever wrote it. Every command of the program is run: a new one has to be added to `linesOf`.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify, stripVTControlCharacters } from 'node:util'
import type { Command } from 'commander'
import { expect, it } from 'vitest'
import { buildProgram, loadGroups } from '../src/cli/program.ts'
import { createParley } from '../src/parley.ts'
import { escapeJson } from '../src/core/shared/visible.ts'
import { temporaryFolder } from './harness.ts'
import { provideProgram } from './runner/programs.ts'

export interface TerminalLine {
  name: string
  args: string[]
  input?: string
}

/** Where control characters are refused: one in a single byte, which names may hold, and what cannot be seen. */
const label = 'La\u202Ebel\u2066\u009b31m\u{E0072}'
const text = 'x\u001b]0;owned\u0007\u001b[2J\u009b31m\rover\b\u202E\u2028\u{E0072} y'

/** Which of the commands have nothing of others to print. */
const without = new Set([
  // its lines are JSON of the logger, which has its own test
  'serve',
])

const leavesOf = (command: Command, path: string[] = []): [string, Command][] =>
  command.commands.length === 0
    ? [[path.join(' '), command]]
    : command.commands.flatMap((child) => leavesOf(child as Command, [...path, child.name()]))

async function seed(dataDir: string, root: string) {
  await using parley = await createParley({ dataDir, scopes: { default: { root } }, shutdownMs: 200 })
  const { sessions, plans, workflows, agents, crons, eventHooks, webhooks, threads, knowledge } = parley
  const messages = [
    { role: 'user', content: text },
    { role: 'assistant', content: text },
  ]
  const session = await sessions.import(JSON.stringify({ title: label, messages }))
  await sessions.update(session.id, { title: label })
  const { items } = await sessions.messages(session.id)
  const asking = await sessions.create({ title: label })
  const write = { action: 'write', path: `a\u202Eb\u001b[1A.md`, content: `${text}\n`.repeat(40) }
  await sessions.send(asking.id, `use file ${escapeJson(JSON.stringify(write))}`)
  await expect.poll(async () => (await parley.approvals.list()).items.length).toBe(1)
  const [approval] = (await parley.approvals.list()).items
  const plan = await plans.create({
    title: label,
    description: text,
    markdown: `- [ ] One ${label}\n- [ ] Two\n`,
  })
  const definition = JSON.stringify({
    name: `flow ${label}`,
    steps: [
      { id: 'say', type: 'agent', prompt: `Say ${text}` },
      { id: 'ask', type: 'approve', prompt: `Go on? ${text}` },
    ],
  })
  const workflow = await workflows.create({ text: definition })
  await agents.create({
    name: 'eve',
    displayName: label,
    description: `${label} d`,
    persona: text,
  })
  const room = await sessions.create({ mode: 'free_chat', title: label, agents: ['eve'] })
  const cron = await crons.create({ name: label, schedule: '0 0 1 1 *', prompt: text })
  const hook = await eventHooks.create({ name: label, event: 'session-created', prompt: text })
  const webhook = await webhooks.create({
    name: label,
    event: 'session-created',
    url: 'https://example.com/',
  })
  const thread = await threads.create({ slug: 'slug', title: label })
  const triples = [{ subject: `Ann ${label}`, predicate: 'founded', object: `Acme ${label}` }]
  await knowledge.import({ source: `src ${label}`, triples })
  return {
    session: session.id,
    message: items[0]!.id,
    approval: approval!.id,
    plan: plan.id,
    workflow: workflow.id,
    definition,
    room: room.id,
    cron: cron.id,
    hook: hook.id,
    webhook: webhook.id,
    thread: thread.slug,
    source: `src ${label}`,
  }
}

type Ids = Awaited<ReturnType<typeof seed>>

/** What each command is run with, in an order in which there still is what it needs; `{…}` marks what it must show. */
const linesOf = (ids: Ids, folder: string): Record<string, string[][]> => ({
  'sessions list': [[]],
  'sessions show': [[ids.session]],
  chat: [['--session', ids.session]],
  run: [[text]],
  'sessions create': [['--title', label]],
  'sessions rename': [[ids.session, label]],
  'sessions fork': [[ids.session, ids.message]],
  'sessions export': [[ids.session], [ids.session, '--format', 'markdown']],
  'sessions import': [['log.jsonl']],
  'sessions window': [[ids.session]],
  'sessions memo': [[ids.session]],
  'sessions instructions': [[ids.session, text], [ids.session]],
  'sessions parameters': [[ids.session, '--temperature', '0.5'], [ids.session]],
  'sessions resize': [[ids.session]],
  prompt: [[ids.session, '--text']],
  'tasks run': [[`use set_result ${escapeJson(JSON.stringify({ output: text }))}`, '--wait'], [text]],
  'tasks list': [[]],
  'tasks show': [['ses_none']],
  'tasks watch': [['ses_none']],
  'tasks result': [['ses_none']],
  'tasks cancel': [['ses_none']],
  'workflows list': [[]],
  'workflows show': [[ids.workflow]],
  'workflows save': [['flow.yaml']],
  'workflows validate': [['flow.yaml', 'bad.yaml']],
  'workflows versions': [[ids.workflow]],
  'workflows rollback': [[ids.workflow, '1']],
  'workflows templates': [[]],
  'workflows run': [[ids.workflow, '--wait']],
  'workflows runs': [[]],
  'workflows status': [['run_none']],
  'workflows resume': [['run_none', '--approve']],
  'workflows cancel': [['run_none']],
  'workflows rerun': [['run_none']],
  'workflows delete': [[ids.workflow]],
  'knowledge stats': [[]],
  'knowledge query': [['Ann', '--focus', `Ann ${label}`]],
  'knowledge import': [['triples.json', '--source', label]],
  'knowledge extract': [[]],
  'knowledge sources': [[]],
  'knowledge forget': [[ids.source]],
  'plans list': [[]],
  'plans show': [[ids.plan], [ids.plan, '--tree']],
  'plans create': [[label]],
  'plans export': [[ids.plan]],
  'plans import': [[ids.plan, 'plan.md']],
  'plans results': [[ids.plan]],
  'plans versions': [[ids.plan]],
  'plans add': [[ids.plan, label]],
  'plans edit': [[ids.plan, '1', '--name', label]],
  'plans move': [[ids.plan, '1']],
  'plans skip': [[ids.plan, '2']],
  'plans stop': [[ids.plan, '2']],
  'plans message': [[ids.plan, '2', label]],
  'plans done': [[ids.plan, '2', '--note', label]],
  'plans reset': [[ids.plan, '2']],
  'plans accept': [[ids.plan, '2']],
  'plans run': [[ids.plan, '--wait']],
  'plans decompose': [[ids.plan, '--wait']],
  'plans runs': [[]],
  'plans status': [['run_none']],
  'plans cancel': [['run_none']],
  'plans retry': [['run_none']],
  'plans chat': [[ids.plan]],
  'plans undo': [[ids.plan]],
  'plans delete': [[ids.plan]],
  'rooms list': [[]],
  'rooms modes': [[]],
  'rooms show': [[ids.room]],
  'rooms say': [[ids.room, `@eve ${text}`]],
  'rooms ask': [[ids.room, 'eve']],
  'rooms whisper': [[ids.room, 'eve', text]],
  'rooms regenerate': [[ids.room, 'msg_none']],
  'rooms mute': [[ids.room, 'eve']],
  'rooms unmute': [[ids.room, 'eve']],
  'rooms chat': [[ids.room]],
  'rooms rounds': [[ids.room]],
  'rooms create': [[label, '--agents', 'eve']],
  'rooms mode': [[ids.room, 'quiz']],
  'rooms advance': [[ids.room]],
  'rooms agents list': [[]],
  'rooms agents show': [['eve']],
  'rooms agents save': [['agent.md']],
  'rooms agents delete': [['eve']],
  'rooms threads list': [[]],
  'rooms threads create': [['other', label]],
  'rooms threads archive': [[ids.thread]],
  'rooms threads restore': [[ids.thread]],
  'rooms threads delete': [[ids.thread]],
  'cron list': [[]],
  'cron show': [[ids.cron]],
  'cron add': [['0 0 1 1 *', text, '--name', label]],
  'cron edit': [[ids.cron, '--name', label]],
  'cron pause': [[ids.cron]],
  'cron resume': [[ids.cron]],
  'cron trigger': [[ids.cron]],
  'cron preview': [['0 0 1 1 *']],
  'cron fires': [[ids.cron]],
  'cron rm': [[ids.cron]],
  'cron hooks list': [[]],
  'cron hooks create': [['session-created', text, '--name', label]],
  'cron hooks show': [[ids.hook]],
  'cron hooks pause': [[ids.hook]],
  'cron hooks resume': [[ids.hook]],
  'cron hooks remove': [[ids.hook]],
  'webhooks list': [[]],
  'webhooks create': [['session-created', 'https://example.com/', '--name', label]],
  'webhooks show': [[ids.webhook]],
  'webhooks test': [[ids.webhook]],
  'webhooks deliveries': [[ids.webhook]],
  'webhooks retry': [[ids.webhook, 'whd_none']],
  'webhooks pause': [[ids.webhook]],
  'webhooks resume': [[ids.webhook]],
  'webhooks remove': [[ids.webhook]],
  'approvals list': [[]],
  'approvals deny': [[ids.approval, '--message', text]],
  'approvals approve': [[ids.approval]],
  'sessions archive': [[ids.session]],
  'sessions rm': [[ids.session]],
  'providers list': [[]],
  'providers set': [['acme', '--base-url', 'http://127.0.0.1:9/v1']],
  'providers test': [['acme']],
  'providers remove': [['acme']],
  config: [[]],
  trust: [[join(folder, `trusted ${label}`)], ['--list']],
  doctor: [[]],
  'extensions list': [[]],
  'extensions new': [['tea']],
  backup: [[join(folder, `backup ${label}`)]],
  restore: [[join(folder, `backup ${label}`)]],
  completion: [['bash']],
})

/** Of these, the marks prove that what was hostile was really printed. */
const mustShow = `
  sessions list, sessions show, chat, run, sessions export, workflows list,
  workflows show, knowledge query, knowledge sources, plans list, plans show, plans export,
  rooms list, rooms show, rooms say, rooms agents list, rooms agents show, rooms threads list,
  cron list, cron show, cron hooks list, cron hooks show, approvals list, trust,
  tasks list
`
  .split(',')
  .map((name) => name.trim())

// styles that are ours, and how the terminal's own line editor moves
// oxlint-disable-next-line no-control-regex
const own = /\u001b\[(?:2|22|7|27|1|38;5;\d{1,3}|39)m|\u001b\[\d*[CDGJK]/g
// oxlint-disable-next-line no-control-regex
const dangerous =
  /(?!\r{0,2}\n|\t)[\p{Cc}\p{Zl}\p{Zp}\u061c\u202a-\u202e\u2066-\u2069]|[\u{e0000}-\u{e0fff}]/u

it('lets nothing through that a terminal acts on, whatever the command', async () => {
  using folder = temporaryFolder()
  const { path } = folder
  const root = join(path, 'root')
  const files = {
    'log.jsonl': `${JSON.stringify({ messages: [{ role: 'user', content: text }] })}\n`,
    'triples.json': JSON.stringify([{ subject: label, predicate: 'is', object: label }]),
    'plan.md': `- [ ] Three ${label}\n`,
    'agent.md': `---\nname: mallory\ndescription: "${label}"\n---\n${text}\n`,
    'bad.yaml': `name: bad\nsteps:\n  - type: "${label}"\n    "${label}": 1\n`,
  }
  for (const name of ['root', `trusted ${label}`]) mkdirSync(join(path, name))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(path, name), content)
  const ids = await seed(join(path, 'data'), root)
  writeFileSync(join(path, 'flow.yaml'), ids.definition)

  const leaves = leavesOf(buildProgram(await loadGroups())).filter(([name]) => !without.has(name))
  const table = linesOf(ids, path)
  expect(Object.keys(table).toSorted(), 'a command is run by no line of linesOf').toEqual(
    leaves.map(([name]) => name).toSorted(),
  )
  // what a person types is echoed as it is; what was said before comes back
  const input = 'what did I say?\n'
  const told = leaves.map(([name, command]): TerminalLine => ({
    name: `wrong ${name}`,
    // whatever it takes, and of which there is none
    args: [...name.split(' '), ...command.registeredArguments.map(() => text), `--no-such-${label}`],
  }))
  const refused = leaves
    .filter(([, command]) => command.registeredArguments.length > 0)
    .map(([name, command]): TerminalLine => ({
      name: `hostile ${name}`,
      args: [...name.split(' '), ...command.registeredArguments.map(() => text)],
    }))
    .filter(({ name }) => !/ (?:run|trust|backup|restore)$/.test(name))
  const lines = Object.entries(table).flatMap(([name, each]) =>
    each.flatMap((args): TerminalLine[] => {
      const line = { name, args: [...name.split(' '), ...args], input }
      const isLook = /(?:list|show|sources|query|runs|rounds|stats|config)$/.test(name)
      return isLook ? [line, { ...line, name: `${name} --json`, args: [...line.args, '--json'] }] : [line]
    }),
  )
  const last = lines.findIndex(({ name }) => name === 'sessions archive')
  const all = [...lines.slice(0, last), ...told, ...refused, ...lines.slice(last)]
  writeFileSync(join(path, 'lines.json'), JSON.stringify(all))

  const printed = await atTerminal(path, ['lines.json'])
  const parts = printed.split(/\r?\n@@ /).slice(1)
  expect(parts.map((part) => part.slice(0, part.search(/\r?\n/)))).toEqual(all.map(({ name }) => name))
  const bad = parts.flatMap((part) => {
    const [found] = dangerous.exec(part.replaceAll(own, '')) ?? []
    return found === undefined
      ? []
      : [`U+${found.codePointAt(0)!.toString(16)} in ${JSON.stringify(part.slice(0, 300))}`]
  })
  expect(bad).toEqual([])
  const outputs = parts.map((part) => stripVTControlCharacters(part))
  const isShown = (name: string) =>
    outputs.some((part) => part.startsWith(`${name}\r\n`) && part.includes('<U+202E>'))
  expect(mustShow.filter((name) => !isShown(name))).toEqual([])
  // the same value, and printable as it is
  const json = outputs.filter((part) => /^[\w ]+ --json\r\n/.test(part))
  expect(json.length).toBeGreaterThan(20)
  for (const part of json) expect(JSON.parse(part.slice(part.indexOf('\n')))).toBeDefined()
}, 400_000)

const run = promisify(execFile)

/** What a terminal gets to see; everything that is printed goes there. */
async function atTerminal(cwd: string, args: string[]): Promise<string> {
  const script = await provideProgram('script')
  const node = join(import.meta.dirname, 'terminal-node.ts')
  const line = [process.execPath, node, ...args].map((word) => `'${word}'`).join(' ')
  const env = {
    PATH: process.env.PATH,
    HOME: cwd,
    TERM: 'xterm-256color',
    PARLEY_DATA_DIR: join(cwd, 'data'),
  }
  const { stdout } = await run(script, ['-qefc', line, '/dev/null'], { cwd, env, maxBuffer: 200_000_000 })
  return stdout
}
