import type { DefinitionProblem } from '../../../src/extensions/workflow/protocol/workflow.ts'
import { useTexts } from '../shell/texts.ts'
import { workflowTexts } from './texts.ts'

interface Props {
  problems: readonly DefinitionProblem[]
  onPick(problem: DefinitionProblem): void
}

/** All that is wrong with a definition; each leads to its place. */
export function ProblemList({ problems, onPick }: Props) {
  const t = useTexts(workflowTexts)
  if (problems.length === 0) return null
  return (
    <ul
      aria-label={t.problems(problems.length)}
      className="max-h-40 shrink-0 divide-y divide-line overflow-y-auto border-t border-line bg-surface text-sm"
    >
      {[...problems.entries()].map(([index, problem]) => (
        <li key={index}>
          <button
            type="button"
            onClick={() => onPick(problem)}
            className="flex w-full items-baseline gap-2 px-3 py-1.5 text-start hover:bg-hover focus-visible:outline-offset-[-2px]"
          >
            {problem.line !== undefined && (
              <span
                aria-label={t.goToProblem(problem.line, problem.column ?? 1)}
                role="img"
                className="shrink-0 font-mono text-xs text-muted"
              >
                {problem.line}:{problem.column ?? 1}
              </span>
            )}
            <bdi className="min-w-0 text-danger">{problem.message}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}
