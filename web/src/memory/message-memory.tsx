import { clsx } from 'clsx'
import { useState } from 'react'
import type { ListedMemory } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { classForLongWords } from '../markdown/long-words.ts'
import { Button } from '../ui/button.tsx'
import { Tag } from '../ui/tag.tsx'
import { memoryTexts } from './texts.ts'
import { useMemoryDeeds } from './use-memory-deeds.ts'

/** A memory under the answer that used or made it. */
export function MessageMemory({ memory }: { memory: ListedMemory }) {
  const t = useTexts(memoryTexts)
  const deeds = useMemoryDeeds()
  const [isBusy, setBusy] = useState(false)
  const { text, layer, type, status, inMessage } = memory
  const isForgotten = status === 'deleted'
  const toggle = async () => {
    setBusy(true)
    await (isForgotten ? deeds.restore(memory) : deeds.forget(memory))
    setBusy(false)
  }
  return (
    <li data-memory={memory.id} className="flex min-w-0 items-start gap-2 overflow-hidden py-1.5">
      <div className="min-w-0 flex-1">
        <p
          dir="auto"
          className={clsx(
            'whitespace-pre-wrap',
            isForgotten && 'text-muted line-through',
            classForLongWords(text),
          )}
        >
          {text}
        </p>
        <div className="mt-0.5 flex flex-wrap items-center gap-x-2 text-xs text-muted">
          {inMessage && <Tag state={inMessage === 'made' ? 'completed' : 'plain'}>{t[inMessage]}</Tag>}
          {t.layers[layer]} · {t.types[type]}
          {isForgotten && ` · ${t.deleted}`}
        </div>
      </div>
      <Button
        size="small"
        variant="ghost"
        // stays where it is, and keeps the focus
        aria-disabled={isBusy}
        className="text-muted hover:text-text"
        onClick={() => !isBusy && void toggle()}
      >
        {isForgotten ? t.undo : t.forget}
      </Button>
    </li>
  )
}
