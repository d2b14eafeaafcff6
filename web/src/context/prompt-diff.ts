import { diffArrays } from 'diff'
import { isSent, toPieces, type Piece, type Prompt } from './prompt-pieces.ts'

export type PromptChange =
  | { kind: 'same'; pieces: Piece[] }
  | { kind: 'added' | 'removed'; piece: Piece }
  | { kind: 'changed'; before: Piece; after: Piece }

/** What two prompts have in common and what not, in the order in which it is sent. */
export function diffPrompts(before: Prompt, after: Prompt): PromptChange[] {
  const [old, now] = [comparable(before), comparable(after)]
  const changes = diffArrays(old.map(identityOf), now.map(identityOf))
  const rows: PromptChange[] = []
  let [oldAt, nowAt] = [0, 0]
  for (let index = 0; index < changes.length; index++) {
    const { added, removed, count } = changes[index]!
    if (!added && !removed) {
      rows.push({ kind: 'same', pieces: now.slice(nowAt, nowAt + count) })
      oldAt += count
      nowAt += count
      continue
    }
    // what is taken away and what comes in its place are told one after the other
    const next = changes[index + 1]
    const isPair = next !== undefined && next.added !== added && next.removed !== removed
    const gone = removed ? count : isPair ? next.count : 0
    const come = added ? count : isPair ? next.count : 0
    rows.push(...pair(old.slice(oldAt, oldAt + gone), now.slice(nowAt, nowAt + come)))
    oldAt += gone
    nowAt += come
    if (isPair) index++
  }
  return rows
}

/** What went with an input is in its message already, once it was sent. */
const comparable = (prompt: Prompt) =>
  toPieces(prompt).filter(({ share }) => !isSent(prompt) || share !== 'input')

const identityOf = (piece: Piece) => `${labelOf(piece)}\n${piece.text ?? ''}`
const labelOf = ({ kind, share, name, role, loaded }: Piece) =>
  `${kind} ${share} ${loaded ? 'by a line ' : ''}${name ?? role}`

/** A piece of the same name is the same piece with another text; messages are never rewritten, only left out. */
function pair(gone: readonly Piece[], come: readonly Piece[]): PromptChange[] {
  const rows: PromptChange[] = []
  const left = [...come]
  for (const before of gone) {
    const index = left.findIndex((after) => isSamePiece(before, after))
    if (index === -1) {
      rows.push({ kind: 'removed', piece: before })
      continue
    }
    for (const piece of left.splice(0, index)) rows.push({ kind: 'added', piece })
    rows.push({ kind: 'changed', before, after: left.shift()! })
  }
  for (const piece of left) rows.push({ kind: 'added', piece })
  return rows
}

const isSamePiece = (a: Piece, b: Piece) =>
  labelOf(a) === labelOf(b) && (a.kind !== 'message' || (a.seq !== undefined && a.seq === b.seq))

export interface FirstDifference {
  /** The first thing that is not as it was; undefined when nothing is. */
  piece?: Piece
  /** Everything that was there is still there: a provider that caches finds all of it. */
  isGrowth: boolean
  /** Tokens, estimated, before the first difference. */
  sharedTokens: number
}

export function findFirstDifference(changes: readonly PromptChange[]): FirstDifference {
  const index = changes.findIndex(({ kind }) => kind !== 'same')
  const shared = changes
    .slice(0, index === -1 ? changes.length : index)
    .flatMap((change) => (change.kind === 'same' ? change.pieces : []))
  const sharedTokens = shared.reduce((sum, { tokens }) => sum + tokens, 0)
  const first = changes[index]
  if (first === undefined) return { isGrowth: true, sharedTokens }
  return {
    piece: first.kind === 'changed' ? first.after : (first as { piece: Piece }).piece,
    isGrowth: changes.slice(index).every(({ kind }) => kind === 'added'),
    sharedTokens,
  }
}
