import type { Approval } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { sessionPlaceTexts } from './texts.ts'
import { WorkflowLink } from './workflow-link.tsx'

/** From a question to the run that asks it. */
export function AskedRunLink({ approval }: { approval: Approval }) {
  const t = useTexts(sessionPlaceTexts)
  return (
    <WorkflowLink
      to={`/workflow-runs/${approval.runId}`}
      className="w-fit text-accent underline underline-offset-2 hover:text-accent-strong"
    >
      {t.openRun}
    </WorkflowLink>
  )
}
