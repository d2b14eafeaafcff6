import type { McpServerStatus } from '../../../src/client/index.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { Tag, type TagState } from '../ui/tag.tsx'
import { mcpTexts } from './texts.ts'

const states: Record<McpServerStatus['state'], TagState> = {
  ready: 'completed',
  starting: 'running',
  idle: 'queued',
  failed: 'failed',
  disabled: 'cancelled',
}

/** One server: how it is, and what it offers. */
export function McpServer({ server }: { server: McpServerStatus }) {
  const t = useTexts(mcpTexts)
  const language = useLanguage()
  const { name, transport, state, error, tools, tokens, withheld } = server
  return (
    <li className="flex flex-col gap-1.5 px-3 py-2.5" data-state={state}>
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="min-w-0 font-mono font-medium break-all">{name}</h3>
        <Tag state={states[state]}>{t.states[state]}</Tag>
        <Tag>{t.transports[transport]}</Tag>
      </div>
      {state === 'failed' && (
        <>
          <p className={error === undefined ? 'text-sm text-muted' : 'text-sm text-danger'}>
            <bdi>{error ?? t.reasonHidden}</bdi>
          </p>
          <p className="text-sm text-muted">{t.retryHint}</p>
        </>
      )}
      {state === 'idle' && <p className="text-sm text-muted">{t.idleHint}</p>}
      {state === 'ready' && tools.length === 0 && <p className="text-sm text-muted">{t.noTools}</p>}
      {tools.length > 0 && (
        <details className="text-sm">
          <summary className="w-fit text-muted">
            {t.tools(tools.length)} · {t.tokens(tokens.toLocaleString(localeOf(language)))}
          </summary>
          <Names items={tools.map((tool) => ({ name: tool.name, text: tool.description }))} />
        </details>
      )}
      {withheld.length > 0 && (
        <details className="text-sm" open>
          <summary className="w-fit text-warning">
            {t.withheld} ({withheld.length})
          </summary>
          <Names items={withheld.map((tool) => ({ name: tool.name, text: tool.reason }))} />
        </details>
      )}
    </li>
  )
}

function Names({ items }: { items: readonly { name: string; text: string }[] }) {
  return (
    <ul className="mt-1 flex flex-col gap-1 border-l-2 border-line pl-3">
      {items.map(({ name, text }) => (
        <li key={name}>
          <code className="font-mono text-[13px] break-all">
            <bdi>{name}</bdi>
          </code>{' '}
          <bdi className="text-muted">{text}</bdi>
        </li>
      ))}
    </ul>
  )
}
