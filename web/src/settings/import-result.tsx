import type { ImportReport } from '../../../src/client/index.ts'
import { useTexts } from '../shell/texts.ts'
import { SessionLink } from '../ui/session-link.tsx'
import { settingsTexts } from './texts.ts'

const maxListed = 20

/** What was stored, what was there already, what has no equal here and what failed. */
export function ImportResult({ report, name }: { report: ImportReport; name: string }) {
  const t = useTexts(settingsTexts)
  const { sessions, items, failures, failed, notes } = report
  const [only] = items
  const isOne = items.length === 1 && only !== undefined
  return (
    <>
      {failed > 0 && (
        <div role="alert" className="rounded-md border border-line bg-removed p-3 text-sm">
          <p className="font-medium">
            {items.length === 0 ? t.importFailed(name) : t.importFailures(failed)}
          </p>
          <ul className="list-inside list-disc">
            {failures.slice(0, maxListed).map(({ place, title, reason }) => (
              <li key={place} className="whitespace-pre-wrap">
                <bdi>{[place, title].filter(Boolean).join(' · ')}</bdi>: <bdi>{reason}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {items.length > 0 && (
        <div className="flex flex-col gap-2 rounded-md border border-line bg-added p-3 text-sm">
          <p>
            {isOne && only.outcome === 'added'
              ? t.imported(only.title || t.untitled)
              : t.importCounts(sessions.added, sessions.extended, sessions.unchanged)}{' '}
            {isOne && <SessionLink sessionId={only.sessionId}>{t.importOpen}</SessionLink>}
          </p>
          {!isOne && (
            <ul className="list-inside list-disc">
              {items.slice(0, maxListed).map(({ sessionId, title }) => (
                <li key={sessionId}>
                  <SessionLink sessionId={sessionId}>{title || t.untitled}</SessionLink>
                </li>
              ))}
            </ul>
          )}
        </div>
      )}
      {notes.length > 0 && (
        <div className="rounded-md border border-line p-3 text-sm">
          <p className="font-medium">{t.importNotes}</p>
          <ul className="list-inside list-disc">
            {notes.map(({ kind, count, text }) => (
              <li key={kind}>
                {count} {(t.importNoteKinds as Record<string, string>)[kind] ?? text}
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  )
}
