import { useQuery } from '@tanstack/react-query'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { settingsTexts } from './texts.ts'

export function AboutSection() {
  const t = useTexts(settingsTexts)
  const scope = useScope() ?? 'default'
  const { data, error, refetch } = useQuery({ queryKey: ['version'], queryFn: readVersion })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const links = [
    [t.apiDocs, 'docs'],
    [t.openapi, 'openapi.json'],
  ] as const
  return (
    <>
      <p>{t.aboutText}</p>
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2">
        <dt className="text-muted">{t.version}</dt>
        <dd>{data.version}</dd>
        <dt className="text-muted">{t.server}</dt>
        <dd>{location.origin}</dd>
        <dt className="text-muted">{t.scope}</dt>
        <dd>{scope}</dd>
      </dl>
      <section className="flex flex-col gap-1">
        <h3 className="font-semibold">{t.docs}</h3>
        <ul>
          {links.map(([text, href]) => (
            <li key={href}>
              <a
                href={href}
                target="_blank"
                rel="noreferrer"
                className="text-accent underline underline-offset-2"
              >
                {text}
              </a>
            </li>
          ))}
        </ul>
      </section>
    </>
  )
}

async function readVersion(): Promise<{ version: string }> {
  const response = await fetch('healthz', { cache: 'no-store' })
  return (await response.json()) as { version: string }
}
