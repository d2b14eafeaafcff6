import { ArrowLeft, Play, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { Workflow } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Topbar } from '../shell/topbar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useTitle } from '../ui/use-title.ts'
import { ChatTab } from './chat-tab.tsx'
import { DeleteWorkflow } from './delete-workflow.tsx'
import { EditTab } from './edit-tab.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { RunForm } from './run-form.tsx'
import { RunList } from './runs/run-list.tsx'
import { useDraft } from './use-draft.ts'
import { useGoTo } from '../shell/use-go-to.ts'
import { VersionsTab } from './versions-tab.tsx'
import { workflowTexts } from './texts.ts'

const tabs = ['edit', 'runs', 'versions', 'chat'] as const

/** One workflow. In the URL: `tab`, and `form=run` while it is about to be run. */
export function WorkflowView({ workflow }: { workflow: Workflow }) {
  const t = useTexts(workflowTexts)
  const goTo = useGoTo()
  const [{ tab, form }, setSearch] = useSearchState<'tab' | 'form'>()
  const [isDeleting, setDeleting] = useState(false)
  const [isGone, setGone] = useState(false)
  // kept here, so that a look at another tab loses nothing
  const draft = useDraft(workflow)
  const open = tabs.find((name) => name === tab) ?? 'edit'
  useTitle(workflow.name)
  const panels = {
    edit: <EditTab workflow={workflow} draft={draft} />,
    runs: <RunList workflowId={workflow.id} />,
    versions: <VersionsTab workflow={workflow} />,
    chat: <ChatTab workflow={workflow} />,
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <Topbar>
        <IconButton label={t.backToAll} onClick={() => goTo('/workflows')}>
          <ArrowLeft />
        </IconButton>
        <h1 className="min-w-0 flex-1 truncate px-1 font-semibold">
          <bdi>{workflow.name}</bdi>
        </h1>
        <Button size="small" onClick={() => setSearch({ form: 'run' })}>
          <Play aria-hidden />
          {t.run}
        </Button>
        <IconButton label={t.remove} onClick={() => setDeleting(true)}>
          <Trash2 />
        </IconButton>
      </Topbar>
      <Tabs
        label={t.views}
        value={open}
        onChange={(name) => setSearch({ tab: name === 'edit' ? undefined : name })}
        tabs={tabs.map((name) => ({ name, label: t.tabs[name], panel: name === open && panels[name] }))}
      />
      {form === 'run' && (
        <RunForm
          workflow={workflow}
          note={draft.isChanged ? t.runUnsaved : undefined}
          onClose={() => setSearch({ form: undefined })}
        />
      )}
      {isDeleting && (
        <DeleteWorkflow
          workflow={workflow}
          onClose={() => setDeleting(false)}
          onDeleted={() => {
            setGone(true)
            // once the guard knows that there is nothing to lose
            setTimeout(() => goTo('/workflows'))
          }}
        />
      )}
      <LeaveGuard isChanged={draft.isChanged && !isGone} />
    </div>
  )
}
