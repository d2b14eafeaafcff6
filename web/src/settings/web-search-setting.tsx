import type { SettingsView } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Tag } from '../ui/tag.tsx'

const engines = [
  { name: 'SearXNG', setting: 'web.search.searxngUrl', variable: 'SEARXNG_URL' },
  { name: 'Brave', setting: 'web.search.braveKey', variable: 'BRAVE_API_KEY' },
  { name: 'Tavily', setting: 'web.search.tavilyKey', variable: 'TAVILY_API_KEY' },
] as const

/** Whom `web_search` asks, and how that is set: by whoever runs the server. */
export function WebSearchSetting({ settings }: { settings: SettingsView }) {
  const t = useTexts(permissionTexts)
  const { webSearch, toolGroups } = settings.effective
  return (
    <section className="flex flex-col gap-1.5" aria-labelledby="web-search">
      <div className="flex flex-wrap items-center gap-2">
        <h3 id="web-search" className="font-medium">
          {t.searchTitle}
        </h3>
        {webSearch ? <Tag state="completed">{webSearch}</Tag> : <Tag>{t.searchOff}</Tag>}
      </div>
      <p className="text-sm text-muted">{webSearch ? t.searchOn(webSearch) : t.searchMissing}</p>
      {webSearch && toolGroups.web === false && <p className="text-sm text-warning">{t.searchGroupOff}</p>}
      <ul className="flex flex-col gap-0.5 text-sm">
        {engines.map(({ name, setting, variable }) => (
          <li key={name}>
            {name} <code className="font-mono text-[13px]">{setting}</code>{' '}
            <span className="text-muted">
              {t.searchOr} <code className="font-mono text-[13px]">{variable}</code>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
