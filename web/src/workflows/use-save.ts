import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ParleyError } from '../../../src/client/index.ts'
import type { DefinitionProblem, Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useClient } from '../api/api.tsx'
import { workflowKeys } from './queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { useAnnounce } from '../ui/announcer.tsx'
import { useToast } from '../ui/toast.tsx'
import type { Draft } from './use-draft.ts'
import { workflowTexts } from './texts.ts'

export interface Saving {
  save(): void
  /** On top of a version that somebody else saved. */
  saveOver(base: Workflow, text: string): void
  isSaving: boolean
  /** Why the server refused the text as it is now. */
  problems?: readonly DefinitionProblem[]
  /** What was saved meanwhile, to be looked at. */
  conflict?: Workflow
  openConflict(theirs: Workflow): void
  closeConflict(): void
}

interface Attempt {
  text: string
  baseVersion: number
}

export function useSave(id: string, draft: Draft): Saving {
  const t = useTexts(workflowTexts)
  const client = useClient()
  const scope = useScope()
  const queries = useQueryClient()
  const toast = useToast()
  const announce = useAnnounce()
  const [refused, setRefused] = useState<{ text: string; problems: DefinitionProblem[] }>()
  const [conflict, setConflict] = useState<Workflow>()
  const { mutate, isPending } = useMutation({
    mutationFn: ({ text, baseVersion }: Attempt) => client.workflows.update(id, { scope, text, baseVersion }),
    onSuccess(saved, { text }) {
      queries.setQueryData(workflowKeys.workflow(id), saved)
      setConflict(undefined)
      // what was typed while it was sent is still to be saved
      draft.rebase(saved, text === draft.text ? saved.text : draft.text)
      announce(t.saved(saved.version))
      void queries.invalidateQueries({ queryKey: ['workflows'] })
    },
    async onError(error, { text }) {
      const problems = problemsOf(error)
      if (problems) {
        setRefused({ text, problems })
        announce(t.fixFirst)
        toast({ title: t.fixFirst })
        return
      }
      const theirs = await newerThan(draft.base.version)
      if (theirs) setConflict(theirs)
      else toast({ title: t.notDone, description: error.message })
    },
  })
  const newerThan = async (version: number) => {
    const saved = await client.workflows.get(id, { scope }).catch(() => undefined)
    if (!saved || saved.version <= version) return undefined
    queries.setQueryData(workflowKeys.workflow(id), saved)
    return saved
  }
  return {
    save() {
      if (!draft.isChanged || isPending) return
      mutate({ text: draft.text, baseVersion: draft.base.version })
    },
    saveOver: (base, text) => mutate({ text, baseVersion: base.version }),
    isSaving: isPending,
    ...(refused?.text === draft.text && { problems: refused.problems }),
    conflict,
    openConflict: setConflict,
    closeConflict: () => setConflict(undefined),
  }
}

function problemsOf(error: Error): DefinitionProblem[] | undefined {
  if (!(error instanceof ParleyError) || error.code !== 'invalid_request') return undefined
  const { problems } = (error.details ?? {}) as { problems?: unknown }
  return Array.isArray(problems) ? (problems as DefinitionProblem[]) : undefined
}
