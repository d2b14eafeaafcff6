import type { Provider } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Tag } from '../ui/tag.tsx'
import { settingsTexts } from './texts.ts'

interface Props {
  provider: Provider
  /** Keys are those of the whole server. */
  mayChange: boolean
  onEdit(): void
  onRemove(): void
}

/** Whether a provider can be asked, and where its key comes from; never the key. */
export function ProviderRow({ provider, mayChange, onEdit, onRemove }: Props) {
  const t = useTexts(settingsTexts)
  const { name, isConfigured, source, baseUrl, error } = provider
  const title = t.providerNames[name]
  const state = !isConfigured ? 'plain' : error === undefined ? 'completed' : 'failed'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-48 flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <h4 className="font-medium">{title}</h4>
          <Tag state={state}>{!isConfigured ? t.notReady : error === undefined ? t.ready : t.failing}</Tag>
        </div>
        {source !== 'none' && (
          <p className="text-sm text-muted">
            {t.sources[source]}
            {baseUrl !== undefined && (
              <>
                {' · '}
                <bdi>{baseUrl}</bdi>
              </>
            )}
          </p>
        )}
        {error !== undefined && <p className="text-sm text-danger">{error}</p>}
      </div>
      {mayChange && (
        <div className="flex gap-2">
          <Button
            size="small"
            aria-label={source === 'stored' ? t.replaceKey(title) : t.addKey(title)}
            onClick={onEdit}
          >
            {source === 'stored' ? t.replace : t.add}
          </Button>
          {source === 'stored' && (
            <Button size="small" variant="danger" aria-label={t.removeKey(title)} onClick={onRemove}>
              {t.remove}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
