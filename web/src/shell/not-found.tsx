import { Link } from '@tanstack/react-router'
import { PageFrame } from '../ui/page-frame.tsx'
import { Empty } from '../ui/states.tsx'
import { appTexts } from './shell-texts.ts'
import { useKeptSearch } from './features-context.tsx'
import { useTexts } from './texts.ts'

/** For an address that leads to no page: a link that was cut off, or one of another version. */
export function NotFound() {
  const t = useTexts(appTexts)
  return <DeadEnd title={t.notFound} text={t.notFoundText} />
}

interface Props {
  title: string
  text: string
}

/** What a link led to is not there; one can go on from here. */
export function DeadEnd({ title, text }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(appTexts)
  return (
    <PageFrame title={title}>
      <Empty>
        <p>{text}</p>
        <Link
          to="/"
          search={keepSearch()}
          className="text-accent underline underline-offset-2 hover:text-accent-strong"
        >
          {t.newSession}
        </Link>
      </Empty>
    </PageFrame>
  )
}
