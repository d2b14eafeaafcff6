import {
  ArrowLeft,
  Download,
  EllipsisVertical,
  FileInput,
  History,
  ListChecks,
  MessageSquare,
  Play,
  Split,
  Trash2,
} from 'lucide-react'
import { useState } from 'react'
import type { Plan } from '../../../src/extensions/plan/protocol/plan.ts'
import { useTexts } from '../shell/texts.ts'
import { Topbar } from '../shell/topbar.tsx'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { useGoTo } from '../shell/use-go-to.ts'
import { NameBox } from './name-box.tsx'
import type { PlanForm } from './plan-forms.tsx'
import { planTexts } from './texts.ts'
import { StopButton } from './runs/stop-button.tsx'
import { useExport } from './use-export.ts'
import type { PlanDeeds } from './use-plan-deeds.ts'
import { useTalk } from './use-talk.ts'

interface Props {
  plan: Plan
  deeds: PlanDeeds
  onForm(form: PlanForm): void
}

export function PlanTopbar({ plan, deeds, onForm }: Props) {
  const t = useTexts(planTexts)
  const goTo = useGoTo()
  const save = useExport(plan)
  const talk = useTalk(plan.id)
  const form = (name: PlanForm) => () => onForm(name)
  return (
    <Topbar>
      <IconButton label={t.backToAll} onClick={() => goTo('/plans')}>
        <ArrowLeft />
      </IconButton>
      <Title plan={plan} onRename={(title) => void deeds.change({ title })} />
      <Button size="small" className="max-lg:hidden" onClick={talk}>
        <MessageSquare aria-hidden />
        {t.talk}
      </Button>
      <Button size="small" onClick={form('decompose')}>
        <Split aria-hidden />
        <span className="max-md:sr-only">{t.decompose}</span>
      </Button>
      {plan.activeRunId === undefined ? (
        <Button size="small" variant="primary" onClick={form('execute')}>
          <Play aria-hidden />
          <span className="max-sm:sr-only">{t.execute}</span>
        </Button>
      ) : (
        <StopButton runId={plan.activeRunId} />
      )}
      <Menu
        trigger={
          <IconButton size="small" label={t.actionsOf(plan.title)}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          { name: 'talk', label: t.talk, icon: MessageSquare, perform: talk },
          { name: 'import', label: t.import, icon: FileInput, perform: form('import') },
          { name: 'export', label: t.export, icon: Download, perform: save },
          { name: 'versions', label: t.versions, icon: History, perform: form('versions') },
          { name: 'runs', label: t.runs, icon: ListChecks, perform: form('runs') },
          { name: 'delete', label: t.remove, icon: Trash2, isDangerous: true, perform: form('delete') },
        ]}
      />
    </Topbar>
  )
}

function Title({ plan, onRename }: { plan: Plan; onRename(title: string): void }) {
  const t = useTexts(planTexts)
  const [isRenaming, setRenaming] = useState(false)
  if (isRenaming)
    return (
      <NameBox
        label={t.planTitle}
        name={plan.title}
        className="flex-1 py-1 font-semibold"
        onDone={(title) => {
          setRenaming(false)
          if (title !== undefined) onRename(title)
        }}
      />
    )
  return (
    <h1 className="min-w-0 flex-1 font-semibold">
      <button
        type="button"
        title={t.rename}
        onClick={() => setRenaming(true)}
        className="block max-w-full truncate rounded-md px-1.5 py-1 hover:bg-hover"
      >
        <bdi>{plan.title}</bdi>
      </button>
    </h1>
  )
}
