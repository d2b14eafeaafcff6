import { useTexts, type WordsOf } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { contextTexts } from './texts.ts'
import { DiffText } from './diff-text.tsx'
import type { DiffMode } from './mode-switch.tsx'
import { findFirstDifference, type PromptChange } from './prompt-diff.ts'
import type { Piece } from './prompt-pieces.ts'
import { useNumbers } from '../ui/use-numbers.ts'

interface Props {
  changes: readonly PromptChange[]
  mode: DiffMode
}

type Words = WordsOf<typeof contextTexts>

function nameOf({ kind, name, role, seq }: Piece, t: Words): string {
  if (kind === 'tool') return t.toolWord(name!)
  if (kind === 'fragment') return t.fragmentWord(name!)
  return t.messageWord(t.roles[role!], seq === undefined ? '' : t.messageNumber(seq))
}

/** What two prompts differ in, from the first difference on. */
export function ChangeList({ changes, mode }: Props) {
  const t = useTexts(contextTexts)
  const { count } = useNumbers()
  const { piece, isGrowth, sharedTokens } = findFirstDifference(changes)
  const summary =
    piece === undefined
      ? t.noDifference
      : isGrowth
        ? t.growth(count(sharedTokens))
        : t.differsAt(nameOf(piece, t), count(sharedTokens))
  return (
    <>
      <p className="text-sm">{summary}</p>
      <ol className="flex flex-col gap-2">
        {changes.map((change) =>
          change.kind === 'same' ? (
            <li key={`same-${change.pieces[0]!.key}`} className="text-center text-xs text-muted">
              {t.unchanged(change.pieces.length)}
            </li>
          ) : (
            <li key={`${change.kind}-${shownOf(change).key}`}>
              <ChangeBox change={change} mode={mode} />
            </li>
          ),
        )}
      </ol>
    </>
  )
}

type Difference = Exclude<PromptChange, { kind: 'same' }>

const shownOf = (change: Difference) => (change.kind === 'changed' ? change.after : change.piece)

function ChangeBox({ change, mode }: { change: Difference; mode: DiffMode }) {
  const t = useTexts(contextTexts)
  const { kind } = change
  const shown = shownOf(change)
  const before = kind === 'changed' ? change.before.text : kind === 'removed' ? change.piece.text : ''
  const after = kind === 'changed' ? change.after.text : kind === 'added' ? change.piece.text : ''
  const name = nameOf(shown, t)
  return (
    <div className="overflow-hidden rounded-md border border-line">
      <div className="flex items-center gap-2 bg-hover px-2 py-1">
        <h3 className="min-w-0 flex-1 text-sm font-medium first-letter:uppercase">{name}</h3>
        <Tag>{t.changes[kind]}</Tag>
      </div>
      {shown.kind !== 'tool' &&
        (before === undefined || after === undefined ? (
          <p className="p-2 text-sm text-muted">{t.textUnknown}</p>
        ) : (
          <DiffText label={name} before={before} after={after} mode={mode} />
        ))}
    </div>
  )
}
