import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Brain, Hand, ListTree, X, type LucideIcon } from 'lucide-react'
import { useClient } from '../../api/api.tsx'
import { catalogueKeys } from '../../api/catalogue-queries.ts'
import { useScope } from '../../api/scope.ts'
import { useKeptSearch } from '../../shell/features-context.tsx'
import { useTexts, type WordsOf } from '../../shell/texts.ts'
import { IconButton } from '../../ui/button.tsx'
import { ProviderForm } from './provider-form.tsx'
import { startTexts } from '../texts.ts'

interface Props {
  /** Says it at once. */
  onTry(prompt: string): void
  onDismiss(): void
}

type Word = keyof WordsOf<typeof startTexts>

const examples = [
  { icon: Hand, title: 'exampleHello', hint: 'exampleHelloHint', prompt: 'promptHello' },
  { icon: Brain, title: 'exampleThink', hint: 'exampleThinkHint', prompt: 'promptThink' },
  { icon: ListTree, title: 'exampleTask', hint: 'exampleTaskHint', prompt: 'promptTask' },
] as const satisfies { icon: LucideIcon; title: Word; hint: Word; prompt: Word }[]

/** What works now, how to have a better model, and where to read on. */
export function Guide({ onTry, onDismiss }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(startTexts)
  const client = useClient()
  const scope = useScope()
  const { data: models, error } = useQuery({
    queryKey: [...catalogueKeys.models(), scope],
    queryFn: () => client.models.list({ scope }),
    retry: false,
  })
  const usual = models?.default ?? 'demo/'
  return (
    <section
      aria-labelledby="guide-title"
      className="flex flex-col gap-4 rounded-xl border border-line bg-surface p-4"
    >
      <div className="flex items-center gap-2">
        <h2 id="guide-title" className="flex-1 text-lg font-semibold">
          {t.welcome}
        </h2>
        <IconButton size="small" label={t.dismiss} onClick={onDismiss}>
          <X />
        </IconButton>
      </div>
      <p>{usual.startsWith('demo/') ? t.worksDemo : t.works(usual)}</p>
      <ul aria-label={t.examples} className="grid gap-2 sm:grid-cols-3">
        {examples.map(({ icon: Icon, title, hint, prompt }) => (
          <li key={title}>
            <button
              type="button"
              onClick={() => onTry(t[prompt])}
              className="flex h-full w-full flex-col gap-1 rounded-lg border border-line bg-raised p-3 text-left hover:bg-hover"
            >
              <span className="flex items-center gap-2 font-medium">
                <Icon aria-hidden className="size-4 text-accent" />
                {t[title]}
              </span>
              <span className="text-sm text-muted">{t[hint]}</span>
            </button>
          </li>
        ))}
      </ul>
      {models && <ProviderForm providers={models.providers} />}
      {error && <p className="text-sm text-danger">{t.modelsFailed(error.message)}</p>}
      <nav aria-label={t.learnMore} className="flex flex-wrap gap-x-4 gap-y-1 text-sm">
        <a href="docs" className="text-accent underline">
          {t.docsApi}
        </a>
        <Link to="/settings" search={keepSearch()} className="text-accent underline">
          {t.docsSettings}
        </Link>
      </nav>
    </section>
  )
}
