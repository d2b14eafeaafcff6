import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { saveFile } from '../ui/save-file.ts'
import { settingsTexts } from './texts.ts'

/** Saves every session of the scope, or those with certain words, as one file that can be imported. */
export function ExportAll() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const [words, setWords] = useState('')
  const { mutate, isPending, error } = useMutation({
    async mutationFn(q: string) {
      const pieces: string[] = []
      for await (const piece of client.sessions.exportAll({ scope, ...(q !== '' && { q }) }))
        pieces.push(piece)
      saveFile(`${scope}-sessions.jsonl`, ...pieces)
    },
  })
  return (
    <form
      className="flex flex-wrap items-end gap-3"
      onSubmit={(event) => {
        event.preventDefault()
        mutate(words.trim())
      }}
    >
      <Field label={t.exportAllWords} className="min-w-60 flex-1">
        {(props) => (
          <input {...props} type="search" value={words} onChange={(event) => setWords(event.target.value)} />
        )}
      </Field>
      <Button type="submit" disabled={isPending}>
        <Download aria-hidden />
        {words.trim() === '' ? t.exportAllButton : t.exportFoundButton}
      </Button>
      {error && (
        <p role="alert" className="w-full text-sm text-danger">
          {error.message}
        </p>
      )}
    </form>
  )
}
