import { z } from 'zod'

export const reasoningEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const

const maxStops = 16
const maxStopLength = 500
const maxOptionsLength = 20_000

/**
 * What Parley itself puts into requests, by the names of all providers: what makes the prompt, the tools and the form of the
 * answer. Given as an option it would bypass what is shown, recorded and allowed.
 */
const reservedFields: ReadonlySet<string> = new Set([
  'background',
  'contents',
  'context_management',
  'container',
  'conversation',
  'functions',
  'function_call',
  'input',
  'instructions',
  'mcp_servers',
  'messages',
  'model',
  'n',
  'previous_response_id',
  'prompt',
  'response_format',
  'store',
  'stream',
  'stream_options',
  'system',
  'systemInstruction',
  'system_instruction',
  'toolConfig',
  'tool_config',
  'tool_choice',
  'tools',
])

const optionsOfOne = z.record(z.string().min(1).max(100), z.unknown()).superRefine((options, context) => {
  const reserved = Object.keys(options).filter((name) => reservedFields.has(name))
  if (reserved.length > 0)
    context.addIssue({
      code: 'custom',
      message: `must not have ${reserved.join(', ')}, which Parley sets itself`,
      params: { rule: 'reserved', keys: reserved },
    })
})

/** As they are; each may be null, which leaves it to the model whatever was set below. */
export const parameterFields = {
  temperature: z.number().min(0).max(2).nullable().optional().meta({ description: '0 to 2' }),
  topP: z.number().min(0).max(1).nullable().optional().meta({ description: '0 to 1' }),
  maxOutputTokens: z
    .int()
    .min(1)
    .max(10_000_000)
    .nullable()
    .optional()
    .meta({ description: 'Of each model call; an answer that reaches it ends with "length"' }),
  stop: z
    .array(z.string().min(1).max(maxStopLength))
    .min(1)
    .max(maxStops)
    .nullable()
    .optional()
    .meta({ description: 'An answer ends before the first of these; at most 16' }),
  seed: z.int().nullable().optional(),
  presencePenalty: z.number().min(-2).max(2).nullable().optional().meta({ description: '-2 to 2' }),
  frequencyPenalty: z.number().min(-2).max(2).nullable().optional().meta({ description: '-2 to 2' }),
  reasoningEffort: z
    .enum(reasoningEfforts)
    .nullable()
    .optional()
    .meta({ description: 'How much the model thinks first' }),
  providerOptions: z
    .record(
      z
        .string()
        .regex(/^[a-z0-9][a-z0-9_-]*$/)
        .max(100),
      optionsOfOne,
    )
    .refine((options) => JSON.stringify(options).length <= maxOptionsLength, {
      error: `must have at most ${maxOptionsLength} characters as JSON`,
      params: { rule: 'too_long' },
    })
    .nullable()
    .optional()
    .meta({
      description: 'By adapter, further fields of the body of its requests, in the words of that provider',
    }),
}

/** What models are asked with beside the prompt. */
export const parameterSettingsSchema = z.strictObject(parameterFields).meta({
  id: 'Parameters',
  description: 'What models are asked with beside the prompt; null leaves one to the model',
})
export type ParameterSettings = z.infer<typeof parameterSettingsSchema>

export type ParameterName = keyof ParameterSettings

/** What counts after all layers are merged. */
export type ModelParameters = { -readonly [Name in ParameterName]?: NonNullable<ParameterSettings[Name]> }

export const parameterNames = Object.keys(parameterFields) as ParameterName[]
