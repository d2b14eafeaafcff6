import { z } from 'zod'
import { replySkip, type Routing } from '../protocol/room.ts'
import { toRoutingWords } from '../routing-words.ts'
import { findDisplayName } from '../name-lookup.ts'
import { leftMuted, nextInTurn, selectTargets } from '../who-answers.ts'
import { isPick, pickNext, takePick, type Picked } from './pick-speaker.ts'
import type { Answer, Decision, Mode, RoomFacts } from './mode.ts'

const stateSchema = z.object({
  /** How many turns a round-robin has had. */
  next: z.int().nonnegative(),
  /** How often agents have called one another since somebody said something. */
  hops: z.int().nonnegative(),
  /** After how many of these calls each agent spoke last. */
  lastSpoke: z.record(z.string(), z.int().nonnegative()),
  /** Of an input for which a model picks who speaks. */
  picked: z.object({ turns: z.int().nonnegative(), last: z.string().optional() }).optional(),
})
type State = z.infer<typeof stateSchema>

/**
 * Everybody may speak. Those who are mentioned answer, else those whom the policy names; agents call one another by
 * mentions, as often as the room allows.
 */
export const freeChat: Mode<State> = {
  name: 'free_chat',
  label: { en: 'Free chat', zh: '自由聊天' },
  icon: '💬',
  description: {
    en: 'Agents answer when they are mentioned, or all of them',
    zh: '自由讨论：可以 @ 某位，也可以让大家一起回答',
  },
  minAgents: 1,
  maxAgents: 50,
  // an agent receives each round as one message: thirty rounds, so that the cached prefix is not cut every few of them
  window: { limit: { chars: 0, messages: 60, tokens: 0 } },
  options: z.strictObject({}),
  state: stateSchema,
  usesMemory: true,
  canMute: true,
  canAsk: true,
  begin: () => ({ next: 0, hops: 0, lastSpoke: {} }),
  rules: () => rules,
  describe: () => undefined,
  view: ({ agents, settings }, { next }) =>
    settings.policy === 'round-robin'
      ? { next: nextInTurn({ agents, muted: settings.muted, next })?.name }
      : {},

  onInput(room, state, { mentions, people: mentioned }) {
    const { agents, humans, settings } = room
    const people = humans.filter(({ name }) => mentioned.includes(name))
    const { targets, routing, next } = selectTargets({
      ...settings,
      agents,
      people,
      mentions,
      next: state.next,
    })
    if (routing.policy === 'selector') {
      const { picked, ...pick } = pickNext(room, { turns: 0 }, 0)
      return { state: { next, hops: 0, lastSpoke: {}, picked }, statements: [], ...pick }
    }
    const isLed = routing.reason === 'policy' && routing.policy === 'moderator'
    const asked = targets.slice(0, settings.maxReplies)
    return {
      state: { next, hops: 0, lastSpoke: {} },
      statements: [],
      asks: asked.map((agent) => (isLed ? { agent, task: leads } : { agent })),
      routing: withLeft(routing, leftOver(room, targets.slice(asked.length))),
    }
  },

  onAnswers(room, state, answers, run) {
    if (state.picked) return goOnPicking(room, state, state.picked, answers, run.answers)
    // a run that nobody's words began has had no hops
    const { hops, lastSpoke } = run.rounds > 1 ? state : { hops: 0, lastSpoke: {} }
    const speakers = answers.filter(({ status }) => status === 'said')
    const now = Object.fromEntries(speakers.map(({ agent }) => [agent, hops]))
    const statements = answers
      .filter(({ status }) => status !== 'skipped')
      .map(({ agent }) => ({ answerOf: agent }))
    const chain = { next: state.next, hops, lastSpoke: { ...lastSpoke, ...now } }
    return { ...goOn(room, chain, speakers, run.answers), statements }
  },
}

