import { Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { useAfterCommit } from '../ui/use-after-commit.ts'
import { MemoryForm } from './memory-form.tsx'
import { memoryTexts } from './texts.ts'

/** A button that becomes a form, and has the focus again when that is closed. */
export function MemoryAdd({ sessionId }: { sessionId?: string }) {
  const t = useTexts(memoryTexts)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const afterCommit = useAfterCommit()
  if (isOpen)
    return (
      <MemoryForm
        sessionId={sessionId}
        onClose={() => {
          setOpen(false)
          afterCommit(() => button.current?.focus())
        }}
      />
    )
  return (
    <Button ref={button} size="small" data-memory-add className="self-start" onClick={() => setOpen(true)}>
      <Plus aria-hidden />
      {t.add}
    </Button>
  )
}
