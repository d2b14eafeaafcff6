import type { RoomSettings } from './protocol/room.ts'
import { findDisplayName } from './name-lookup.ts'
import type { RoomFacts } from './modes/mode.ts'

export type Language = NonNullable<RoomSettings['language']>

/** Why somebody is asked or is not, in words. */
interface RoutingWords {
  empty: string
  mentioned(agents: readonly string[]): string
  mentionedAreMuted(agents: readonly string[]): string
  toPeople(people: readonly string[]): string
  doesNode(agent: string, node: string): string
  nobodyDoesNode(node: string): string
  all: string
  leads(agent: string): string
  allAreMuted: string
  leaderIsMissing(agent: string): string
  leaderIsMuted(agent: string): string
  isNext(agent: string): string
  selects: string
  picked(agent: string): string
  nobodyPicked(agent: string): string
  leftToPeople: string
  nobodyMayFollow: string
  maxTurns(turns: number): string
  asks(person: string, agent: string): string
  asksAgain(person: string, agent: string): string
  whispers(person: string, agent: string): string
  silent: string
  called(callers: readonly string[], agents: readonly string[]): string
  nobodyCalled: string
  nobodySpoke: string
  hopLimit(hops: number): string
  coolDown: string
  rests: string
  isMuted: string
  maxReplies(replies: number): string
}

export const toRoutingWords = (language: Language = 'en'): RoutingWords =>
  language === 'zh' ? chinese : english

/** Why no agent is asked when people were mentioned, in the language of the room. */
export const toPeopleText = ({ humans, settings }: RoomFacts, people: readonly string[]): string =>
  toRoutingWords(settings.language).toPeople(people.map((name) => findDisplayName(humans, name)))

const english: RoutingWords = {
  empty: 'No agent is here.',
  mentioned: (agents) => `Mentioned: ${agents.join(', ')}.`,
  mentionedAreMuted: (agents) => `Mentioned, but muted: ${agents.join(', ')}.`,
  toPeople: (people) => `Said to ${people.join(', ')}: agents are not asked.`,
  doesNode: (agent, node) => `${agent} does the node ${node}.`,
  nobodyDoesNode: (node) => `No agent that is here does the node ${node}.`,
  all: 'Nobody is mentioned, so all answer.',
  leads: (agent) => `Nobody is mentioned, so ${agent} answers, who leads the conversation.`,
  allAreMuted: 'All agents of this room are muted.',
  leaderIsMuted: (agent) => `Nobody is mentioned, and ${agent}, who leads the conversation, is muted.`,
  leaderIsMissing: (agent) => `Nobody is mentioned, and ${agent}, who leads the conversation, is not here.`,
  isNext: (agent) => `Nobody is mentioned, and it is the turn of ${agent}.`,
  selects: 'Nobody is mentioned, so a model picks who speaks.',
  picked: (agent) => `Picked to speak: ${agent}.`,
  nobodyPicked: (agent) => `Nobody who may speak was picked, so it is the turn of ${agent}.`,
  leftToPeople: 'It is left to people to go on.',
  nobodyMayFollow: 'Nobody may speak next.',
  maxTurns: (turns) => `One input gets ${turns} picked turns at most.`,
  asks: (person, agent) => `${person} asks ${agent}.`,
  asksAgain: (person, agent) => `${person} asks ${agent} again.`,
  whispers: (person, agent) => `${person} whispers to ${agent}.`,
  silent: 'Nobody is mentioned, and agents of this room answer only when they are.',
  called: (callers, agents) => `${callers.join(', ')} called ${agents.join(', ')}.`,
  nobodyCalled: 'No agent called another one.',
  nobodySpoke: 'Nobody had anything to say.',
  hopLimit: (hops) =>
    hops === 0
      ? 'Agents of this room do not call one another.'
      : `Agents called one another ${hops} times in a row, which is the limit.`,
  coolDown: 'Those who were called spoke just now, and rest.',
  rests: 'Spoke just now, and rests.',
  isMuted: 'Is muted.',
  maxReplies: (replies) => `One input gets ${replies} answers at most.`,
}

const chinese: RoutingWords = {
  empty: '这里没有任何成员。',
  mentioned: (agents) => `被提到的是：${agents.join('、')}。`,
  mentionedAreMuted: (agents) => `被提到但已静音：${agents.join('、')}。`,
  toPeople: (people) => `这是对 ${people.join('、')} 说的，智能体不回答。`,
  doesNode: (agent, node) => `${agent} 负责节点 ${node}。`,
  nobodyDoesNode: (node) => `这里没有谁负责节点 ${node}。`,
  all: '没有提到谁，所以大家都回答。',
  leads: (agent) => `没有提到谁，由主持人 ${agent} 回答。`,
  allAreMuted: '这个房间里的智能体都已静音。',
  leaderIsMuted: (agent) => `没有提到谁，而主持人 ${agent} 已静音。`,
  leaderIsMissing: (agent) => `没有提到谁，而主持人 ${agent} 不在这里。`,
  isNext: (agent) => `没有提到谁，轮到 ${agent}。`,
  selects: '没有提到谁，由模型选择谁发言。',
  picked: (agent) => `选中发言的是 ${agent}。`,
  nobodyPicked: (agent) => `没有选出可以发言的，轮到 ${agent}。`,
  leftToPeople: '接下来由人继续。',
  nobodyMayFollow: '没有谁可以接着发言。',
  maxTurns: (turns) => `一次输入最多选 ${turns} 次发言。`,
  asks: (person, agent) => `${person} 请 ${agent} 回答。`,
  asksAgain: (person, agent) => `${person} 请 ${agent} 重新回答。`,
  whispers: (person, agent) => `${person} 对 ${agent} 说悄悄话。`,
  silent: '没有提到谁；这个房间里只有被提到才会回答。',
  called: (callers, agents) => `${callers.join('、')} 叫了 ${agents.join('、')}。`,
  nobodyCalled: '没有谁再叫别人。',
  nobodySpoke: '大家都没有要说的。',
  hopLimit: (hops) =>
    hops === 0 ? '这个房间里大家不能互相叫。' : `大家已经连续互相叫了 ${hops} 次，到了上限。`,
  coolDown: '被叫到的刚刚说过话，先歇一会儿。',
  rests: '刚刚说过话，先歇一会儿。',
  isMuted: '已静音。',
  maxReplies: (replies) => `一次输入最多得到 ${replies} 条回答。`,
}
