import { EllipsisVertical, Pencil, Play, Trash2, TriangleAlert } from 'lucide-react'
import type { WorkflowSummary } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../shell/texts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Menu } from '../ui/menu.tsx'
import { RelativeTime } from '../ui/relative-time.tsx'
import { Tag } from '../ui/tag.tsx'
import { useGoTo } from '../shell/use-go-to.ts'
import { WorkflowLink } from './workflow-link.tsx'
import { workflowTexts } from './texts.ts'

interface Props {
  workflow: WorkflowSummary
  onRun(): void
  onDelete(): void
}

export function WorkflowRow({ workflow, onRun, onDelete }: Props) {
  const t = useTexts(workflowTexts)
  const goTo = useGoTo()
  const {
    id,
    name,
    description,
    triggers,
    stepCount,
    version,
    updatedAt,
    file,
    problem,
    tags = [],
  } = workflow
  return (
    <li className="flex items-start gap-2 px-3 py-2.5">
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <WorkflowLink to={`/workflows/${id}`} className="line-clamp-2 min-w-0 font-medium hover:underline">
            <bdi>{name}</bdi>
          </WorkflowLink>
          {[...new Set(triggers)].map((trigger) => (
            <Tag key={trigger}>{t.triggers[trigger] ?? trigger}</Tag>
          ))}
          {tags.slice(0, 4).map((tag) => (
            <Tag key={`#${tag}`} className="max-w-40">
              <bdi className="truncate">#{tag}</bdi>
            </Tag>
          ))}
        </div>
        {description && (
          <p className="line-clamp-2 text-sm text-muted">
            <bdi>{description}</bdi>
          </p>
        )}
        <p className="mt-0.5 text-sm text-muted">
          {t.steps(stepCount)} · {t.version(version)} · {t.changed} <RelativeTime time={updatedAt} />
          {file && (
            <>
              {' · '}
              {t.file} <code className="font-mono text-xs">{file}</code>
            </>
          )}
        </p>
        {problem && (
          <p className="mt-1 flex gap-1.5 text-sm text-warning">
            <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
            <bdi className="line-clamp-3">{t.fileProblem(problem)}</bdi>
          </p>
        )}
      </div>
      <Button size="small" onClick={onRun}>
        <Play aria-hidden />
        <span className="max-sm:sr-only">{t.run}</span>
      </Button>
      <Menu
        trigger={
          <IconButton size="small" label={t.actionsOf(name)}>
            <EllipsisVertical />
          </IconButton>
        }
        items={[
          { name: 'edit', label: t.edit, icon: Pencil, perform: () => goTo(`/workflows/${id}`) },
          { name: 'delete', label: t.remove, icon: Trash2, isDangerous: true, perform: onDelete },
        ]}
      />
    </li>
  )
}
