import type { ModelRequest } from './adapter.ts'

const maxSummary = 1_500
const maxHead = 80

/** What the demo makes of a request to keep a memo: the first words of what was said, the newest last. */
export function toMemoText({ messages }: ModelRequest): string | undefined {
  const [content] = messages.at(-1)?.content ?? []
  if (content?.type !== 'text') return undefined
  try {
    const { current_memo: memo, messages: lines } = JSON.parse(content.text) as {
      current_memo: Record<string, unknown>
      messages: string[]
    }
    const heads = lines.flatMap((line) => /^\[\d+\] user: (.+)/.exec(line)?.[1]?.slice(0, maxHead) ?? [])
    const summary = [memo.recent_summary, ...heads].filter(Boolean).join('; ')
    return JSON.stringify({ ...memo, recent_summary: summary.slice(-maxSummary).toWellFormed() })
  } catch {
    return undefined // not a request of that kind
  }
}
