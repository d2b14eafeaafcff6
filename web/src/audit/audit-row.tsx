import { ChevronDown, ChevronRight } from 'lucide-react'
import { Fragment, useId, useState } from 'react'
import type { AuditRecord } from '../../../src/client/index.ts'
import { localeOf, useLanguage, useTexts } from '../shell/texts.ts'
import { IconButton } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { Tag, type TagState } from '../ui/tag.tsx'
import { auditTexts } from './texts.ts'

interface Props {
  record: AuditRecord
  onSession(sessionId: string): void
}

const states: Record<AuditRecord['result'], TagState> = {
  success: 'completed',
  error: 'failed',
  denied: 'degraded',
}

// what the server writes where the time was over and the default was yes
const nobody = 'nobody in time'

/** Of a call of a tool: the file, the command or the address that it was about. */
function touchedIn({ detail: { resources, moreResources = 0 } }: AuditRecord): string | undefined {
  const [first, ...more] = Array.isArray(resources) ? resources.map(String) : []
  const others = more.length + Number(moreResources)
  return others > 0 ? `${first} +${others}` : first
}

/** One deed, and when it is opened, all that is known about it. */
export function AuditRow({ record, onSession }: Props) {
  const t = useTexts(auditTexts)
  const language = useLanguage()
  const [isOpen, setOpen] = useState(false)
  const detailId = useId()
  const { actor, action, resourceType, resourceId, sessionId, result, createdAt } = record
  const { approvedBy } = record.detail
  const time = new Date(createdAt).toLocaleString(localeOf(language))
  const detail = JSON.stringify(record.detail, null, 2)
  return (
    <>
      <tr className="hover:bg-hover">
        <td className="w-9 pr-0!">
          <IconButton
            size="small"
            label={t.showDetail(action, time)}
            aria-expanded={isOpen}
            aria-controls={isOpen ? detailId : undefined}
            onClick={() => setOpen(!isOpen)}
          >
            {isOpen ? <ChevronDown /> : <ChevronRight />}
          </IconButton>
        </td>
        <td className="whitespace-nowrap tabular-nums max-sm:whitespace-normal">
          <time dateTime={createdAt}>{time}</time>
        </td>
        <td className="max-w-40 max-sm:hidden">
          <bdi className="block truncate" title={actor.id}>
            {actor.id}
          </bdi>
          <span className="text-xs text-muted">{t.actors[actor.type]}</span>
        </td>
        <td>
          <span className="font-medium sm:whitespace-nowrap">
            {action.split(/(?<=\.)/).map((word, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- the words of one name, in their order
              <Fragment key={index}>
                {index > 0 && <wbr />}
                {word}
              </Fragment>
            ))}
          </span>
          <bdi className="block text-muted sm:hidden">{actor.id}</bdi>
        </td>
        <td className="max-sm:hidden">
          <span className="text-muted">{resourceType}</span>{' '}
          <bdi className="break-all">{touchedIn(record) ?? resourceId}</bdi>
        </td>
        <td>
          <Tag state={states[result]}>{t.results[result]}</Tag>
          {typeof approvedBy === 'string' && (
            <bdi className="block text-xs text-muted">
              {approvedBy === nobody ? t.approvedInTime : t.approvedBy(approvedBy)}
            </bdi>
          )}
        </td>
      </tr>
      {isOpen && (
        <tr id={detailId} className="bg-surface">
          <td colSpan={6} className="px-4!">
            <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
              <span>
                <span className="text-muted">{resourceType}</span>{' '}
                <bdi className="break-all">{resourceId}</bdi>
              </span>
              {sessionId !== undefined && (
                <>
                  <SessionLink sessionId={sessionId}>{t.openSession}</SessionLink>
                  <button
                    type="button"
                    className="text-accent underline underline-offset-2"
                    onClick={() => onSession(sessionId)}
                  >
                    {t.onlySession}
                  </button>
                </>
              )}
              <span className="ml-auto">
                <CopyButton text={detail} />
              </span>
            </div>
            <pre className="font-mono text-xs break-all whitespace-pre-wrap">{detail}</pre>
          </td>
        </tr>
      )}
    </>
  )
}
