import type {
  LoadedTool,
  PromptFragment,
  PromptMessage,
  PromptPreview,
  SentPrompt,
} from '../../../src/core/protocol/prompt.ts'

export type Prompt = PromptPreview | SentPrompt

export const isSent = (prompt: Prompt): prompt is SentPrompt => 'runId' in prompt

/** Which part of a prompt something belongs to, in the order in which a provider reads and caches them. */
export const shares = ['tools', 'system', 'head', 'window', 'input'] as const
export type Share = (typeof shares)[number]

/** One thing that the model was given. */
export interface Piece {
  key: string
  kind: 'tool' | 'fragment' | 'message'
  share: Share
  /** Of a tool or a fragment. */
  name?: string
  role?: PromptMessage['role']
  /** The message of the log. */
  seq?: number
  messageId?: string
  tokens: number
  /** Undefined where it is not known, or not of interest. */
  text?: string
  /** Files, skills and the like that its text came from. */
  sources: string[]
  cached?: 'yes' | 'partly' | 'no'
  /** Of a tool that is offered by a line, which is counted with the tool that lists it: where it was described or called. */
  loaded?: LoadedTool[]
}

/** All of a prompt, in order. */
export function toPieces(prompt: Prompt): Piece[] {
  const { tools, listedTools, loadedTools, toolTokens, fragments, messages } = prompt
  const placed = (placement: PromptFragment['placement'], share: Share) =>
    fragments.filter((fragment) => fragment.placement === placement).map((it) => toPiece(it, share))
  const head = placed('head', 'head')
  // what stands before the window is sent as a message, and told of by its fragments
  const window = head.length > 0 && messages[0]?.seq === undefined ? messages.slice(1) : messages
  return markCached(prompt, [
    ...tools.map((name): Piece => ({
      key: `tool-${name}`,
      kind: 'tool',
      share: 'tools',
      name,
      tokens: toolTokens[name] ?? 0,
      sources: [],
    })),
    ...listedTools.map((name): Piece => ({
      key: `tool-${name}`,
      kind: 'tool',
      share: 'tools',
      name,
      tokens: 0,
      sources: [],
      loaded: loadedTools.filter((loaded) => loaded.name === name),
    })),
    ...placed('static', 'system'),
    ...head,
    ...window.map((message, index) => toMessagePiece(message, index)),
    ...placed('dynamic', 'input'),
  ])
}

const toPiece = ({ name, tokens, text }: PromptFragment, share: Share): Piece => ({
  key: `${share}-${name}`,
  kind: 'fragment',
  share,
  name,
  tokens,
  text,
  sources: sourcesOf(text),
})

const toMessagePiece = (message: PromptMessage, index: number): Piece => ({
  key: `message-${index}`,
  kind: 'message',
  share: 'window',
  role: message.role,
  seq: message.seq,
  messageId: message.id,
  tokens: message.tokens,
  text: textOf(message),
  sources: [],
})

const sourcePattern = /<(?:rules from|imported from|skill name|file path|run id)="([^"\n]+)"/g

/** Texts from disk carry the name of where they came from. */
export const sourcesOf = (text = ''): string[] => [
  ...new Set(Array.from(text.matchAll(sourcePattern), ([, source]) => source!)),
]

/** A message as it can be read: calls and results as they are. */
export const textOf = ({ content }: Pick<PromptMessage, 'content'>): string =>
  content.map(partText).join('\n')

/** What a message is known by: its own words, not what was sent along with them. */
export const beginningOf = (text: string): string =>
  text.replace(/^<context>\n[^]*?\n<\/context>\n/, '').slice(0, 200)

function partText(part: PromptMessage['content'][number]): string {
  switch (part.type) {
    case 'tool-call':
      return `→ ${String(part.toolName)} ${JSON.stringify(part.input, undefined, 2)}`
    case 'tool-result':
      return `← ${String(part.toolName)}${part.isError ? ' !' : ''} ${String(part.output)}`
    case 'file':
      return `[${String(part.filename ?? 'file')}, ${String(part.mediaType)}]`
    case 'reasoning':
      return `[reasoning] ${String(part.text)}`
    default:
      return String(part.text ?? JSON.stringify(part))
  }
}

export type Totals = Record<Share, number> & { all: number }

/** What went with an input is part of its message once it was sent: counted there, it would be counted twice. */
export function sumTokens(prompt: Prompt, pieces: readonly Piece[]): Totals {
  const totals: Totals = { tools: 0, system: 0, head: 0, window: 0, input: 0, all: 0 }
  for (const { share, tokens } of pieces) totals[share] += tokens
  if (isSent(prompt)) totals.window = Math.max(0, totals.window - totals.input)
  totals.all = shares.reduce((sum, share) => sum + totals[share], 0)
  return totals
}

/** A provider's cache holds a beginning: how far it reached is told by how many tokens were read from it. */
function markCached(prompt: Prompt, pieces: Piece[]): Piece[] {
  if (!isSent(prompt)) return pieces
  const { usage, cache } = prompt
  if (cache.verdict === 'miss') return pieces.map((piece) => ({ ...piece, cached: 'no' }))
  const read = usage.cacheReadTokens
  if (cache.verdict !== 'hit' || read === undefined) return pieces
  const counted = pieces.filter(({ share }) => share !== 'input')
  const all = counted.reduce((sum, { tokens }) => sum + tokens, 0)
  // our sizes are estimates; what the provider counted says by how much they are off
  const scale = usage.inputTokens && all > 0 ? usage.inputTokens / all : 1
  let end = 0
  return pieces.map((piece) => {
    if (piece.share === 'input') return { ...piece, cached: 'no' }
    const start = end
    end += piece.tokens * scale
    return { ...piece, cached: end <= read + 0.5 ? 'yes' : start < read ? 'partly' : 'no' }
  })
}
