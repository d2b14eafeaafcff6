import { useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { nodeTexts } from './texts.ts'

/** That a result rests on others which were replaced since. */
export function Stale({ ids }: { ids: readonly number[] }) {
  const t = useTexts(nodeTexts)
  const because = t.staleBecause(ids.map((id) => `#${id}`).join(', '))
  return (
    <Tag state="degraded" title={because} data-stale>
      {t.stale}
      <span className="sr-only">: {because}</span>
    </Tag>
  )
}
