import { useQuery } from '@tanstack/react-query'
import { useClient } from './api.tsx'
import { modelsQuery } from './catalogue-queries.ts'
import { useScope } from './scope.ts'

/** The models that can be asked now, to choose from; empty until they are known. */
export function useModelNames(): readonly string[] {
  const client = useClient()
  const scope = useScope()
  const { data } = useQuery(modelsQuery(client, scope))
  return data?.items.flatMap(({ id, available }) => (available ? [id] : [])) ?? []
}
