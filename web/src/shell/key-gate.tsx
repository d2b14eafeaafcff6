import { useQuery } from '@tanstack/react-query'
import { useState, type FormEvent, type ReactNode } from 'react'
import { ParleyError } from '../../../src/client/index.ts'
import { useApi } from '../api/api.tsx'
import { apiKey } from '../api/key.ts'
import { useScope } from '../api/scope.ts'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Failure, Loading } from '../ui/states.tsx'
import { appTexts } from './shell-texts.ts'
import { useTexts } from './texts.ts'

/** Asks for a key when the server wants one, before anything else is shown. */
export function KeyGate({ children }: { children: ReactNode }) {
  const { client } = useApi()
  const scope = useScope()
  const { isPending, error, refetch } = useQuery({
    queryKey: ['access', scope],
    queryFn: () => client.sessions.list({ scope, limit: 1 }),
    staleTime: Infinity,
  })
  if (isPending) return <Loading />
  if (error instanceof ParleyError && error.code === 'unauthorized') return <KeyForm />
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  return children
}

function KeyForm() {
  const t = useTexts(appTexts)
  const { setKey } = useApi()
  const [value, setValue] = useState('')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value.trim() !== '') setKey(value.trim())
  }
  return (
    <main className="mx-auto flex h-full max-w-sm flex-col justify-center gap-4 p-6">
      <h1 className="text-2xl font-semibold">Parley</h1>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <p role={apiKey.get() ? 'alert' : undefined}>{apiKey.get() ? t.keyRefused : t.keyWanted}</p>
        <Field label={t.key}>
          {(props) => (
            <input
              {...props}
              type="password"
              autoComplete="off"
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
        <Button type="submit" variant="primary">
          {t.keySubmit}
        </Button>
      </form>
    </main>
  )
}
