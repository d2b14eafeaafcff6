import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import type { TurnStart } from '../store/queries/turn-start.ts'
import type { Session } from '../protocol/session.ts'
import type { MessageToAppend } from '../store/queries/messages.ts'
import type { Run } from '../store/queries/run-row.ts'
import type { StoreOperations } from '../store/store.ts'
import { joinContext, type DiskContext } from './prompt-context.ts'
import type { TurnInput } from './turn-input.ts'
import { joinTurnHooks, type EndedTurn, type TurnHooks } from './turn-hooks.ts'

const session = { id: 'ses_1', scope: 'default' } as Session
const input: TurnInput = { message: { id: 'msg_1', parts: [] } }
const start: TurnStart = { session, settings: {}, isBusy: false, hasInbox: false, inScope: [] }
const run = { id: 'run_1', scope: 'default', sessionId: 'ses_1', input } as Run
const question: MessageToAppend = { role: 'user', parts: [] }
const reply: MessageToAppend = { role: 'assistant', parts: [] }
const ended = { session, run, status: 'completed', code: 'stop', parts: [] } satisfies EndedTurn
/** It is only handed on here; test/hook-lists.test.ts has what becomes of a real one. */
const tx = {} as StoreOperations

function join(...contributions: TurnHooks[]) {
  const lines: string[] = []
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  return { hooks: joinTurnHooks(contributions, logger), lines }
}

const broken = () => Promise.reject(new Error('broken'))

describe('hooks around a turn', () => {
  it('do nothing where nobody contributes', async () => {
    const { hooks, lines } = join()
    expect(hooks.nudge(run, [])).toBeUndefined()
    expect(hooks.verdict(run, [])).toBeUndefined()
    expect(await hooks.toRecord(session, question, reply)).toBeUndefined()
    await hooks.onBegin(session, run)
    await hooks.onEnd(tx, ended)
    expect(lines).toEqual([])
  })

  const each = {
    onBegin: ({ onBegin }: Joined) => onBegin(session, run),
    onEnd: ({ onEnd }: Joined) => onEnd(tx, ended),
  }
  type Joined = ReturnType<typeof joinTurnHooks>

  it.each(Object.entries(each))('call each in order for %s', async (name, call) => {
    const calls: string[] = []
    const note = (who: string) => ({ [name]: async () => void calls.push(who) })
    await call(join(note('one'), {}, note('two')).hooks)
    expect(calls).toEqual(['one', 'two'])
  })

  it.each(Object.entries(each))('pass on what one of several throws for %s', async (name, call) => {
    const calls: string[] = []
    const note = (who: string) => ({ [name]: async () => void calls.push(who) })
    const { hooks, lines } = join(note('one'), { [name]: broken }, note('two'))
    await expect(call(hooks)).rejects.toThrow('broken')
    // what comes after it would work on what is undone
    expect(calls).toEqual(['one'])
    expect(lines).toEqual([])
  })

  it('take the first nudge and the first verdict, and pass on what one throws', () => {
    const verdict = (code: string) => ({ verdict: () => ({ code, message: code }) })
    const { hooks } = join(
      { nudge: () => undefined, verdict: () => undefined },
      { nudge: () => 'one', ...verdict('one') },
      { nudge: () => 'two', ...verdict('two') },
    )
    expect(hooks.nudge(run, [])).toBe('one')
    expect(hooks.verdict(run, [])).toMatchObject({ code: 'one' })
    const fails = () => {
      throw new Error('broken')
    }
    const failing = join({ nudge: fails, verdict: fails }, { nudge: () => 'two', ...verdict('two') }).hooks
    expect(() => failing.nudge(run, [])).toThrow('broken')
    expect(() => failing.verdict(run, [])).toThrow('broken')
  })

  it('take the first that says what a turn records, and pass on what one throws', async () => {
    const { hooks } = join(
      { toRecord: async () => undefined },
      { toRecord: async (_, asked) => [asked] },
      { toRecord: async (_, asked, answered) => [asked, answered] },
    )
    expect(await hooks.toRecord(session, question, reply)).toEqual([question])
    const failing = join({ toRecord: broken }, { toRecord: async () => [] }).hooks
    await expect(failing.toRecord(session, question, reply)).rejects.toThrow('broken')
  })
})

describe('readers of what a prompt is made of', () => {
  it('add lists and texts to those before them, and replace nothing', async () => {
    const skill = (name: string) => ({ name, description: name })
    const read = joinContext([
      () => ({ root: '/one', rules: 'Rule one', skills: [skill('one')], today: undefined }),
      async () => ({ references: 'Reference' }),
      async () => ({ root: '/two', rules: 'Rule two', skills: [skill('two')], today: 'Monday' }),
      () => ({ today: 'Tuesday' }),
    ])
    expect(await read(session, input, start)).toEqual({
      root: '/one',
      rules: 'Rule one\n\nRule two',
      skills: [skill('one'), skill('two')],
      activeSkills: [],
      references: 'Reference',
      today: 'Monday',
    } satisfies DiskContext)
  })

  it('leave what one of them alone says as it is', async () => {
    const only: DiskContext = {
      rules: 'Rule',
      skills: [],
      activeSkills: [],
      workspace: '',
      references: ' x ',
    }
    expect(await joinContext([() => only, () => ({})])(session, input, start)).toEqual(only)
    expect(await joinContext([])(session, input, start)).toEqual({ rules: '', skills: [], activeSkills: [] })
  })

  it('fail the turn when one throws', async () => {
    await expect(joinContext([() => ({}), broken, () => ({})])(session, input, start)).rejects.toThrow(
      'broken',
    )
  })
})
