import type { Provider } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { Tag } from '../ui/tag.tsx'
import { providerTitle } from './provider-title.ts'
import { TestProvider } from './test-provider.tsx'
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
  const { name, kind, isBuiltIn, isConfigured, source, baseUrl, error } = provider
  const title = providerTitle(provider, t.providerNames)
  const state = !isConfigured ? 'plain' : error === undefined ? 'completed' : 'failed'
  // a name is said where there are two of a kind
  const words = isBuiltIn
    ? { change: t.replaceKey(title), remove: t.removeKey(title) }
    : { change: t.changeProvider(title), remove: t.removeProvider(title) }
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-3 py-2.5">
      <div className="min-w-48 flex-1">
        <div className="flex flex-wrap items-center gap-2">
          <h4 className="font-medium">
            <bdi>{title}</bdi>
          </h4>
          <Tag state={state}>{!isConfigured ? t.notReady : error === undefined ? t.ready : t.failing}</Tag>
        </div>
        {source !== 'none' && (
          <p className="text-sm text-muted">
            {!isBuiltIn && `${t.kinds[kind === 'anthropic' ? 'anthropic' : 'openai']} · `}
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
        <div className="flex flex-wrap items-center gap-2">
          {isConfigured && <TestProvider name={name} title={title} />}
          {(isBuiltIn || source === 'stored') && (
            <Button
              size="small"
              aria-label={source === 'stored' ? words.change : t.addKey(title)}
              onClick={onEdit}
            >
              {source === 'stored' ? t.replace : t.add}
            </Button>
          )}
          {source === 'stored' && (
            <Button size="small" variant="danger" aria-label={words.remove} onClick={onRemove}>
              {t.remove}
            </Button>
          )}
        </div>
      )}
    </li>
  )
}
