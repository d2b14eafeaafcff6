import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { WorkflowTemplate } from './protocol/workflow.ts'
import { inPackage } from '../../core/shared/package-folder.ts'
import { requireDefinition } from './parse.ts'

/** The definitions that come with Parley, to begin with. */
export function shippedDefinitions(): WorkflowTemplate[] {
  const folder = inPackage('workflows')
  return globSync('*.yaml', { cwd: folder })
    .sort()
    .map((file) => {
      const text = readFileSync(join(folder, file), 'utf8')
      const { name, description } = requireDefinition(text)
      return { name, description, text }
    })
}
