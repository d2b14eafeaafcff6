import type { NodeEvidence } from '../../../../src/extensions/plan/protocol/plan-node.ts'
import { useTexts } from '../../shell/texts.ts'
import { nodeTexts } from '../texts.ts'

/** What was seen of the work on a node, beside what the model says of it. */
export function Evidence({ evidence }: { evidence: NodeEvidence }) {
  const t = useTexts(nodeTexts)
  const { files, moreFiles = 0, calls, failedCalls = 0, lastWords } = evidence
  const made = Object.entries(calls).map(([name, count]) => `${name} ${count}`)
  if (failedCalls > 0) made.push(t.failedCalls(failedCalls))
  if (files.length === 0 && made.length === 0 && lastWords === undefined) return null
  return (
    <dl
      aria-label={t.evidence}
      className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3 gap-y-1 [&>dt]:text-muted"
    >
      {files.length > 0 && (
        <>
          <dt>{t.changedFiles}</dt>
          <dd>
            {files.map((file) => (
              <bdi key={file} className="block font-mono text-[13px] wrap-anywhere">
                {file}
              </bdi>
            ))}
            {moreFiles > 0 && t.moreFiles(moreFiles)}
          </dd>
        </>
      )}
      {made.length > 0 && (
        <>
          <dt>{t.callsMade}</dt>
          <dd>
            <bdi className="wrap-anywhere">{made.join(', ')}</bdi>
          </dd>
        </>
      )}
      {lastWords !== undefined && (
        <>
          <dt>{t.lastWords}</dt>
          <dd>
            <bdi className="line-clamp-6 wrap-anywhere whitespace-pre-wrap">{lastWords}</bdi>
          </dd>
        </>
      )}
    </dl>
  )
}
