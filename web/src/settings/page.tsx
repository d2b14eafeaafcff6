import { Link } from '@tanstack/react-router'
import { useSearchState } from '../app/search-state.ts'
import { useTexts } from '../app/texts.ts'
import { PageFrame } from '../ui/page-frame.tsx'
import { sections } from './sections.ts'
import { settingsTexts } from './settings-texts.ts'

/** In the URL: `section`, and `session`, the one that is to be exported. */
export function Page() {
  const t = useTexts(settingsTexts)
  const [{ section }] = useSearchState<'section'>()
  const { name: open, View } = sections.find(({ name }) => name === section) ?? sections[0]!
  return (
    <PageFrame title={t.title}>
      <div className="flex min-h-full max-md:flex-col">
        <nav
          aria-label={t.title}
          className="flex shrink-0 gap-1 overflow-x-auto border-line p-2 max-md:border-b md:w-48 md:flex-col md:border-r"
        >
          {sections.map(({ name }) => (
            <Link
              key={name}
              to={'/settings' as string}
              search={(({ scope }: { scope?: string }) => ({ scope, section: name })) as never}
              aria-current={name === open ? 'page' : undefined}
              ref={name === open ? showLink : undefined}
              className="rounded-md px-2.5 py-1.5 text-sm whitespace-nowrap hover:bg-hover aria-[current=page]:bg-selected aria-[current=page]:font-medium"
            >
              {t.sections[name]}
            </Link>
          ))}
        </nav>
        <div className="min-w-0 flex-1 p-4">
          <div className="mx-auto flex max-w-3xl flex-col gap-6">
            <h2 className="text-lg font-semibold">{t.sections[open]}</h2>
            <View />
          </div>
        </div>
      </div>
    </PageFrame>
  )
}

/** On a phone the links are a row that is wider than the page. */
const showLink = (link: HTMLElement | null) => link?.scrollIntoView({ block: 'nearest', inline: 'center' })
