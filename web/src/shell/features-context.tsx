import { createContext, use, useMemo, type ReactNode } from 'react'
import type { WebFeature } from './define-web.ts'

const FeaturesContext = createContext<readonly WebFeature[]>([])

interface Props {
  features: readonly WebFeature[]
  children: ReactNode
}

export function FeaturesProvider({ features, children }: Props) {
  return <FeaturesContext value={features}>{children}</FeaturesContext>
}

/** All that the workbench is made of; the same list as long as the page is open. */
export const useFeatures = (): readonly WebFeature[] => use(FeaturesContext)

type ListName = {
  [Name in keyof WebFeature]-?: NonNullable<WebFeature[Name]> extends readonly unknown[] ? Name : never
}[keyof WebFeature]
type ItemOf<Name extends ListName> = NonNullable<WebFeature[Name]>[number]

/** What features contribute to one of the shell's lists, in the order of the features. */
export function useContributions<Name extends ListName>(name: Name): readonly ItemOf<Name>[] {
  const features = useFeatures()
  return useMemo(
    () => features.flatMap((feature) => (feature[name] ?? []) as readonly ItemOf<Name>[]),
    [features, name],
  )
}

/**
 * For `search` of a link to another page or session: `keep()` keeps what the shell and the lists beside the page have in
 * the URL; what belongs to the page that is left goes. Cast, since the router cannot know which page it will be.
 */
export function useKeptSearch(): (more?: { message?: string; dock?: undefined }) => never {
  const names = useContributions('keptSearch')
  return (more) =>
    ((before: Record<string, unknown>) => ({
      scope: before.scope,
      dock: before.dock,
      ...Object.fromEntries(names.map((name) => [name, before[name]])),
      ...more,
    })) as never
}
