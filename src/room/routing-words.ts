import type { RoomSettings } from '../protocol/room.ts'

export type Language = NonNullable<RoomSettings['language']>

/** Why somebody is asked or is not, in words. */
interface RoutingWords {
  empty: string
  mentioned(agents: readonly string[]): string
  doesNode(agent: string, node: string): string
  nobodyDoesNode(node: string): string
  all: string
  leads(agent: string): string
  leaderIsMissing(agent: string): string
  isNext(agent: string): string
  silent: string
  called(callers: readonly string[], agents: readonly string[]): string
  nobodyCalled: string
  nobodySpoke: string
  hopLimit(hops: number): string
  coolDown: string
  rests: string
  maxReplies(replies: number): string
}

export const toRoutingWords = (language: Language = 'en'): RoutingWords =>
  language === 'zh' ? chinese : english

const english: RoutingWords = {
  empty: 'No agent is here.',
  mentioned: (agents) => `Mentioned: ${agents.join(', ')}.`,
  doesNode: (agent, node) => `${agent} does the node ${node}.`,
  nobodyDoesNode: (node) => `No agent that is here does the node ${node}.`,
  all: 'Nobody is mentioned, so all answer.',
  leads: (agent) => `Nobody is mentioned, so ${agent} answers, who leads the conversation.`,
  leaderIsMissing: (agent) => `Nobody is mentioned, and ${agent}, who leads the conversation, is not here.`,
  isNext: (agent) => `Nobody is mentioned, and it is the turn of ${agent}.`,
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
  maxReplies: (replies) => `One input gets ${replies} answers at most.`,
}

const chinese: RoutingWords = {
  empty: '这里没有任何成员。',
  mentioned: (agents) => `被提到的是：${agents.join('、')}。`,
  doesNode: (agent, node) => `${agent} 负责节点 ${node}。`,
  nobodyDoesNode: (node) => `这里没有谁负责节点 ${node}。`,
  all: '没有提到谁，所以大家都回答。',
  leads: (agent) => `没有提到谁，由主持人 ${agent} 回答。`,
  leaderIsMissing: (agent) => `没有提到谁，而主持人 ${agent} 不在这里。`,
  isNext: (agent) => `没有提到谁，轮到 ${agent}。`,
  silent: '没有提到谁；这个房间里只有被提到才会回答。',
  called: (callers, agents) => `${callers.join('、')} 叫了 ${agents.join('、')}。`,
  nobodyCalled: '没有谁再叫别人。',
  nobodySpoke: '大家都没有要说的。',
  hopLimit: (hops) =>
    hops === 0 ? '这个房间里大家不能互相叫。' : `大家已经连续互相叫了 ${hops} 次，到了上限。`,
  coolDown: '被叫到的刚刚说过话，先歇一会儿。',
  rests: '刚刚说过话，先歇一会儿。',
  maxReplies: (replies) => `一次输入最多得到 ${replies} 条回答。`,
}
