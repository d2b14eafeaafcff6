import type { NodeResult as Result } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { Markdown } from '../../markdown/markdown.tsx'
import { ValueView } from '../../ui/value-view.tsx'
import { ScrollBox } from '../../ui/scroll-box.tsx'
import { Tag } from '../../ui/tag.tsx'
import { nodeTexts } from '../texts.ts'
import { Check } from './acceptance.tsx'
import { Evidence } from './evidence.tsx'

/** What came of doing a node. */
export function NodeResult({ result }: { result: Result }) {
  const t = useTexts(nodeTexts)
  const {
    status,
    output,
    structuredData,
    artifacts = [],
    source,
    degraded,
    accepted,
    error,
    checks = [],
  } = result
  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-1">
        <Tag>{t.resultStatuses[status as keyof typeof t.resultStatuses] ?? status}</Tag>
        {degraded && <Tag state="degraded">{t.degraded}</Tag>}
        {source === 'person' && <Tag>{t.byPerson}</Tag>}
        {accepted && <Tag state="completed">{t.accepted}</Tag>}
      </div>
      {error && (
        <p className="text-danger">
          <bdi className="wrap-anywhere whitespace-pre-wrap">{error}</bdi>
        </p>
      )}
      {output !== '' && (
        <ScrollBox label={t.result} className="max-h-[32rem] rounded-md border border-line bg-page p-2">
          <Markdown text={output} />
        </ScrollBox>
      )}
      {checks.length > 0 && (
        <ul aria-label={t.checks} className="flex flex-col gap-0.5">
          {checks.map((check) => (
            <Check key={check.check} check={check.check} result={check} />
          ))}
        </ul>
      )}
      {structuredData !== undefined && structuredData !== null && (
        <ValueView label={t.data} value={structuredData} />
      )}
      {artifacts.length > 0 && (
        <div>
          <h4 className="text-xs text-muted">{t.artifacts}</h4>
          <ul aria-label={t.artifacts} className="list-disc ps-5">
            {artifacts.map((file) => (
              <li key={file}>
                <bdi className="font-mono text-[13px] wrap-anywhere">{file}</bdi>
              </li>
            ))}
          </ul>
        </div>
      )}
      {result.evidence && <Evidence evidence={result.evidence} />}
    </div>
  )
}
