import { isObject } from '../../../core/shared/type-checks.ts'

/** Files that other programs run and that a command made or changed, as its result names them. */
export function changedFilesOf(toolName: string | undefined, output: unknown): string[] {
  const named = toolName === 'terminal' && isObject(output) ? output.changedFiles : undefined
  return Array.isArray(named) ? named.filter((path) => typeof path === 'string') : []
}
