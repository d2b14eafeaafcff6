import { Link } from '@tanstack/react-router'
import { use } from 'react'
import type { WebFeature } from '../shell/define-web.ts'
import type { SettingsSection } from '../shell/settings-section.ts'
import { useSearchState } from '../shell/search-state.ts'
import { useFeatures } from '../shell/features-context.tsx'
import { useName, useTexts } from '../shell/texts.ts'
import { PageFrame } from '../ui/page-frame.tsx'
import { settingsTexts } from './texts.ts'

/** In the URL: `section`, and `session`, the one that is to be exported. */
export function Page() {
  const t = useTexts(settingsTexts)
  const [{ section }] = useSearchState<'section'>()
  const nameOf = useName()
  const sections = useSections()
  const { name: open, label: title, View } = sections.find(({ name }) => name === section) ?? sections[0]!
  return (
    <PageFrame title={t.title}>
      <div className="flex min-h-full max-md:flex-col">
        <nav
          aria-label={t.title}
          className="flex shrink-0 gap-1 overflow-x-auto border-line p-2 max-md:border-b md:w-48 md:flex-col md:border-r"
        >
          {sections.map(({ name, label }) => (
            <Link
              key={name}
              to="/settings"
              search={(({ scope }: { scope?: string }) => ({ scope, section: name })) as never}
              aria-current={name === open ? 'page' : undefined}
              ref={name === open ? showLink : undefined}
              className="rounded-md px-2.5 py-1.5 text-sm whitespace-nowrap hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium"
            >
              {nameOf(label)}
            </Link>
          ))}
        </nav>
        <div className="min-w-0 flex-1 p-4">
          <div className="mx-auto flex max-w-3xl flex-col gap-6">
            <h2 className="text-lg font-semibold">{nameOf(title)}</h2>
            <View />
          </div>
        </div>
      </div>
    </PageFrame>
  )
}

const loaded = new WeakMap<WebFeature, Promise<readonly SettingsSection[]>>()

/** The sections of all features. It suspends until they are loaded. */
function useSections(): readonly SettingsSection[] {
  return useFeatures().flatMap((feature) => {
    if (!feature.settings) return []
    const sections = loaded.get(feature) ?? feature.settings()
    loaded.set(feature, sections)
    return use(sections)
  })
}

/** On a phone the links are a row that is wider than the page. */
const showLink = (link: HTMLElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'center' })
