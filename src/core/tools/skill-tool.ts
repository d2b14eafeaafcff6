import { z } from 'zod'
import { defineTool, type Tool } from './tool.ts'

/** Loads the text of a skill that the prompt only names. What it needs is injected: skills lie outside the tools. */
export function createSkillTool(
  loadSkill: (scope: string, name: string) => Promise<{ text: string; files: string[] }>,
): Tool {
  return defineTool({
    name: 'skill',
    offered: 'whole',
    description: 'Loads the instructions of one of the available skills by its name.',
    input: z.strictObject({ name: z.string().min(1).max(64) }),
    isIdempotent: true,
    async execute({ name }, { scope }) {
      const { text, files } = await loadSkill(scope, name)
      return files.length === 0 ? text : `${text}\n\nFiles of this skill: ${files.join(', ')}`
    },
  })
}
