import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { CatalogueView, SourcePath } from './catalogue-view.tsx'
import { formatBytes } from './format-bytes.ts'
import { settingsTexts } from './texts.ts'

const unused = ['disabled', 'duplicate', 'left-out']

export function RulesSection() {
  const t = useTexts(settingsTexts)
  const locale = localeOf(useLanguage())
  const client = useClient()
  const scope = useScope()
  const query = useQuery({
    queryKey: catalogueKeys.catalogue('rules', { scope }),
    queryFn: () => client.catalogue.rules({ scope }),
  })
  const count = new Intl.NumberFormat(locale).format
  return (
    <CatalogueView intro={t.rulesIntro} none={t.noRules} query={query} toText={({ source }) => source}>
      {({ source, use, isCut, bytes, tokens }) => (
        <>
          <div className="flex flex-wrap items-center gap-x-2">
            <SourcePath source={source} />
            <Tag state={unused.includes(use) ? 'degraded' : 'plain'}>{t.uses[use]}</Tag>
            {isCut && <Tag state="degraded">{t.cut}</Tag>}
          </div>
          <p className="text-sm text-muted">{t.size(formatBytes(bytes, locale), count(tokens))}</p>
        </>
      )}
    </CatalogueView>
  )
}
