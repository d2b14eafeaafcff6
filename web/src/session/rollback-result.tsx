import type { RolledBack } from '../../../src/core/protocol/rollback.ts'
import { useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'

/** What became of the files that were changed. */
export function RollbackResult({ result: { restored, removed, failed } }: { result: RolledBack }) {
  const t = useTexts(sessionTexts)
  const reasonOf = (reason: string) => t.reasons[reason as keyof typeof t.reasons] ?? reason
  return (
    <div className="flex flex-col gap-3 text-sm">
      <Names
        title={t.notRestored}
        className="text-danger"
        names={failed.map(({ name, reason }) => [name, reasonOf(reason)])}
      />
      <Names title={t.restored} names={restored.map((name) => [name])} />
      <Names title={t.removed} names={removed.map((name) => [name])} />
    </div>
  )
}

interface NamesProps {
  title: string
  className?: string
  names: readonly (readonly [name: string, reason?: string])[]
}

function Names({ title, className, names }: NamesProps) {
  if (names.length === 0) return null
  return (
    <section>
      <h3 className={`font-medium ${className ?? ''}`}>
        {title} ({names.length})
      </h3>
      <ul className="mt-1 flex flex-col gap-0.5">
        {names.map(([name, reason]) => (
          <li key={name}>
            <code className="font-mono text-[13px] break-all">
              <bdi>{name}</bdi>
            </code>
            {reason && <span className="text-muted"> — {reason}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
