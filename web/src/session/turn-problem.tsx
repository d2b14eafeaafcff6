import { Link } from '@tanstack/react-router'
import { CircleAlert } from 'lucide-react'
import { useKeptSearch } from '../shell/features-context.tsx'
import { useTexts } from '../shell/texts.ts'
import { sessionTexts } from './texts.ts'

interface Props {
  error: { code?: unknown; message?: unknown }
}

type Help = 'helpRetry' | 'helpKey' | 'helpModel' | 'helpLength' | 'helpLimit' | 'helpBudget' | 'helpFilter'

const helpByCode: Record<string, Help> = {
  model_auth: 'helpKey',
  model_quota: 'helpKey',
  model_not_found: 'helpModel',
  model_unavailable: 'helpModel',
  model_bad_request: 'helpModel',
  adapter_unavailable: 'helpModel',
  model_too_large: 'helpLength',
  step_limit: 'helpLimit',
  tool_loop: 'helpLimit',
  budget_exhausted: 'helpBudget',
  content_filter: 'helpFilter',
}

const helpInSettings: readonly Help[] = ['helpKey', 'helpModel']

/** Why an answer ended early, in the words of the server, and what one can do about it. */
export function TurnProblem({ error }: Props) {
  const keepSearch = useKeptSearch()
  const t = useTexts(sessionTexts)
  const code = String(error.code ?? '')
  const help = Object.hasOwn(helpByCode, code) ? helpByCode[code]! : 'helpRetry'
  return (
    <div className="my-2 flex gap-2 rounded-lg border border-danger/40 px-3 py-2 text-sm" data-error={code}>
      <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-danger" />
      <div className="min-w-0">
        <p className="font-medium text-danger">{code === 'interrupted' ? t.interrupted : t.failed}</p>
        {typeof error.message === 'string' && (
          <p className="line-clamp-6 whitespace-pre-wrap">{error.message}</p>
        )}
        <p className="text-muted">
          {t[help]}{' '}
          {helpInSettings.includes(help) && (
            <Link to="/settings" search={keepSearch()} className="text-accent underline underline-offset-2">
              {t.openSettings}
            </Link>
          )}
        </p>
      </div>
    </div>
  )
}
