import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { useErrorText } from '../api/field-errors.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { settingsTexts } from './texts.ts'

interface Props {
  name: string
  title: string
}

/** Asks a provider for its models now, and says what came of it. */
export function TestProvider({ name, title }: Props) {
  const t = useTexts(settingsTexts)
  const toText = useErrorText()
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const test = useMutation({
    mutationFn: () => client.providers.test(name, { scope }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['models'] }),
  })
  const { data } = test
  return (
    <>
      {test.error && (
        <p role="alert" className="text-sm text-danger">
          {toText(test.error)}
        </p>
      )}
      {data && (
        <p role="status" className={data.ok ? 'text-sm' : 'text-sm text-danger'}>
          {data.ok ? t.testPassed(data.models, data.ms) : t.testFailed}
        </p>
      )}
      <Button
        size="small"
        aria-label={t.testProvider(title)}
        disabled={test.isPending}
        onClick={() => test.mutate()}
      >
        {t.test}
      </Button>
    </>
  )
}
