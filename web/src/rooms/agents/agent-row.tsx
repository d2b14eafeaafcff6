import { Copy, EllipsisVertical, Pencil, Trash2 } from 'lucide-react'
import type { Agent } from '../../../../src/extensions/agents/protocol/agent.ts'
import { useTexts } from '../../shell/texts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { Menu } from '../../ui/menu.tsx'
import { Tag } from '../../ui/tag.tsx'
import { Avatar, NameChip } from '../avatar.tsx'
import { agentTexts } from '../texts.ts'

interface Props {
  agent: Agent
  onEdit(): void
  onCopy(): void
  onDelete(): void
}

/** What comes from a file or with Parley can be copied, and is changed elsewhere. */
export function AgentRow({ agent, onEdit, onCopy, onDelete }: Props) {
  const t = useTexts(agentTexts)
  const { name, displayName, description, source, path, model, nicknames = [], aliases = [] } = agent
  const called = [...nicknames, ...aliases]
  const isOwn = source === 'stored'
  return (
    <li data-agent={name} className="flex items-start gap-3 px-3 py-2.5">
      <Avatar agent={agent} />
      <div className="min-w-0 flex-1">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
          <NameChip agent={agent} />
          <bdi className="text-sm text-muted">@{name}</bdi>
          <Tag title={path}>{t.sources[source]}</Tag>
        </div>
        {description && (
          <p className="mt-0.5 line-clamp-2 text-sm wrap-anywhere">
            <bdi>{description}</bdi>
          </p>
        )}
        <p className="flex flex-wrap gap-x-3 text-xs wrap-anywhere text-muted">
          {called.length > 0 && <bdi>{t.called(called)}</bdi>}
          {model !== undefined && <span>{model}</span>}
          {path !== undefined && <span>{path}</span>}
        </p>
      </div>
      {isOwn ? (
        <>
          <Button size="small" onClick={onEdit}>
            <Pencil aria-hidden />
            <span className="max-sm:sr-only">{t.edit}</span>
          </Button>
          <Menu
            trigger={
              <IconButton size="small" label={t.actionsOf(displayName || name)}>
                <EllipsisVertical />
              </IconButton>
            }
            items={[
              { name: 'edit', label: t.edit, icon: Pencil, perform: onEdit },
              { name: 'delete', label: t.delete, icon: Trash2, isDangerous: true, perform: onDelete },
            ]}
          />
        </>
      ) : (
        <Button size="small" onClick={onCopy}>
          <Copy aria-hidden />
          <span className="max-sm:sr-only">{t.copy}</span>
        </Button>
      )}
    </li>
  )
}
