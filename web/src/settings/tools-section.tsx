import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { toolsQuery } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Tag } from '../ui/tag.tsx'
import { permissionTexts } from '../permissions/texts.ts'
import { CatalogueView } from './catalogue-view.tsx'
import { PermissionSettings } from './permission-settings.tsx'
import { settingsTexts } from './texts.ts'

export function ToolsSection() {
  const t = useTexts(settingsTexts)
  const { loadedTitle } = useTexts(permissionTexts)
  const client = useClient()
  const scope = useScope()
  const query = useQuery(toolsQuery(client, scope))
  return (
    <>
      <PermissionSettings />
      <h3 className="-mb-4 font-medium">{loadedTitle}</h3>
      <CatalogueView intro={t.toolsIntro} none={t.noTools} query={query} toText={({ name }) => name}>
        {({ name, description, group, inputSchema }) => (
          <>
            <div className="flex flex-wrap items-center gap-2">
              <h3 className="font-mono font-medium">{name}</h3>
              {group !== undefined && <Tag>{group}</Tag>}
            </div>
            <p className="text-sm">
              <bdi>{description}</bdi>
            </p>
            <details className="text-sm">
              <summary className="text-muted" aria-label={t.inputSchemaOf(name)}>
                {t.inputSchema}
              </summary>
              <pre className="mt-1 rounded-md bg-surface p-2 font-mono text-xs break-all whitespace-pre-wrap">
                {JSON.stringify(inputSchema, null, 2)}
              </pre>
            </details>
          </>
        )}
      </CatalogueView>
    </>
  )
}
