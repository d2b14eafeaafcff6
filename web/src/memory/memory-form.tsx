import { useState } from 'react'
import type { MemoryLayer, MemoryType } from '../../../src/client/index.ts'
import { useFieldErrors } from '../api/field-errors.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { Field } from '../ui/field.tsx'
import { FormButtons } from '../ui/form-buttons.tsx'
import { OpenedText } from '../ui/opened-text.tsx'
import { typesOf, usualTypes } from './memory-query.ts'
import { memoryTexts } from './texts.ts'
import { useCreateMemory } from './use-memory-deeds.ts'

interface Props {
  /** Given, it can be about this session too. */
  sessionId?: string
  onClose(): void
}

/** What a person wants remembered. */
export function MemoryForm({ sessionId, onClose }: Props) {
  const t = useTexts(memoryTexts)
  const announce = useAnnounce()
  const layers: MemoryLayer[] = [...(sessionId === undefined ? [] : ['session' as const]), 'user', 'scope']
  const [layer, setLayer] = useState<MemoryLayer>(layers[0]!)
  const [type, setType] = useState<MemoryType>(usualTypes[layer])
  const [text, setText] = useState('')
  const { mutate, isPending, error } = useCreateMemory()
  const errors = useFieldErrors(error, ['text', 'layer', 'type'])
  const save = () => {
    if (isPending) return
    mutate(
      { layer, type, text, ...(layer === 'session' && { sessionId }) },
      {
        onSuccess() {
          announce(t.added)
          onClose()
        },
      },
    )
  }
  return (
    <form
      aria-label={t.add}
      className="flex flex-col gap-3 rounded-lg border border-line bg-surface p-3"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <Field label={t.addText} hint={t.addTextHint} error={errors.text ?? errors.form}>
        {(props) => (
          <OpenedText {...props} value={text} onChange={setText} onSubmit={save} onClose={onClose} />
        )}
      </Field>
      <div className="grid grid-cols-2 gap-3">
        <Field label={t.addLayer} error={errors.layer}>
          {(props) => (
            <select
              {...props}
              value={layer}
              onChange={({ target }) => {
                const next = target.value as MemoryLayer
                setLayer(next)
                setType(usualTypes[next])
              }}
            >
              {layers.map((name) => (
                <option key={name} value={name}>
                  {t.addLayers[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t.type} error={errors.type}>
          {(props) => (
            <select {...props} value={type} onChange={({ target }) => setType(target.value as MemoryType)}>
              {typesOf(layer).map((name) => (
                <option key={name} value={name}>
                  {t.types[name]}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <FormButtons label={t.save} busyLabel={t.saving} isBusy={isPending} onClose={onClose} />
    </form>
  )
}
