import { useQuery } from '@tanstack/react-query'
import { useClient } from '../api/api.tsx'
import { catalogueKeys } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { CatalogueView, SourcePath } from './catalogue-view.tsx'
import { settingsTexts } from './texts.ts'

export function SkillsSection() {
  const t = useTexts(settingsTexts)
  const client = useClient()
  const scope = useScope()
  const query = useQuery({
    queryKey: catalogueKeys.catalogue('skills', { scope }),
    queryFn: () => client.catalogue.skills({ scope }),
  })
  return (
    <CatalogueView intro={t.skillsIntro} none={t.noSkills} query={query} toText={({ name }) => name}>
      {({ name, description, source }) => (
        <>
          <h3 className="font-medium">{name}</h3>
          <p className="text-sm">
            <bdi>{description}</bdi>
          </p>
          <SourcePath source={source} />
        </>
      )}
    </CatalogueView>
  )
}
