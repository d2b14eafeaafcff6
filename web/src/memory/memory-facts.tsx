import type { Memory } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Tag } from '../ui/tag.tsx'
import { MemoryEvidence } from './memory-evidence.tsx'
import { MemorySource } from './memory-source.tsx'
import { memoryTexts } from './texts.ts'

/** What kind it is, whose it is, where it comes from and what it is good for. */
export function MemoryFacts({ memory }: { memory: Memory }) {
  const t = useTexts(memoryTexts)
  const { layer, type, status, author, isEdited, refCount, lastUsedAt, updatedAt, evidence, origin } = memory
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs text-muted">
      <Tag>{t.layers[layer]}</Tag>
      <Tag>{t.types[type]}</Tag>
      {status === 'deleted' && <Tag state="failed">{t.deleted}</Tag>}
      <span>
        {t.authors[author]}
        {isEdited && ` · ${t.edited}`} · <RelativeTime time={updatedAt} />
      </span>
      <span>
        {refCount === 0 ? t.unused : t.uses(refCount)}
        {lastUsedAt !== undefined && (
          <>
            {' · '}
            {t.lastUsed} <RelativeTime time={lastUsedAt} />
          </>
        )}
      </span>
      <MemorySource memory={memory} />
      {evidence !== undefined && <MemoryEvidence evidence={evidence} origin={origin} />}
    </div>
  )
}
