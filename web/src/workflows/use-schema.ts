import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import type { Schema } from './editor/schema-options.ts'

/** What a definition may be made of, as a JSON Schema; undefined until it is there. */
export function useSchema(): Schema | undefined {
  const client = useClient()
  const { data } = useQuery({
    queryKey: catalogueKeys.catalogue('workflow-schema'),
    queryFn: () => client.workflows.schema() as Promise<Schema>,
    staleTime: Infinity,
  })
  return data
}
