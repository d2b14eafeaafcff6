import { cut } from '../../core/shared/text.ts'
import type { ModelRequest } from '../../core/models/adapter.ts'
import type { Chance, ReadDemoPart } from '../../core/models/demo-turn.ts'

/** What the demo knows as one of several in a room. */
interface DemoSeat {
  name: string
  /** What it answers to; nothing where nothing was said. */
  said: string
  /** The agent who said it; none: a person, or the room. */
  peer?: string
  /** What people said now, and before. */
  order: string
  earlier: string[]
  /** Whom it asks for an opinion, by the name that calls them. */
  calls?: string
}

interface RoomLine {
  from: string
  text: string
}

const asksAll =
  /\bdiscuss|\bwhat (?:do|does) (?:every(?:one|body)|you all|all of you|the others) think|讨论|(?:大家|你们)(?:怎么看|怎么想|觉得|的看法)/i
const room = 'room'

export const readSeatPart: ReadDemoPart = (request, texts) => {
  const seat = readSeat(request, texts)
  if (!seat) return undefined
  const { order, said, earlier } = seat
  return { order, said, earlier, speak: (chance) => toSeatWords(seat, chance) }
}

/** Undefined where the prompt is not that of a room. */
function readSeat({ system }: ModelRequest, userTexts: readonly string[]): DemoSeat | undefined {
  if (!system.includes('<room_rules>')) return undefined
  const [, name = 'Demo'] = /^You are ([^\n,.(（，。]{1,100})/.exec(sectionOf(system, 'identity')) ?? []
  const peers = [...sectionOf(system, 'peers').matchAll(/^- (.+?), called @([^\s:,]+)/gm)].map(
    ([, shown = '', called = '']) => ({ shown, called }),
  )
  const turns = userTexts.map(readHeard)
  const isPerson = ({ from }: RoomLine) => from !== room && peers.every(({ shown }) => shown !== from)
  const now = turns.findLast((heard) => heard.length > 0) ?? []
  const answered = now.findLast(isPerson) ?? now.at(-1)

  const all = turns.flat()
  const asked = all.findLastIndex(isPerson)
  const spoke = new Set(all.slice(asked + 1).map(({ from }) => from))
  const calls = peers.find(({ shown }) => !spoke.has(shown))
  return {
    name: name.trim(),
    said: answered?.text ?? '',
    peer: peers.find(({ shown }) => shown === answered?.from)?.shown,
    order: now.findLast(isPerson)?.text ?? '',
    earlier: all
      .slice(0, Math.max(asked, 0))
      .filter(isPerson)
      .map(({ text }) => text),
    ...(asksAll.test(all[asked]?.text ?? '') && { calls: calls?.called }),
  }
}

function sectionOf(system: string, tag: string): string {
  const start = system.indexOf(`<${tag}>\n`)
  if (start < 0) return ''
  return system.slice(start + tag.length + 3, system.indexOf(`</${tag}>`, start))
}

const readHeard = (text: string): RoomLine[] =>
  [...text.matchAll(/<message from="([^"]*)"[^>]*>\n(.*?)\n<\/message>/gs)].map(
    ([, from = '', said = '']) => ({
      from,
      text: said,
    }),
  )

const maxQuoted = 80

/** A sentence or two under its own name. */
function toSeatWords({ name, said, peer, calls }: DemoSeat, chance: Chance): string {
  // quoted as it was said, it would call somebody again
  const quote = `“${cut(said.replaceAll(/[@＠]/g, '').replaceAll(/\s+/g, ' ').trim(), maxQuoted)}”`
  if (/\p{Script=Han}/u.test(said || name)) {
    const about = said === '' ? '' : peer === undefined ? `说到${quote}，` : `${peer} 说${quote}，`
    return `我是${name}。${about}${pick(chinese, chance)}${calls === undefined ? '' : ` @${calls} 你怎么看？`}`
  }
  const about = said === '' ? '' : `${peer === undefined ? 'As to' : `${peer} said`} ${quote}: `
  const call = calls === undefined ? '' : ` @${calls} what do you think?`
  return `${name} here. ${about}${pick(english, chance)}${call}`
}

const pick = (opinions: string[], chance: Chance) => opinions[chance(opinions.length, 'opinion')]!

const english = [
  'I would try it in small steps.',
  'I like where this is going.',
  'I would first ask what it is for.',
  'I see it a little differently, but let us go on.',
]
const chinese = [
  '我觉得可以先小步试试。',
  '我喜欢这个方向。',
  '我想先弄清楚目的是什么。',
  '我的看法稍有不同，不过可以继续。',
]
