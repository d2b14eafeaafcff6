import { cut } from '../../core/shared/text.ts'
import type { ReadDemoPart } from '../../core/models/demo-turn.ts'
import { quoted } from '../../core/models/demo-words.ts'

interface PlanOrder {
  english: RegExp
  chinese: RegExp
  kind: 'plan_operation' | 'task_operation' | 'system_operation'
  name: string
  /** One action each, by what the line names; default: one without parameters. */
  parameters?(named: string): Record<string, unknown>[]
  /** Its texts in English and in Chinese. */
  says(named: string): [string, string]
}

const isChinese = (text: string) => /\p{Script=Han}/u.test(text)

// as many as a reply may have
const maxActions = 50
// what is longer is no order
const maxLines = 200
const maxLine = 5_000
const maxName = 200

const toId = (named: string) => [named === '' ? {} : { task_id: Number(named) }]
const toNames = (named: string) =>
  named
    .split(/[,，、;；]/)
    .map((name) => name.trim())
    .filter(Boolean)

const orders: PlanOrder[] = [
  {
    english:
      /^(?:(?:create|make|start) (?:a |the )?(?:new )?plan(?: ?[:：] ?| (?:for |to )?)|(?:new )?plan ?[:：] ?)(.+)$/i,
    chinese: /^(?:(?:创建|新建|制定)(?:一个|一份)?新?)?计划(?: ?[:：] ?| )(.+)$/,
    kind: 'plan_operation',
    name: 'create_plan',
    parameters: (named) => [{ title: cut(named, maxName) }],
    says: (named) => [`I create the plan ${quoted(named)}.`, `我来创建计划${quoted(named)}。`],
  },
  {
    english: /^add(?: (?:a |the )?(?:new )?tasks?(?: ?[:：] ?| )| ?[:：] ?)(.+)$/i,
    chinese: /^(?:添加|新增|增加)(?:一个)?(?:任务(?: ?[:：] ?| ?)| ?[:：] ?)(.+)$/,
    kind: 'task_operation',
    name: 'create_task',
    parameters: (named) => toNames(named).map((name) => ({ name: cut(name, maxName) })),
    says: (named) => [
      `I add ${toNames(named).map(quoted).join(', ')}.`,
      `我来添加${toNames(named).map(quoted).join('、')}。`,
    ],
  },
  {
    english: /^(?:re-?run|run|execute|retry|redo) (?:task |node )?#?(\d{1,9})$/i,
    chinese: /^(?:重新)?(?:执行|运行)(?:任务|节点)? ?#?(\d{1,9})$/,
    kind: 'task_operation',
    name: 'rerun_task',
    parameters: toId,
    says: (named) => [`I run task ${named}.`, `我来执行任务 ${named}。`],
  },
  {
    english: /^(?:run|execute|start)(?: it| all| everything| (?:the |this )?(?:whole )?plan)?$/i,
    chinese: /^(?:执行|运行)(?:全部|整个|这个)?(?:计划)?$/,
    kind: 'plan_operation',
    name: 'execute_plan',
    says: () => ['I run the plan.', '我来执行计划。'],
  },
  {
    english: /^(?:list|show) (?:all |the |my )*plans$/i,
    chinese: /^(?:列出(?:所有|全部)?|(?:显示|查看)(?:所有|全部))计划$/,
    kind: 'plan_operation',
    name: 'list_plans',
    says: () => ['I list the plans.', '我来列出计划。'],
  },
  {
    english: /^(?:list|show)(?: (?:all |the |my )*(?:tasks|plan))?$/i,
    chinese: /^(?:显示|列出|查看)(?:所有|全部)?任务$|^(?:显示|查看)计划$/,
    kind: 'task_operation',
    name: 'show_tasks',
    says: () => ['I show the tasks.', '我来显示任务。'],
  },
  {
    english: /^(?:decompose|break down)(?: (?:the |this )?plan| (?:task |node )?#?(\d{1,9}))?$/i,
    chinese: /^(?:拆分|分解)(?:计划|(?:任务|节点)? ?#?(\d{1,9}))?$/,
    kind: 'task_operation',
    name: 'decompose_task',
    parameters: toId,
    says: (named) =>
      named
        ? [`I break task ${named} down into smaller ones.`, `我来拆分任务 ${named}。`]
        : ['I break the plan down into smaller tasks.', '我来拆分计划。'],
  },
  {
    english: /^(?:delete|remove) (?:task |node )?#?(\d{1,9})$/i,
    chinese: /^删除(?:任务|节点)? ?#?(\d{1,9})$/,
    kind: 'task_operation',
    name: 'delete_task',
    parameters: toId,
    says: (named) => [`I delete task ${named}.`, `我来删除任务 ${named}。`],
  },
  {
    english: /^(?:(?:query |show )?(?:the )?status|progress)$/i,
    chinese: /^(?:查询|查看)?(?:状态|进度)$/,
    kind: 'task_operation',
    name: 'query_status',
    says: () => ['I look how far it is.', '我来查看进度。'],
  },
  {
    english: /^help$/i,
    chinese: /^帮助$/,
    kind: 'system_operation',
    name: 'help',
    says: () => ['I look up what can be done.', '我来看看可以做什么。'],
  },
]

/** In a session with a plan, the reply is one object with text and actions. */
export const readPlanPart: ReadDemoPart = ({ replyFormat }, texts) => {
  if (replyFormat?.name !== 'plan_reply') return undefined
  const report = toReportWords(texts.at(-1) ?? '')
  // a report is no order
  if (report !== undefined) return { order: '', reply: () => toReplyText(report) }
  return {
    reply: (rest, commanded) => toPlanReply(rest) ?? toReplyText(commanded ?? toPlanIntroduction(rest)),
  }
}

/** The answer to a message whose lines order something of a plan; undefined where none does. */
function toPlanReply(text: string): string | undefined {
  const lines = text.split('\n', maxLines).filter((line) => line.length <= maxLine)
  const found = lines.flatMap((line) => readLine(line) ?? [])
  if (found.length === 0) return undefined
  const message = found.map(({ says: [english, chinese] }) => (isChinese(text) ? chinese : english)).join(' ')
  const actions = found.flatMap((order) => order.actions).slice(0, maxActions)
  return toReplyText(
    message,
    actions.map((action, index) => ({ ...action, order: index + 1 })),
  )
}

/** An answer of one object, as it is required where there is a plan. */
const toReplyText = (message: string, actions: object[] = []): string =>
  JSON.stringify({ llm_reply: { message: message.toWellFormed() }, actions })

function readLine(line: string) {
  const plain = line
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(?:please |请)/i, '')
    .replace(/[.!。！]+$/, '')
  for (const { english, chinese, kind, name, parameters, says } of orders) {
    const match = english.exec(plain) ?? chinese.exec(plain)
    if (!match) continue
    const named = (match[1] ?? '').trim()
    const all = parameters?.(named) ?? [{}]
    if (all.length > 0)
      return { says: says(named), actions: all.map((each) => ({ kind, name, parameters: each })) }
  }
  return undefined
}

const toPlanIntroduction = (request: string): string =>
  isChinese(request)
    ? `这是 Parley 的演示模型。它并不真正理解语言，只认识几条命令：“创建计划：…”、“添加任务 …、…”、“拆分 1”、` +
      `“执行任务 1”、“执行计划”、“显示任务”、“状态”。你写的是：${quoted(request)}。`
    : `This is Parley's demo model. It does not understand language, but it follows orders: “create a plan: …”, ` +
      `“add: …, …”, “decompose 1”, “run task 1”, “run”, “show”, “status”. You wrote: ${quoted(request)}.`

const maxReported = 300

/** The words for a message that only reports what has been done; undefined for one of a person. */
function toReportWords(text: string): string | undefined {
  if (!text.startsWith('A background task has ended.')) return undefined
  const deeds = text.split('<task_result ').flatMap((part) => {
    const [head = '', body = ''] = part.slice(0, part.indexOf('</task_result>')).split(/>(.*)/s)
    const of = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(head)?.[1]
    const what = of('label') ?? of('task')
    if (what === undefined) return []
    const output = cut((toDeeds(body) ?? body.trim()).replaceAll(/\s+/g, ' '), maxReported)
    if (what === 'actions') return output
    return isChinese(text)
      ? `“${what}”已结束（${of('status')}）：${output}`
      : `“${what}” has ended (${of('status')}): ${output}`
  })
  return deeds.join('\n') || (isChinese(text) ? '已结束。' : 'It has ended.')
}

/** What became of each action, without what it brought; undefined where there are none. */
function toDeeds(body: string): string | undefined {
  const deeds = [...body.matchAll(/^\S+ Step \d+: \S+ - (.+)$/gm)].map(([, words]) => words)
  return deeds.length > 0 ? deeds.join(' ') : undefined
}
