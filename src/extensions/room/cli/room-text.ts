import type { PlayerAsk, RoomMode, RoomRecord, Round, RoundTurn } from '../protocol/room.ts'
import type { Session } from '../../../core/protocol/session.ts'
import { cut } from '../../../core/shared/text.ts'
import { isObject } from '../../../core/shared/type-checks.ts'
import { createLabels } from '../../agents/cli/agent-colors.ts'
import { describeEnd } from './print-room.ts'
import { joinLines, type Shown } from '../../../core/command-line/printable.ts'

/** A room as text: its agents and people, its state, and what people are asked to do. */
export function describeRoom({ title }: Session, room: RoomRecord): Shown {
  const { id, mode, settings, agents, missing, state, asks, player } = room
  const label = createLabels(agents)
  const policy = settings.policy ?? 'all'
  const people = settings.humans ?? []
  return joinLines([
    `Room ${id}: ${title}`,
    `${mode.icon} ${mode.name}: ${mode.description.en}`,
    `Policy: ${policy}`,
    'Agents:',
    ...agents.map(({ name, description, model }) => [
      '  ',
      label(name),
      [` @${name}`, settings.muted?.includes(name) ? 'muted' : '', model, description?.trimEnd()]
        .filter(Boolean)
        .join(', '),
    ]),
    ...missing.map((name) => `  @${name} is not there any more`),
    `People: ${people.map(({ name, plays }) => (plays ? `${name} (plays)` : name)).join(', ')}`,
    ...section('State', describeValues(state)),
    ...section('Waits for', asks.map(describeAsk)),
    ...(player ? section(`Known to ${player.name} alone`, player.facts) : []),
    ...(player
      ? section(
          'Said where not all can hear',
          player.channel.map(({ from, text }) => `${from}: ${text}`),
        )
      : []),
    ...describeWays(room),
  ])
}

/** The commands that are possible now. */
function describeWays({ id, asks, canAdvance }: RoomRecord): string[] {
  const [ask] = asks
  const answer = ask?.schema ? 'advance' : 'say'
  const words = ask?.schema ? ' --action key=value …' : ' <text>'
  return [
    ...(ask ? [`parley rooms ${answer} ${id} --from ${ask.human}${words} answers`] : []),
    ...(canAdvance
      ? [`parley rooms advance ${id} ${ask ? 'continues without an answer' : 'continues'}`]
      : []),
  ]
}

const section = (title: string, lines: string[]): string[] =>
  lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => line.trimEnd().replaceAll(/^/gm, '  '))]

const describeValues = (values: Record<string, unknown>): string[] =>
  Object.entries(values).map(([key, value]) => describeField(toWords(key), value))

/** A list of objects is printed below its name, one per line. */
const describeField = (name: string, value: unknown, mark = ':') =>
  isTable(value) ? `${name}:${describeValue(value)}` : `${name}${mark} ${describeValue(value)}`

const isTable = (value: unknown): value is unknown[] => Array.isArray(value) && value.some(isObject)

function describeValue(value: unknown): string {
  if (isTable(value)) return value.map((one) => `\n${describeValue(one).replaceAll(/^/gm, '  ')}`).join('')
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(describeValue).join(', ')
  if (isObject(value))
    return Object.entries(value)
      .toSorted(([, one], [, other]) => Number(isTable(one)) - Number(isTable(other)))
      .map(([key, inner]) => describeField(key, inner, ''))
      .join(', ')
  return String(value ?? 'none').replaceAll(/\s*\n\s*/g, ' / ')
}

/** `currentNode` as `current node`. */
const toWords = (key: string) => key.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

/** What somebody is asked, and how they answer. */
export function describeAsk({ human, text, content, schema, byChat }: PlayerAsk): string {
  const fields = isObject(schema?.properties) ? Object.entries(schema.properties) : []
  const action = fields.map(([name, field]) => `${name}=${choicesOf(field)}`).join(' ')
  const how = [action, byChat ? 'or say it' : ''].filter(Boolean).join(', ')
  const about = content === undefined ? '' : `\n${content}`
  return `${human}: ${text}${how === '' ? '' : ` (${how.replace(/^or /, '')})`}${about}`.trimEnd()
}

/** What a mode can begin with, a line for each. */
export function describeOptions({ name, options }: RoomMode): string[] {
  const fields = isObject(options.properties) ? Object.entries(options.properties) : []
  return fields.map(([field, schema]) => {
    const { description, default: given } = isObject(schema) ? schema : {}
    const notes = [description, given === undefined ? undefined : `default ${String(given)}`].filter(Boolean)
    return `  ${name} ${field}=${choicesOf(schema)}${notes.length === 0 ? '' : `: ${notes.join('; ')}`}`
  })
}

function choicesOf(field: unknown): string {
  const { enum: choices, type } = isObject(field) ? field : {}
  return Array.isArray(choices) ? choices.join('|') : typeof type === 'string' ? `<${type}>` : '…'
}

/** JSON Schema of what a person can do now. */
export const actionSchemaOf = ({ asks, player }: RoomRecord, from = player?.name) =>
  asks.find(({ human }) => from === undefined || human === from)?.schema

const maxText = 60

/** Such as `mira said; pip failed: no model`, in a line of a table. */
export const describeTurns = ({ turns }: Round): string =>
  turns.map((turn) => describeEnd(shorten(turn)) ?? `${turn.agent} ${turn.status}`).join('; ')

const shorten = (turn: RoundTurn): RoundTurn =>
  turn.text === undefined ? turn : { ...turn, text: cut(turn.text.replaceAll(/\s+/g, ' '), maxText) }
