import { cut } from '../shared/text.ts'
import { quoted } from './demo-words.ts'

export interface DemoStep {
  name: string
  instruction: string
}

const maxSubject = 120
// the beginning of a task describes it
const maxRead = 5_000

/** The subject of a task in a few words: its label, what it quotes, or its first line. */
export function toSubject(task: string): string {
  const said = task.slice(0, maxRead)
  const [, labelled] = /^[#\s]*(?:task|node|goal|title|任务|目标|标题)\s*[:：]\s*(\S.*)$/im.exec(said) ?? []
  const [, quote] = /[“「"]([^”」"\n]{2,200})[”」"]/.exec(said) ?? []
  const line = said.split('\n').find((text) => text.trim() !== '') ?? ''
  const subject = (labelled ?? quote ?? line).replace(/^\[\d+\]\s*/, '').replaceAll(/\s+/g, ' ')
  return cut(subject.replace(/^["“「]|["”」]$/g, '').trim(), maxSubject)
}

/** Steps that the subject could be done in; a step of such is taken apart into parts. */
export function toSteps(subject: string, count: number): DemoStep[] {
  const isChinese = /\p{Script=Han}/u.test(subject)
  const [verbs, more] = isChinese ? [chinese, chineseParts] : [english, englishParts]
  const isStep = verbs.some(([verb]) => subject.startsWith(verb))
  return Array.from({ length: count }, (_, index) => {
    const [verb, order] = verbs[index] ?? []
    if (isStep || verb === undefined || order === undefined) return more(subject, index + 1)
    return isChinese
      ? { name: `${verb}：${subject}`, instruction: `${order}${quoted(subject)}。` }
      : { name: `${verb}: ${subject}`, instruction: `${order} ${quoted(subject)}.` }
  })
}

const english: [string, string][] = [
  ['Prepare', 'Collect what is needed for'],
  ['Carry out', 'Do the work of'],
  ['Check', 'Look over what came of'],
  ['Improve', 'Put right what was found wrong in'],
  ['Finish', 'Sum up'],
]
const chinese: [string, string][] = [
  ['准备', '收集所需的内容：'],
  ['完成', '完成这项工作：'],
  ['检查', '检查结果：'],
  ['改进', '修正发现的问题：'],
  ['收尾', '总结成果：'],
]
const englishParts = (subject: string, number: number): DemoStep => ({
  name: `${subject}, part ${number}`,
  instruction: `Do part ${number} of ${quoted(subject)}.`,
})
const chineseParts = (subject: string, number: number): DemoStep => ({
  name: `${subject}（第 ${number} 部分）`,
  instruction: `完成${quoted(subject)}的第 ${number} 部分。`,
})
