import { z } from 'zod'
import { quote } from '../protocol/error.ts'
import { describeIssues } from '../protocol/issues.ts'
import { parseFrontMatter } from './front-matter.ts'

const optionalText = z.string().optional().catch(undefined)

/** As agentskills.io specifies. Other fields are ignored, and optional ones that are wrong are as good as absent. */
const matterSchema = z.object({
  name: z
    .string()
    .max(64)
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lower-case letters and digits with single "-" between them'),
  description: z.string().trim().min(1).max(1_024),
  license: optionalText,
  compatibility: z.string().max(500).optional().catch(undefined),
  metadata: z.record(z.string(), z.string()).optional().catch(undefined),
  'allowed-tools': z
    .string()
    .default('')
    .catch('')
    .transform((text) => text.split(/\s+/).filter((tool) => tool !== '')),
})

export type SkillMatter = z.infer<typeof matterSchema>

/** The front matter of a SKILL.md in a folder of this name, or what is wrong with it. */
export function readSkillMatter(text: string, folderName: string): SkillMatter | { fault: string } {
  const { fields, fault } = parseFrontMatter(text)
  if (fault !== undefined) return { fault }
  const parsed = matterSchema.safeParse(fields)
  if (!parsed.success) return { fault: `has wrong front matter. ${describeIssues(parsed.error, fields)}` }
  if (parsed.data.name !== folderName)
    return { fault: `has the name ${quote(parsed.data.name)}, but its folder is ${quote(folderName)}` }
  return parsed.data
}
