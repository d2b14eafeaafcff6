import type { WorkflowStep } from '../../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../../shell/texts.ts'
import { ScrollRegion } from '../../ui/scroll-region.tsx'
import { runTexts } from '../texts.ts'

// what fits into two lines; the rest is behind it
const maxPreview = 160

export function StepResult({ step }: { step: WorkflowStep }) {
  const t = useTexts(runTexts)
  const { path, output, data, error, approved, comment, linkErrors = [] } = step
  const json = data === undefined || data === null ? undefined : JSON.stringify(data, null, 2)
  const full = [output, json !== output && json].filter(Boolean).join('\n\n')
  const isLong = full.length > maxPreview || full.includes('\n')
  return (
    <>
      {error && (
        <p className="text-danger">
          <bdi>{error}</bdi>
        </p>
      )}
      {linkErrors.map((problem) => (
        <p key={problem} className="text-warning">
          <bdi>{problem}</bdi>
        </p>
      ))}
      {approved !== undefined && (
        <p className={approved ? '' : 'text-warning'}>
          {approved ? t.approved : t.rejected}{' '}
          {comment && <bdi className="text-muted">{t.said(comment)}</bdi>}
        </p>
      )}
      {full !== '' &&
        (isLong ? (
          <details>
            <summary className="line-clamp-2 rounded wrap-anywhere">
              <bdi>{full.slice(0, maxPreview)}…</bdi>
            </summary>
            <ScrollRegion label={t.showOutput(path)} className="mt-1 max-h-72 rounded bg-surface">
              <pre
                dir="auto"
                className="p-2 font-mono text-[13px] leading-5 wrap-anywhere whitespace-pre-wrap"
              >
                {full}
              </pre>
            </ScrollRegion>
          </details>
        ) : (
          <bdi className="wrap-anywhere">{full}</bdi>
        ))}
    </>
  )
}
