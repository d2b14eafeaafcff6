import { useTexts } from '../shell/texts.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { contextTexts } from './texts.ts'
import { isSent, sumTokens, type Piece, type Prompt } from './prompt-pieces.ts'
import { ShareBar } from './share-bar.tsx'
import { useNumbers } from '../ui/use-numbers.ts'
import { VerdictNote } from './verdict-note.tsx'

interface Props {
  prompt: Prompt
  pieces: readonly Piece[]
  /** Shows what changed since the call before. */
  onWhy(): void
}

/** How big a prompt is, what came of it, and what the cache made of it. */
export function PromptSummary({ prompt, pieces, onWhy }: Props) {
  const t = useTexts(contextTexts)
  const { count, money } = useNumbers()
  const totals = sumTokens(prompt, pieces)
  const reported = (value: number | undefined) =>
    value === undefined ? t.notReported : t.tokens(count(value))
  const facts: [string, string][] = [[t.estimated, t.tokens(count(totals.all))]]
  if (isSent(prompt)) {
    const { usage, cost, model } = prompt
    facts.unshift([t.model, model])
    facts.push(
      [t.input, reported(usage.inputTokens)],
      [t.cachedTokens, reported(usage.cacheReadTokens)],
      [t.output, reported(usage.outputTokens)],
    )
    if (cost !== undefined) facts.push([t.cost, money(cost)])
  }
  for (const [name, value] of Object.entries(prompt.parameters ?? {}))
    facts.push([`${t.parameter} ${name}`, typeof value === 'string' ? value : JSON.stringify(value)])
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-start gap-2">
        <dl className="grid min-w-0 flex-1 grid-cols-[auto_1fr] gap-x-3 gap-y-0.5 text-sm">
          {facts.map(([name, value]) => (
            <div key={name} className="contents">
              <dt className="text-muted">{name}</dt>
              <dd className="tabular-nums">{value}</dd>
            </div>
          ))}
        </dl>
        <CopyButton label={t.copyJson} text={() => JSON.stringify(prompt, undefined, 2)} />
      </div>
      <ShareBar totals={totals} />
      {isSent(prompt) && <VerdictNote prompt={prompt} onWhy={onWhy} />}
      {isSent(prompt) && !prompt.isExact && <p className="text-sm text-muted">{t.notExact}</p>}
    </div>
  )
}
