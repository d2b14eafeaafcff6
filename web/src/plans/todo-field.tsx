import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { planTexts } from './texts.ts'

interface Props {
  label: string
  hint: string
  value: string
  error?: string
  onChange(markdown: string): void
}

/** A list of tasks in Markdown, written or taken from a file. */
export function TodoField({ label, hint, value, error, onChange }: Props) {
  const t = useTexts(planTexts)
  const files = useRef<HTMLInputElement>(null)
  return (
    <div className="flex flex-col gap-1.5">
      <Field label={label} hint={hint} error={error}>
        {(control) => (
          <textarea
            {...control}
            dir="auto"
            rows={7}
            spellCheck={false}
            placeholder={t.todoExample}
            className={`${control.className} font-mono text-[13px]`}
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <Button size="small" className="self-start" onClick={() => files.current?.click()}>
        <FileUp aria-hidden />
        {t.fromFile}
      </Button>
      <input
        ref={files}
        type="file"
        hidden
        accept=".md,.markdown,.txt"
        onChange={({ target }) => {
          void target.files?.[0]?.text().then(onChange)
          // the same file can be chosen again
          target.value = ''
        }}
      />
    </div>
  )
}
