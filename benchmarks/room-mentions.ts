import { buildLookup } from '../src/extensions/room/name-lookup.ts'
import { parseMentions } from '../src/extensions/room/mentions.ts'
import { median, type Bench } from './bench.ts'

const size = 1_000_000
const rounds = 15

const longName = 'a'.repeat(64)
const lookup = buildLookup([
  { name: 'milk', nicknames: ['牛奶', longName] },
  ...Array.from({ length: 49 }, (_, index) => ({ name: `agent-${index}` })),
])

const filled = (pattern: string) => pattern.repeat(Math.ceil(size / pattern.length)).slice(0, size)

/** Runs of back-ticks of which no two are of one length. */
const unequalTicks = Array.from({ length: 1_400 }, (_, index) => `${'`'.repeat(index + 1)}@milk`).join('')

const texts: [what: string, text: string][] = [
  ['100,000 mentions', filled('@milk, so ')],
  ['100,000 mentions in Chinese', filled('@牛奶你好，在不在。')],
  ['100,000 unknown words', filled('@nobody is')],
  ['nothing but @', filled('@')],
  ['@a@a@a', filled('@a')],
  ['almost a name of 64 letters', filled(`@${longName.slice(1)}`)],
  ['a fence that nothing closes', `\`\`\`${filled('@milk ')}`],
  ['back-ticks that nothing closes', unequalTicks],
]

/** Who is mentioned in 1 MB: what people and models write, and what somebody may write to make it slow. */
export const roomMentions: Bench = {
  name: 'room-mentions',
  run: () =>
    Promise.resolve(
      texts.map(([what, text]) => ({
        what: `1 MB: ${what}`,
        value: measure(text),
        unit: 'ms',
        goal: { max: 50 },
      })),
    ),
}

function measure(text: string): number {
  const times: number[] = []
  for (let round = 0; round <= rounds; round++) {
    const begun = performance.now()
    parseMentions(text, lookup)
    times.push(performance.now() - begun)
  }
  // the first one warms up
  return median(times.slice(1))
}