function goOnPicking(
  room: RoomFacts,
  state: State,
  before: Picked,
  answers: readonly Answer[],
  replies: number,
): Decision<State> {
  const pick = answers.find(isPick)
  const { picked, ...next } = pick ? takePick(room, before, pick) : pickNext(room, before, replies)
  const statements = answers.filter((answer) => !isPick(answer) && answer.status !== 'skipped')
  return {
    state: { ...state, picked },
    statements: statements.map(({ agent }) => ({ answerOf: agent })),
    ...next,
  }
}

const rules = `Several agents and people talk in this room.
- Answer as yourself and in your own character, briefly, in the language of the person who spoke last.
- Mention somebody as @name only when you want an answer from them: it calls them.
- When you have nothing to add, answer with exactly ${replySkip} and nothing else; then you stay silent.
- Never write what somebody else would say.`

const leads =
  'You lead this conversation: nobody else was asked. Answer yourself, or call those who should answer as @name and say what you want to know from them.'

/** Asks those whom the speakers called, as far as the room allows. */
function goOn(
  room: RoomFacts,
  state: State,
  speakers: readonly Answer[],
  replies: number,
): Omit<Decision<State>, 'statements'> {
  const { agents, settings } = room
  const words = toRoutingWords(settings.language)
  const callers = speakers.filter((speaker) => calledBy(room, speaker).length > 0)
  const called = [...new Set(callers.flatMap((speaker) => calledBy(room, speaker)))]
  const end = (text: string, more: Partial<Routing> = {}) => ({
    state,
    asks: [],
    routing: { reason: 'nobody' as const, text, mentions: called, ...more },
  })
  if (called.length === 0) return end(speakers.length > 0 ? words.nobodyCalled : words.nobodySpoke)
  const { left: muted = [] } = leftMuted(settings, called)
  const heard = called.filter((agent) => !muted.some((one) => one.agent === agent))
  if (heard.length === 0)
    return end(words.mentionedAreMuted(called.map((name) => findDisplayName(agents, name))), { left: muted })
  if (state.hops >= settings.hopLimit) {
    const text = words.hopLimit(settings.hopLimit)
    return end(text, { stopped: 'hop_limit', left: called.map((agent) => ({ agent, reason: text })) })
  }

  const rested = heard.filter((agent) => !isResting(room, state, agent))
  const asked = rested.slice(0, Math.max(0, settings.maxReplies - replies))
  const left = [
    ...muted,
    ...heard.filter((agent) => !rested.includes(agent)).map((agent) => ({ agent, reason: words.rests })),
    ...leftOver(room, rested.slice(asked.length)),
  ]
  if (rested.length === 0) return end(words.coolDown, { stopped: 'cool_down', left })
  if (asked.length === 0) return end(words.maxReplies(settings.maxReplies), { stopped: 'max_replies', left })
  const names = (list: readonly string[]) => list.map((name) => findDisplayName(agents, name))
  const text = words.called(names(callers.map(({ agent }) => agent)), names(asked))
  return {
    state: { ...state, hops: state.hops + 1 },
    asks: asked.map((agent) => ({ agent })),
    routing: withLeft({ reason: 'agent_mention', text, mentions: called }, left),
  }
}

const calledBy = ({ agents }: RoomFacts, { agent, mentions }: Answer) =>
  mentions.filter((name) => name !== agent && agents.some((other) => other.name === name))

function isResting({ settings }: RoomFacts, { hops, lastSpoke }: State, agent: string): boolean {
  const last = Object.hasOwn(lastSpoke, agent) ? lastSpoke[agent] : undefined
  return last !== undefined && hops - last < settings.coolDown
}

type Left = NonNullable<Routing['left']>

const leftOver = ({ settings }: RoomFacts, agents: readonly string[]): Left =>
  agents.map((agent) => ({
    agent,
    reason: toRoutingWords(settings.language).maxReplies(settings.maxReplies),
  }))

const withLeft = (routing: Routing, left: Left): Routing =>
  left.length > 0 ? { ...routing, left: [...(routing.left ?? []), ...left] } : routing
