import { expect, it } from 'vitest'
import { messageText } from '../src/core/protocol/message-text.ts'
import { sqliteDatabase } from './harness.ts'
import { openRooms, type AgentCall } from './room-harness.ts'
import type { Played, Told } from './room/play.ts'
import { chooseFrom, lehmer, someNames } from './room/scripted-players.ts'
import { leaks, miscounted, winnerByTheRules } from './room/werewolf-referee.ts'

const games = Number(process.env.PARLEY_TEST_GAMES ?? 16)
const atOnce = 25

interface Game {
  seed: number
  random: () => number
  /** What was said and told, in the order of time. */
  told: Told[]
  /** All that agents were sent, whole. */
  prompts: { agent: string; text: string; publicMarks: Set<string>; isWolf?: boolean }[]
  /** Marks of what somebody said, by who said it. */
  marks: Map<string, string>
  heard: number
  publicMarks: Set<string>
}

/**
 * Whole games through the server: every prompt that is sent to a model is looked at. An agent may find in it what all
 * have heard, what it said itself, and, among wolves, what wolves said.
 */
it(`${games} games end, are won by the rules, and no prompt holds what its agent may not know`, async () => {
  const played = new Map<string, Game>()
  await using opened = await openRooms(sqliteDatabase, (call) => answer(call), {
    sqlite: { synchronous: 'NORMAL' },
    chat: { maxTakenUp: 1_000 },
  })
  const { parley } = opened
  for (const name of someNames) await opened.agent(name)

  async function answer(call: AgentCall): Promise<object | string> {
    const [, seatId] = call.request.cacheKey.split(':')
    const { id } = (await parley.store.findRoomOf({ sessionId: seatId! }))!
    const game = played.get(id)!
    const view = (await parley.store.requireSession('default', id)).modeState!
    await hear(id, game, view)
    const mark = `mark-${game.marks.size + 1}`
    game.marks.set(mark, call.agent)
    game.prompts.push({ agent: call.agent, text: call.prompt, publicMarks: new Set(game.publicMarks) })
    const schema = call.request.replyFormat?.schema
    const data = schema && { ...chooseFrom(schema, game.random), say: mark }
    game.told.push({
      to: call.agent,
      // what others said is looked at below; here it is about who is said to be what
      text: call.prompt.replaceAll(/mark-\d+/g, ''),
      ask: { agent: call.agent, schema, ...(schema && { isPrivate: true }) },
      reply: { text: mark, ...(data && { data }) },
      view,
    })
    return data ?? mark
  }

  async function hear(id: string, game: Game, view: Record<string, unknown>) {
    const found = await parley.store.listMessages('default', id, { after: game.heard, limit: 1_000 })
    // another agent may have looked at the same time
    for (const message of found.filter(({ seq }) => seq > game.heard)) {
      const text = messageText(message)
      game.told.push({ text, from: message.metadata?.agent as string | undefined, view })
      for (const [mark] of text.matchAll(/mark-\d+/g)) game.publicMarks.add(mark)
      game.heard = message.seq
    }
  }

  async function playGame(seed: number) {
    const options = {
      seed,
      revote: seed % 3 !== 0,
      revealOnDeath: seed % 7 !== 0,
      discussion: seed % 6 < 3 ? 'parallel' : 'in_order',
      wolfChatRounds: seed % 3,
    }
    const { id } = await parley.sessions.create({
      mode: 'werewolf',
      agents: someNames.slice(0, 5 + (seed % 6)),
      modeState: options,
      room: { maxReplies: 1_000, language: seed % 2 ? 'en' : 'zh' },
    })
    const game: Game = {
      seed,
      random: lehmer(seed),
      told: [],
      prompts: [],
      marks: new Map(),
      heard: 0,
      publicMarks: new Set(),
    }
    played.set(id, game)
    const { run } = await opened.say(id, 'begin')
    expect(run, `seed ${seed}`).toMatchObject({ status: 'completed' })
    const view = (await parley.sessions.get(id)).modeState!
    await hear(id, game, view)
    expect(view.phase, `seed ${seed}`).toBe('ended')
    expect(view.winner, `seed ${seed}`).toBe(winnerByTheRules(view))
    expect(miscounted(view), `seed ${seed}`).toEqual([])
    expect(overheard(game, view.roles as Record<string, string>), `seed ${seed}`).toEqual([])
    const whole = { view, told: game.told } as unknown as Played<object>
    expect(leaks(whole), `seed ${seed}`).toEqual([])
  }

  const seeds = Array.from({ length: games }, (_, index) => index + 1)
  for (let start = 0; start < seeds.length; start += atOnce)
    await Promise.all(seeds.slice(start, start + atOnce).map(playGame))
  const prompts = [...played.values()].reduce((sum, game) => sum + game.prompts.length, 0)
  process.stdout.write(`${games} games, ${prompts} prompts, no leak\n`)
  // the checker sees something: with another player's eyes, each game would be full of secrets
  const [first] = played.values()
  const asAnother = { ...first!, prompts: first!.prompts.map((prompt) => ({ ...prompt, agent: 'stranger' })) }
  expect(overheard(asAnother, {}).length).toBeGreaterThan(0)
}, 600_000)

/** Marks that an agent was sent, and that were said by others where it could not hear. */
function overheard({ prompts, marks }: Game, roles: Record<string, string>): string[] {
  return prompts.flatMap(({ agent, text, publicMarks }) =>
    [...new Set(text.match(/mark-\d+/g))].flatMap((mark) => {
      const speaker = marks.get(mark)!
      const isShared = speaker === agent || publicMarks.has(mark)
      const isOfWolves = roles[agent] === 'wolf' && roles[speaker] === 'wolf'
      return isShared || isOfWolves ? [] : [`${agent} was sent ${mark} of ${speaker}`]
    }),
  )
}
