import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { CatalogueView, SourcePath } from './catalogue-view.tsx'
import { settingsTexts } from './texts.ts'

export function CommandsSection() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const query = useQuery({
    queryKey: catalogueKeys.catalogue('commands', { scope }),
    queryFn: () => client.catalogue.commands({ scope }),
  })
  return (
    <CatalogueView intro={t.commandsIntro} none={t.noCommands} query={query} toText={({ name }) => name}>
      {({ name, aliases, description, argumentHint, mode, source }) => (
        <>
          <div className="flex flex-wrap items-center gap-x-2">
            <h3 className="font-mono font-medium">
              /{name} {argumentHint && <span className="font-normal text-muted">{argumentHint}</span>}
            </h3>
            {aliases.map((alias) => (
              <code key={alias} className="text-sm text-muted">
                /{alias}
              </code>
            ))}
            <Tag>{t.commandModes[mode]}</Tag>
          </div>
          {description !== undefined && (
            <p className="text-sm">
              <bdi>{description}</bdi>
            </p>
          )}
          <SourcePath source={source} />
        </>
      )}
    </CatalogueView>
  )
}
