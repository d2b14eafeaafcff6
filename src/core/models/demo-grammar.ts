import { faultKinds, type FaultKind } from './fault.ts'

/** What a message asks of the demo model. Commands stand on lines of their own, in English or Chinese. */
export interface DemoOrder {
  /** Tool calls by round: those of one round are made at once, `then` begins the next. */
  rounds: { name: string; input: string }[][]
  think?: string
  /** The whole answer, word for word. */
  json?: string
  /** How many words the answer shall have. */
  words?: number
  isSlow: boolean
  fail?: FaultKind
  asksBack: boolean
  /** What is left when the commands are taken away. */
  rest: string
}

// an answer that takes a day helps nobody
const maxWords = 100_000

// "Use the notes that you were given" is no command: what follows a name is an object, or nothing
const useLine = /^(then |然后)?(?:use|call|调用|使用)\s+([\w-]+)\s*(\{.*)?$/i
const asksBack =
  /what (did|have) i (say|said|tell|told|write|written)|summari[sz]e|我.{0,4}(说|讲|告诉).{0,4}(什么|啥)|总结/i

export function readOrder(text: string): DemoOrder {
  const order: DemoOrder = { rounds: [], isSlow: false, asksBack: asksBack.test(text), rest: '' }
  const rest: string[] = []
  const lines = text.split('\n')
  for (const [index, full] of lines.entries()) {
    const line = full.trim()
    const json = /^json\s+(?=[[{"\d])/i.exec(line)
    if (json) {
      order.json = toJson(line.slice(json[0].length), lines.slice(index + 1))
      break
    }
    if (!readCommand(order, line)) rest.push(full)
  }
  order.rest = rest.join('\n').trim()
  return order
}

function readCommand(order: DemoOrder, line: string): boolean {
  const [, then, name, input] = useLine.exec(line) ?? []
  if (name !== undefined) {
    if (then || order.rounds.length === 0) order.rounds.push([])
    order.rounds.at(-1)!.push({ name, input: input || '{}' })
    return true
  }
  const [, thought] = /^(?:think|思考)[\s:：]+(.+)$/i.exec(line) ?? []
  if (thought !== undefined) order.think = thought
  const [, words] = /^(?:long|长文)\s+(\d+)$/i.exec(line) ?? []
  if (words !== undefined) order.words = Math.min(Number(words), maxWords)
  const isSlow = /^(slow|慢)$/i.test(line)
  if (isSlow) order.isSlow = true
  const [failLine, kind] = /^(?:fail|失败)(?:\s+([a-z-]+))?$/i.exec(line) ?? []
  if (failLine !== undefined) order.fail = faultKinds.find((known) => known === kind) ?? 'server'
  return thought !== undefined || words !== undefined || isSlow || failLine !== undefined
}

/** The JSON may end on its line or continue to the end of the message. */
function toJson(first: string, more: string[]): string {
  return isJson(first) ? first : [first, ...more].join('\n').trim()
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
