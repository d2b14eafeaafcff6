import type { ReactNode } from 'react'
import type { Cron } from '../../../src/client/index.ts'
import { useLanguage, useTexts } from '../shell/texts.ts'
import { ScrollRegion } from '../ui/scroll-region.tsx'
import { SessionLink } from '../ui/session-link.tsx'
import { cronsTexts } from './texts.ts'
import { formatInZone } from './schedule-words.ts'
import { StatusTag } from './status-tag.tsx'

interface Props {
  cron: Cron
  words: string
}

/** All that is set on a cron. */
export function CronFacts({ cron, words }: Props) {
  const t = useTexts(cronsTexts)
  const language = useLanguage()
  const policies = [
    t.policyWords.missed[cron.missed],
    t.policyWords.overlap[cron.overlap],
    t.pausesAfter(cron.maxFailures),
    ...(cron.timeoutMs === undefined ? [] : [t.timeoutAfter(String(cron.timeoutMs / 60_000))]),
  ]
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 max-sm:grid-cols-1 max-sm:gap-y-1">
      <Fact term={t.status}>
        <StatusTag status={cron.status} />{' '}
        {cron.reason !== undefined && (
          <span className="text-warning">
            <bdi>{cron.reason}</bdi>
          </span>
        )}
      </Fact>
      <Fact term={t.schedule}>
        {words} <code className="ml-1 rounded bg-surface px-1 text-sm">{cron.schedule}</code>
      </Fact>
      <Fact term={t.timeZone}>{cron.timeZone}</Fact>
      <Fact term={t.model}>{cron.model ?? t.modelDefault}</Fact>
      {cron.label !== undefined && <Fact term={t.label}>{cron.label}</Fact>}
      <Fact term={t.policies}>{policies.join(' · ')}</Fact>
      {cron.announceTarget !== undefined && (
        <Fact term={t.target}>
          <SessionLink sessionId={cron.announceTarget}>{cron.announceTarget}</SessionLink>
        </Fact>
      )}
      {cron.createdIn !== undefined && (
        <Fact term={t.createdBy}>
          <SessionLink sessionId={cron.createdIn}>{cron.createdIn}</SessionLink>
        </Fact>
      )}
      <Fact term={t.created}>{formatInZone(cron.createdAt, cron.timeZone, language)}</Fact>
      <Fact term={t.prompt}>
        <ScrollRegion label={t.prompt} className="max-h-60 whitespace-pre-wrap">
          <bdi>{cron.prompt}</bdi>
        </ScrollRegion>
      </Fact>
    </dl>
  )
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-sm text-muted">{term}</dt>
      <dd className="min-w-0 max-sm:mb-2">{children}</dd>
    </>
  )
}
