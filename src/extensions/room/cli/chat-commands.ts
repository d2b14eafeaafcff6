import { defaultHuman } from '../../agents/protocol/reserved-names.ts'
import type { Command } from 'commander'
import type { ChatAnswer, RunRecord } from '../../../core/protocol/chat.ts'
import type { RunEvent } from '../../../core/protocol/chunk.ts'
import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import { messageText } from '../../../core/protocol/message-text.ts'
import type { RoomMessageMetadata, RoomRecord } from '../protocol/room.ts'
import { createLabels, type Label } from '../../agents/cli/agent-colors.ts'
import { askPerson } from '../../../core/command-line/ask-person.ts'
import { readPairs } from '../../../core/command-line/key-values.ts'
import { createMessageReader, type MessageReader } from '../../../core/command-line/message-reader.ts'
import { printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { printRoom } from './print-room.ts'
import { requireOptions } from './mode-options.ts'
import { actionSchemaOf, describeAsk } from './room-text.ts'
import { joinLines, type Shown } from '../../../core/command-line/printable.ts'
import { readStdin } from '../../../core/command-line/read-text.ts'
import { exitCodeOf } from '../../../core/command-line/exit-codes.ts'
import type { PreviewTexts } from '../../../core/protocol/ask-texts.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'

interface SayOptions extends Options {
  from?: string
}

interface ReplyOptions extends SayOptions {
  replyTo?: string
}

interface AdvanceOptions extends SayOptions {
  action?: string[]
}

const shownMessages = 10

export function addChatCommands(rooms: Command, { run, previews }: CommandContext): void {
  withFrom(rooms.command('chat <room>'))
    .description(
      'talk in a room in the terminal: Ctrl-C stops the answers; a second one, Ctrl-D or /quit exits',
    )
    .addHelpText('after', inputsHelp)
    .action((id: string, _options, command: Command) =>
      run<SayOptions>(command, (api, options) => talkInRoom(api, id, options, previews)),
    )

  withFrom(rooms.command('say <room> <text>'))
    .description('say something once ("-": stdin); the answers go to stdout, everything else to stderr')
    .option('--reply-to <message>', 'the message that it replies to; agents see that')
    .action((id: string, text: string, _options, command: Command) =>
      run<ReplyOptions>(command, (api, options) => say(api, id, text, options)),
    )

  withFrom(rooms.command('ask <room> <agent>'))
    .description('ask one agent alone')
    .action((id: string, agent: string, _options, command: Command) =>
      run<SayOptions>(command, (api, options) =>
        follow(api, id, options, ({ scope, from }) =>
          api.rooms.ask(id, { scope, from, agent: toAgent(agent) }),
        ),
      ),
    )

  withFrom(rooms.command('whisper <room> <agent> <text>'))
    .description(
      'say something to one agent alone ("-": stdin); its answer is private too, and goes to stderr',
    )
    .action((id: string, agent: string, text: string, _options, command: Command) =>
      run<SayOptions>(command, (api, options) =>
        follow(api, id, options, async ({ scope, from }) =>
          api.rooms.ask(id, { scope, from, agent: toAgent(agent), whisper: await readText(text) }),
        ),
      ),
    )

  withFrom(rooms.command('regenerate <room> <message>'))
    .description('ask an agent for its answer again, in a variant of the room, whose id goes to stderr')
    .action((id: string, messageId: string, _options, command: Command) =>
      run<SayOptions>(command, (api, options) =>
        follow(api, id, options, ({ scope, from }) => api.rooms.regenerate(id, { scope, from, messageId })),
      ),
    )

  withFrom(rooms.command('advance <room>'))
    .description('continue a room with the next node, phase or question')
    .option('--action <key=value...>', 'what the person does, as the room requests it')
    .action((id: string, _options, command: Command) =>
      run<AdvanceOptions>(command, (api, options) => advance(api, id, options)),
    )
}

const withFrom = (command: Command) =>
  command.option('--from <name>', `which person speaks or acts (${defaultHuman})`)

const inputsHelp = `
Inputs: text is said in the room, @name asks that agent
  /advance          continue with the next node, phase or question
  /act key=value …  do what the room asks of you
  /mode <name> …    switch the mode and restart, with its options as key=value
  /help             show this help
  /quit             exit; the room stays`

const toAgent = (name: string) => name.replace(/^@/, '')

async function readText(text: string): Promise<string> {
  const content = text === '-' ? (await readStdin()).trim() : text
  if (content.trim() === '') throw invalidRequest('The text is empty.')
  return content
}

async function say(api: Api, id: string, text: string, options: ReplyOptions): Promise<void> {
  const { scope, from, replyTo, json } = options
  const content = await readText(text)
  const room = await api.rooms.get(id, { scope, as: from })
  const turn = api.sessions.chat(id, { scope, content, from, replyTo, headless: true })
  await stoppable(api, id, scope, async () => {
    const code = json ? 0 : await printRoom(turn, { label: createLabels(room.agents) })
    const answer: ChatAnswer = await turn
    if (json) printJson(answer)
    else printAsks(await api.rooms.get(id, { scope, as: from }), from)
    process.exitCode = exitCodeOf(answer) || code
  })
}

async function advance(api: Api, id: string, options: AdvanceOptions): Promise<void> {
  const { scope, from } = options
  const room = await api.rooms.get(id, { scope, as: from })
  const action = readPairs('--action', options.action, actionSchemaOf(room, from))
  await follow(api, id, options, () => api.rooms.advance(id, { scope, from, action }))
}

/** Shows what comes of a run that was begun, in the room itself or in another one. */
async function follow(
  api: Api,
  id: string,
  options: SayOptions,
  start: (options: SayOptions) => Promise<RunRecord>,
): Promise<void> {
  const { scope, from, json } = options
  const { agents } = await api.rooms.get(id, { scope, as: from })
  const started = await start(options)
  const place = started.sessionId
  await stoppable(api, place, scope, async () => {
    if (place !== id && !json) printProgress(`in the room ${place}`)
    const events = watch(api, place, started.id, scope)
    const label = createLabels(agents)
    process.exitCode = await (json ? drain(events) : printRoom(events, { label }))
    const now = await api.rooms.get(place, { scope, as: from })
    if (json) printJson({ run: started, room: now })
    else printAsks(now, from)
  })
}

/** Ctrl-C stops the run in the room first; the program still prints the result. */
async function stoppable(
  { sessions }: Api,
  id: string,
  scope: string | undefined,
  work: () => Promise<void>,
): Promise<void> {
  const stop = () => void sessions.stop(id, { scope })
  process.once('SIGINT', stop)
  await work().finally(() => process.off('SIGINT', stop))
}

async function* watch(
  { sessions }: Api,
  id: string,
  runId: string,
  scope: string | undefined,
): AsyncGenerator<RunEvent> {
  for await (const { events } of sessions.observe(id, { scope, run: runId })) yield* events
}

async function drain(events: AsyncIterable<RunEvent>): Promise<number> {
  let code = 0
  for await (const { chunk } of events) {
    if (chunk.type === 'error') code = 1
    if (chunk.type === 'abort') code = 130
  }
  return code
}

async function talkInRoom(api: Api, id: string, options: SayOptions, previews: PreviewTexts): Promise<void> {
  const { scope, from, json } = options
  const { sessions, rooms } = api
  const first = await rooms.get(id, { scope, as: from })
  const label = createLabels(first.agents)
  const printed = new Set<string>()
  if (!json) {
    printProgress(`${first.mode.icon} ${first.mode.label.en}, room ${id}; /quit ends, /help shows the rest`)
    const { items } = await sessions.messages(id, { scope, limit: shownMessages })
    for (const { metadata, parts } of items)
      printAnswer(attribute(metadata ?? {}, messageText({ parts }), label))
    printAsks(first, from, printed)
  }
  const reader = createMessageReader(api.history)
  const stop = () => void sessions.stop(id, { scope })
  const answer = async (content: string) => {
    try {
      const { events } = await begin(api, id, content, options)
      if (events) await show(api, events, { reader, label, json, scope, previews })
      if (!json) printAsks(await rooms.get(id, { scope, as: from }), from, printed)
    } catch (error) {
      printProgress(`parley: ${(error as Error).message}`)
    }
  }
  for (;;) {
    const content = await reader.next()
    if (content === undefined || content === '/quit') break
    await reader.during(stop, () => answer(content))
  }
  reader.close()
}

/** Runs one line of input; returns the events where there are some to watch. */
async function begin(
  api: Api,
  id: string,
  content: string,
  { scope, from }: SayOptions,
): Promise<{ events?: AsyncIterable<RunEvent> }> {
  const [word = ''] = content.split(/\s/, 1)
  // values may have blanks in them
  const rest = content
    .slice(word.length)
    .split(/\s+(?=\w+=)/)
    .map((part) => part.trim())
    .filter(Boolean)
  if (word === '/mode') {
    const [name = '', ...pairs] = rest
    const modeState = readPairs(word, pairs, await requireOptions(api, name, scope))
    const { mode } = await api.rooms.setMode(id, { scope, mode: name, modeState })
    printProgress(`the mode is ${mode}`)
    return {}
  }
  if (word === '/advance' || word === '/act') {
    const action = readPairs(word, rest, actionSchemaOf(await api.rooms.get(id, { scope, as: from }), from))
    if (word === '/act' && !action) throw invalidRequest('/act needs key=value.')
    const { id: runId } = await api.rooms.advance(id, { scope, from, action })
    return { events: watch(api, id, runId, scope) }
  }
  if (word === '/help') {
    printProgress(inputsHelp.trimStart())
    return {}
  }
  // an unknown command is probably a typo and is not sent to the room; a path is
  if (/^\/\w+$/.test(word))
    throw invalidRequest(`There is no ${quote(word)} here; /help lists what there is.`)
  // not by itself: it can be awaited, and an async function would
  return { events: api.sessions.chat(id, { scope, content, from, headless: !process.stdin.isTTY }) }
}

async function show(
  { approvals }: Api,
  events: AsyncIterable<RunEvent>,
  {
    reader,
    label,
    json,
    scope,
    previews,
  }: { reader: MessageReader; label: Label; json?: boolean; scope?: string; previews: PreviewTexts },
): Promise<void> {
  if (json) for await (const event of events) printJson(event, 0)
  else
    await printRoom(events, {
      label,
      onAsk: (approvalId) => askPerson(approvals, reader, approvalId, scope, previews),
    })
}

/** What was said, line by line with who said it. */
function attribute({ agent, from }: RoomMessageMetadata, text: string, label: Label): Shown {
  const speaker = agent === undefined ? from : label(agent)
  if (speaker === undefined) return text
  return joinLines(text.split('\n').map((line) => [speaker, ': ', line]))
}

/** Prints what only this person may see, as far as it is new, and what people are expected to do. */
function printAsks({ asks, player }: RoomRecord, from = player?.name, printed = new Set<string>()): void {
  const { name = '', facts = [], channel = [] } = player ?? {}
  const known = [...facts, ...channel.map(({ from: speaker, text }) => `${speaker}: ${text}`)]
  for (const line of known) if (!printed.has(line)) printProgress(`(${name}) ${line}`)
  for (const line of known) printed.add(line)
  for (const ask of asks) if (from === undefined || ask.human === from) printProgress(describeAsk(ask))
}
