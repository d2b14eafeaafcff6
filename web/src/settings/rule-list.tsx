import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import type { PermissionRule } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import type { RuleChange } from '../permissions/change-rules.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { Tag, type TagState } from '../ui/tag.tsx'
import { useAfterCommit } from '../ui/use-after-commit.ts'
import { RuleForm } from './rule-form.tsx'

interface Props {
  rules: readonly PermissionRule[]
  /** To what there is: rules that ask and deny can be added, and none of those goes away. */
  isBound?: boolean
  isBusy: boolean
  onChange(change: RuleChange): Promise<boolean>
}

const states: Record<PermissionRule['decision'], TagState> = {
  allow: 'completed',
  ask: 'running',
  deny: 'failed',
}

/** Permission rules in their order, to add to and to change. */
export function RuleList({ rules, isBound = false, isBusy, onChange }: Props) {
  const t = useTexts(permissionTexts)
  const [isAdding, setAdding] = useState(false)
  const afterCommit = useAfterCommit()
  const section = useRef<HTMLElement>(null)
  const addButton = () => section.current?.querySelector<HTMLElement>('[data-add]')?.focus()
  const close = () => {
    setAdding(false)
    afterCommit(addButton)
  }
  const change = async (wanted: RuleChange) => {
    const isDone = await onChange(wanted)
    // its row is gone, or elsewhere
    if (isDone && wanted.kind === 'remove') addButton()
  }
  return (
    <section ref={section} aria-label={t.rulesTitle} className="flex flex-col gap-2">
      <h3 className="font-medium">{t.rulesTitle}</h3>
      <p className="text-sm text-muted">{t.rulesIntro}</p>
      {rules.length === 0 ? (
        <p className="text-sm text-muted">{t.noRules}</p>
      ) : (
        <ol className="divide-y divide-line rounded-lg border border-line">
          {rules.map((rule, index) => (
            <RuleRow
              // oxlint-disable-next-line react/no-array-index-key -- the same rule may be there twice
              key={index}
              rule={rule}
              place={index + 1}
              isLast={index === rules.length - 1}
              isBusy={isBusy || isBound}
              onMove={(by) => void change({ kind: 'move', index, by, rule })}
              onRemove={() => void change({ kind: 'remove', index, rule })}
            />
          ))}
        </ol>
      )}
      {isAdding ? (
        <RuleForm
          decisions={isBound ? ['ask', 'deny'] : ['allow', 'ask', 'deny']}
          isBusy={isBusy}
          onClose={close}
          onAdd={async (rule) => {
            if (await onChange({ kind: 'add', rule })) close()
          }}
        />
      ) : (
        <Button size="small" className="self-start" data-add onClick={() => setAdding(true)}>
          <Plus aria-hidden />
          {t.addRule}
        </Button>
      )}
    </section>
  )
}

interface RowProps {
  rule: PermissionRule
  place: number
  isLast: boolean
  isBusy: boolean
  onMove(by: -1 | 1): void
  onRemove(): void
}

function RuleRow({ rule, place, isLast, isBusy, onMove, onRemove }: RowProps) {
  const t = useTexts(permissionTexts)
  const { tool, action, path, decision, message } = rule
  return (
    <li className="flex items-center gap-2 px-3 py-1.5 text-sm">
      <span className="w-5 shrink-0 text-right text-muted tabular-nums">{place}</span>
      <div className="min-w-0 flex-1">
        <p className="flex min-w-0 flex-wrap items-center gap-x-2">
          <Tag state={states[decision]}>{t.decisions[decision]}</Tag>
          <code className="break-all">
            <bdi>{tool}</bdi>
          </code>
          <span className="text-muted">{action ? action.join(', ') : t.anyAction}</span>
        </p>
        <p className="break-all text-muted">{path ? <code>{path}</code> : t.anyPath}</p>
        {message && <p className="text-muted">“{message}”</p>}
      </div>
      <IconButton
        size="small"
        label={t.moveUp(place)}
        disabled={isBusy || place === 1}
        onClick={() => onMove(-1)}
      >
        <ArrowUp />
      </IconButton>
      <IconButton
        size="small"
        label={t.moveDown(place)}
        disabled={isBusy || isLast}
        onClick={() => onMove(1)}
      >
        <ArrowDown />
      </IconButton>
      <IconButton size="small" label={t.remove(place)} disabled={isBusy} onClick={onRemove}>
        <Trash2 />
      </IconButton>
    </li>
  )
}
