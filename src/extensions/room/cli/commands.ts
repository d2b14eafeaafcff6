import { type Command, Option } from 'commander'
import { invalidRequest, quote } from '../../../core/protocol/error.ts'
import { roomPolicies, type RoomPolicy, type RoomSettings } from '../protocol/room.ts'
import { readPairs } from '../../../core/command-line/key-values.ts'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { addAgentCommands } from '../../agents/cli/agent-commands.ts'
import { addChatCommands } from './chat-commands.ts'
import { requireOptions } from './mode-options.ts'
import { describeOptions, describeRoom, describeTurns } from './room-text.ts'
import type { Rooms } from '../operations.ts'
import type { Threads } from '../../../core/chat/thread-operations.ts'
import { addThreadCommands } from './thread-commands.ts'
import type { Api, CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'

declare module '../../../core/command-line/command-group.ts' {
  interface Api {
    rooms: Rooms
    threads: Threads
  }
}

export function addCommands(rooms: Command, context: CommandContext): void {
  rooms
    .description('sessions of several agents: create, talk in and advance them')
    .option('--url <url>', 'of a running server; without it agents answer in this process')
    .option('--scope <name>', 'the workspace (default)')
  addRoomCommands(rooms, context)
  addChatCommands(rooms, context)
  addAgentCommands(rooms, context)
  addThreadCommands(rooms, context)
}

interface ListOptions extends Options {
  mode?: string
  thread?: string
}

interface CreateOptions extends Options {
  mode: string
  agents?: string
  policy?: RoomPolicy
  moderator?: string
  selectorModel?: string
  transition?: string[]
  language?: 'en' | 'zh'
  thread?: string
  human?: string[]
  plays?: string[]
  option?: string[]
}

interface RoundsOptions extends Options {
  run?: string
}

function addRoomCommands(rooms: Command, { run }: CommandContext): void {
  withPage(rooms.command('list'))
    .description('last changed first')
    .option('--mode <mode>', 'only those of this mode')
    .option('--thread <slug>', 'only those of this thread')
    .action((_options, command: Command) => run<ListOptions>(command, list))

  rooms
    .command('modes')
    .description('the modes a room can have')
    .action((_options, command: Command) => run(command, listModes))

  rooms
    .command('create [title]')
    .description('create a room; its id goes to stdout')
    .option('--mode <mode>', 'the mode; parley rooms modes lists them', 'free_chat')
    .option('--agents <names>', 'its agents, separated by commas; default some that come with Parley')
    .addOption(new Option('--policy <policy>', 'who answers when nobody is mentioned').choices(roomPolicies))
    .option('--moderator <agent>', 'who answers first with --policy moderator')
    .option('--selector-model <id>', 'the model that picks who speaks with --policy selector')
    .option('--transition <agent=agents...>', 'who may speak after an agent, separated by commas')
    .addOption(new Option('--language <language>', 'the language of the room').choices(['en', 'zh']))
    .option('--thread <slug>', 'the thread it belongs to')
    .option('--human <name...>', 'a person in the room')
    .option('--plays <name...>', 'a person who plays along')
    .option('--option <key=value...>', 'an option of the mode; parley rooms modes lists them')
    .action((title: string | undefined, _options, command: Command) =>
      run<CreateOptions>(command, (api, options) => create(api, title, options)),
    )

  rooms
    .command('show <room>')
    .description('its agents and people, its state, and what people are asked to do')
    .option('--as <name>', 'as this person sees it')
    .action((id: string, _options, command: Command) =>
      run<Options & { as?: string }>(command, async (api, { scope, as, json }) => {
        const room = await api.rooms.get(id, { scope, as })
        if (json) printJson(room)
        else printAnswer(describeRoom(await api.sessions.get(id, { scope }), room))
      }),
    )

  rooms
    .command('mode <room> <mode>')
    .description('switch to a mode and restart the room in it')
    .option('--option <key=value...>', 'an option of the mode; parley rooms modes lists them')
    .action((id: string, mode: string, _options, command: Command) =>
      run<Options & { option?: string[] }>(command, async (api, { scope, option, json }) => {
        const modeState = readPairs('--option', option, await requireOptions(api, mode, scope))
        const session = await api.rooms.setMode(id, { scope, mode, modeState })
        if (json) printJson(session)
        else printProgress(`the mode is ${session.mode}`)
      }),
    )

  for (const deed of ['mute', 'unmute'] as const)
    rooms
      .command(`${deed} <room> <agent>`)
      .description(
        deed === 'mute' ? 'stop asking an agent, even when it is mentioned' : 'ask a muted agent again',
      )
      .action((id: string, agent: string, _options, command: Command) =>
        run(command, async (api, { scope, json }) => {
          const room = await api.rooms[deed](id, { scope, agent: agent.replace(/^@/, '') })
          if (json) printJson(room)
          else printProgress(`muted: ${room.settings.muted?.join(', ') ?? 'nobody'}`)
        }),
      )

  withPage(rooms.command('rounds <room>'))
    .description('who was asked, why, and the outcome, newest first')
    .option('--run <id>', 'only those of this run')
    .action((id: string, _options, command: Command) =>
      run<RoundsOptions>(command, (api, options) => listRounds(api, id, options)),
    )
}

async function list({ sessions }: Api, options: ListOptions): Promise<void> {
  const { scope, mode = '*', thread, limit, cursor, json } = options
  const page = await sessions.list({ scope, mode, thread, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no rooms')
  const rows = page.items.map((room) => [
    room.id,
    room.title || '(untitled)',
    room.mode ?? '',
    room.agents?.join(', ') ?? '',
    room.thread ?? '',
    room.updatedAt,
  ])
  printAnswer(formatTable(['id', 'title', 'mode', 'agents', 'thread', 'changed'], rows))
  printMore(page.nextCursor)
}

async function listModes({ rooms }: Api, { scope, json }: Options): Promise<void> {
  const modes = await rooms.modes({ scope })
  if (json) return printJson(modes)
  const rows = modes.items.map((mode) => [
    `${mode.icon} ${mode.name}`,
    `${mode.minAgents} to ${mode.maxAgents}`,
    mode.description.en,
  ])
  printAnswer(formatTable(['mode', 'agents', 'is'], rows))
  printAnswer(['', 'Options (--option key=value):', ...modes.items.flatMap(describeOptions)].join('\n'))
}

async function create(api: Api, title: string | undefined, options: CreateOptions): Promise<void> {
  const { scope, mode, thread, option, json } = options
  // any other name would make a session that is no room
  const schema = await requireOptions(api, mode, scope)
  const session = await api.sessions.create({
    scope,
    title,
    mode,
    thread,
    agents: toNames(options.agents),
    room: toSettings(options),
    modeState: readPairs('--option', option, schema),
  })
  if (json) return printJson(session)
  printAnswer(session.id)
  printProgress(`${session.mode}: ${session.agents?.join(', ')}`)
}

function toSettings({
  policy,
  moderator,
  selectorModel,
  transition,
  language,
  human = [],
  plays = [],
}: CreateOptions): RoomSettings | undefined {
  const humans = [...human.map((name) => ({ name })), ...plays.map((name) => ({ name, plays: true }))]
  const transitions = transition && Object.fromEntries(transition.map(toTransition))
  const selector = selectorModel || transitions ? { model: selectorModel, transitions } : undefined
  const settings = { policy, moderator, selector, language, humans: humans.length > 0 ? humans : undefined }
  return Object.values(settings).some((value) => value !== undefined) ? settings : undefined
}

function toTransition(text: string): [string, string[]] {
  const [, agent, followers = ''] = /^\s*@?([^=]+?)\s*=(.*)$/s.exec(text) ?? []
  if (agent === undefined)
    throw invalidRequest(`--transition: ${quote(text)} is not of the form agent=agent,agent.`)
  return [agent, toNames(followers)!.filter(Boolean)]
}

const toNames = (text: string | undefined): string[] | undefined =>
  text?.split(',').map((name) => name.trim().replace(/^@/, ''))

async function listRounds({ rooms }: Api, id: string, options: RoundsOptions): Promise<void> {
  const { scope, run: runId, limit, cursor, json } = options
  const page = await rooms.rounds(id, { scope, run: runId, limit: toCount('--limit', limit), cursor })
  if (json) return printJson(page)
  if (page.items.length === 0) return printProgress('no rounds')
  const rows = page.items.map((round) => [
    round.runId,
    String(round.number),
    round.routing.text,
    describeTurns(round),
    round.createdAt,
  ])
  printAnswer(formatTable(['run', 'round', 'why', 'who', 'when'], rows))
  printMore(page.nextCursor)
}
