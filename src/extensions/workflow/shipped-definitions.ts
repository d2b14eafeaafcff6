import type { WorkflowTemplate } from './protocol/workflow.ts'
import { readPackageTexts } from '../../core/shared/package-texts.ts'
import { requireDefinition } from './parse-definition.ts'

/** The definitions that ship with Parley. */
export function shippedDefinitions(): WorkflowTemplate[] {
  return readPackageTexts('workflows')
    .filter(({ file }) => file.endsWith('.yaml'))
    .map(({ text }) => {
      const { name, description } = requireDefinition(text)
      return { name, description, text }
    })
}
