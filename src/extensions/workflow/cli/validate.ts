import type { WorkflowVerdict } from '../protocol/workflow.ts'
import { createDefinitionReader } from '../definition-reader.ts'
import { printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import { readText } from '../../../core/command-line/read-text.ts'

/** Needs no server and no store: `file:line:column: message` for every problem, and 1 when there is one. */
export async function validateFiles(
  files: string[],
  toolGroups: readonly string[],
  { json }: { json?: boolean },
): Promise<void> {
  const definitions = createDefinitionReader(toolGroups)
  const verdicts: { file: string; valid: boolean; problems: WorkflowVerdict['problems'] }[] = []
  for (const file of files) {
    const parsed = definitions.parse(await readText(file))
    const problems = 'problems' in parsed ? parsed.problems : []
    verdicts.push({ file, valid: problems.length === 0, problems })
  }
  if (verdicts.some(({ valid }) => !valid)) process.exitCode = 1
  if (json) return printJson({ items: verdicts })
  for (const { file, problems } of verdicts) {
    for (const { message, line, column } of problems)
      printAnswer(`${file}:${line ?? 1}:${column ?? 1}: ${message}`)
    if (problems.length === 0) printProgress(`${file}: valid`)
  }
}
