import { ArrowLeft } from 'lucide-react'
import { useTexts } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { PageFrame } from '../../ui/page-frame.tsx'
import { useGoTo } from '../../shell/use-go-to.ts'
import { workflowTexts, runTexts } from '../texts.ts'
import { RunList } from './run-list.tsx'

export function Page() {
  const t = useTexts(runTexts)
  const { backToAll } = useTexts(workflowTexts)
  const goTo = useGoTo()
  return (
    <PageFrame
      title={t.title}
      actions={
        <IconButton label={backToAll} onClick={() => goTo('/workflows')} className="order-first">
          <ArrowLeft />
        </IconButton>
      }
    >
      <RunList />
    </PageFrame>
  )
}
