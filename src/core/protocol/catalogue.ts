import { z } from 'zod'
import { scopeSchema, wholeNumber } from './names.ts'

const listOfAll = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.null() })

const source = z
  .string()
  .meta({ description: 'The file: from the folder of the scope, or after "user:"', example: 'AGENTS.md' })

/** Files that were not used as their authors meant them. */
const problems = z.array(z.object({ source, message: z.string() }))

export const toolListSchema = listOfAll(
  z.object({
    name: z.string(),
    description: z.string(),
    inputSchema: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema' }),
    group: z.string().optional(),
  }),
).meta({ id: 'ToolList' })
export type ToolList = z.infer<typeof toolListSchema>

export const ruleListSchema = listOfAll(
  z.object({
    source,
    bytes: z.int().nonnegative(),
    tokens: z.int().nonnegative().meta({ description: 'Of the text that was read, as estimated' }),
    isCut: z.boolean().meta({ description: 'Whether some of it was left out for its size' }),
    use: z.enum(['always', 'matching', 'manual', 'imported', 'disabled', 'duplicate', 'left-out']),
  }),
)
  .extend({ problems })
  .meta({ id: 'RuleList' })
export type RuleList = z.infer<typeof ruleListSchema>

export const skillListSchema = listOfAll(z.object({ name: z.string(), description: z.string(), source }))
  .extend({ problems })
  .meta({ id: 'SkillList' })
export type SkillList = z.infer<typeof skillListSchema>

export const commandListSchema = listOfAll(
  z.object({
    name: z.string(),
    aliases: z.array(z.string()),
    description: z.string().optional(),
    argumentHint: z.string().optional(),
    mode: z.enum(['prompt', 'action']).meta({ description: 'Goes to the model, or is itself the answer' }),
    source: z.string().meta({ description: '"built-in", or the file' }),
  }),
)
  .extend({ problems })
  .meta({ id: 'CommandList' })
export type CommandList = z.infer<typeof commandListSchema>

export const maxFoundFiles = 50

export const fileQuerySchema = z.strictObject({
  scope: scopeSchema.optional(),
  q: z.string().max(200).optional().meta({ description: 'Letters of the path, in their order' }),
  limit: wholeNumber(1, maxFoundFiles)
    .optional()
    .meta({ description: `Default ${maxFoundFiles}` }),
})
export type FileQuery = z.infer<typeof fileQuerySchema>

export const fileListSchema = listOfAll(
  z.object({
    path: z.string().meta({ description: 'From the folder of the scope' }),
    kind: z.enum(['file', 'folder']),
  }),
)
  .extend({ isCut: z.boolean().meta({ description: 'Whether the folder holds more than was searched' }) })
  .meta({ id: 'FileList' })
export type FileList = z.infer<typeof fileListSchema>

const listedExtensionSchema = z.object({
  name: z.string(),
  version: z.string().optional(),
  page: z
    .object({
      title: z
        .union([z.string(), z.record(z.string(), z.string())])
        .meta({ description: 'One text, or one for each language' }),
      source: z.string().meta({ description: 'Where its module is, seen from the workbench' }),
      isTrusted: z.boolean().meta({ description: 'Its module runs in the workbench itself' }),
    })
    .optional()
    .meta({ description: 'A page of the workbench, at `/x/<name>`' }),
})
export type ListedExtension = z.infer<typeof listedExtensionSchema>

export const extensionListSchema = listOfAll(listedExtensionSchema).meta({ id: 'ExtensionList' })
