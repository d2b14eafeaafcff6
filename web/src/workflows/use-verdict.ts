import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { DefinitionProblem } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useDebounced } from '../ui/use-debounced.ts'
import { readDefinition, type Definition } from './definition.ts'

export interface Verdict {
  /** Of what was checked last; empty until then. */
  problems: readonly DefinitionProblem[]
  /** The last one without problems. */
  definition?: Definition
  /** Whether the text as it is now was checked. */
  isChecked: boolean
  isValid: boolean
  error: Error | null
}

// a pause between two words
const pauseMs = 300
const none: readonly DefinitionProblem[] = []

/** What the server thinks of a text, a moment after it was last changed. */
export function useVerdict(text: string): Verdict {
  const client = useClient()
  const scope = useScope()
  const settled = useDebounced(text, pauseMs)
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: workflowKeys.verdict(scope, settled),
    queryFn: () => client.workflows.validate({ scope, text: settled }),
    placeholderData: keepPreviousData,
    gcTime: 0,
    staleTime: Infinity,
  })
  const [last, setLast] = useState<Record<string, unknown>>()
  if (data?.definition && data.definition !== last) setLast(data.definition)
  return {
    problems: data?.problems ?? none,
    definition: readDefinition(last),
    isChecked: data !== undefined && !isPlaceholderData && settled === text,
    isValid: data?.valid ?? false,
    error,
  }
}
