import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useClient } from '../api/api.tsx'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { fileNameOf, saveFile } from '../ui/save-file.ts'
import { useToast } from '../ui/toast.tsx'
import { planTexts } from './texts.ts'

/** Saves a plan as a list of tasks in Markdown. */
export function useExport({ id, title }: Pick<Plan, 'id' | 'title'>): () => void {
  const t = useTexts(planTexts)
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  return () =>
    void client.plans.markdown(id, { scope }).then(
      ({ markdown }) => saveFile(fileNameOf(title, 'markdown'), markdown),
      ({ message }: Error) => toast({ title: t.notDone, description: message, isProblem: true }),
    )
}
