import type { AnsweredTriple, TripleSource } from './protocol/knowledge.ts'
import { cut } from '../../core/shared/text.ts'

const maxPrompt = 12_000
const maxShownSources = 2
const maxShownEvidence = 200

/** What was found, as text for a prompt: data between tags that nothing in it can close. */
export function toPromptText(triples: readonly AnsweredTriple[]): string {
  if (triples.length === 0)
    return '<knowledge>\nNothing in the knowledge graph has to do with it.\n</knowledge>'
  const lines: string[] = []
  let left = maxPrompt
  for (const [index, triple] of triples.entries()) {
    const line = `${index + 1}. ${describe(triple)}`
    left -= line.length + 1
    if (left < 0) break
    lines.push(line)
  }
  const more = triples.length - lines.length
  if (more > 0) lines.push(`(${more} more)`)
  return `<knowledge>\n${lines.join('\n')}\n</knowledge>`
}

function describe({ subject, predicate, object, sources }: AnsweredTriple): string {
  const shown = sources.slice(0, maxShownSources).map(describeSource)
  if (sources.length > shown.length) shown.push(`${sources.length - shown.length} more`)
  return `(${safe(subject)}) -[${safe(predicate)}]→ (${safe(object)}) — ${shown.join('; ')}`
}

function describeSource({ documentId, title, source, evidence }: TripleSource): string {
  const name =
    documentId === undefined ? `import "${safe(source ?? '')}"` : `document "${safe(title ?? documentId)}"`
  return evidence === undefined ? name : `${name}: "${safe(cut(evidence, maxShownEvidence))}"`
}

/** On one line, and without what begins a tag. */
const safe = (text: string) => text.replace(/\s+/g, ' ').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
