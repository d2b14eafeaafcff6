import { z } from 'zod'
import { groupSwitchesOf, permissionModes, type GroupSwitches } from '../../core/protocol/permission.ts'
import { maxDefinitionLength } from './protocol/workflow.ts'

/** The schema of a workflow as it is written. Whether its names are defined is checked by `check-definition.ts`. */

const dayMs = 86_400_000
export const maxSteps = 500

export const stepIdSchema = z
  .string()
  .regex(/^[A-Za-z_][\w-]{0,63}$/, 'must begin with a letter and have only letters, digits, "_" and "-"')
const textSchema = z.string().min(1).max(maxDefinitionLength)
const wordsSchema = z.string().min(1).max(10_000)
const expressionSchema = z.string().min(1).max(2_000)
// YAML parses true and false as booleans
const conditionSchema = z.union([expressionSchema, z.boolean()])
const namesSchema = z.array(z.string().min(1).max(200)).max(500)
const jsonSchema = z
  .json()
  .meta({ id: 'WorkflowValue', description: 'Any value; texts in it may have $names' })
const valuesSchema = z.record(z.string(), jsonSchema)

const described = <Schema extends z.ZodType>(schema: Schema, description: string) =>
  schema.meta({ description }) as Schema

const fieldTypes = ['string', 'number', 'boolean', 'object', 'array'] as const
const fieldSchema = z.strictObject({
  description: described(wordsSchema.optional(), 'What it is, for whoever fills it in'),
  type: described(z.enum(fieldTypes).optional(), 'Default string'),
})

const argSchema = fieldSchema.extend({
  default: described(jsonSchema.optional(), 'Makes it optional, also when it is empty'),
})

const configSchema = z.strictObject({
  maxTotalTimeoutMs: described(
    z
      .int()
      .min(1_000)
      .max(30 * dayMs)
      .optional(),
    'How long a run may take; default 24 hours (workflows.maxTotalTimeoutMs)',
  ),
  countsPauses: described(
    z.boolean().optional(),
    'Whether the time that a person takes to answer counts; default false',
  ),
  errorStrategy: described(
    z.enum(['fail_fast', 'continue']).optional(),
    'What happens when a step fails: the run fails too (fail_fast, the default), or continues and names the step',
  ),
  workspaceMode: described(
    z.enum(['dual', 'shared', 'isolated']).optional(),
    'Folders of the steps: one of the workflow and one of the run (dual, the default), only the first, or only the second',
  ),
  maxStepOutputChars: described(
    z.int().min(100).max(1_000_000).optional(),
    'Where the output of a step is cut; default 50,000 (workflows.maxStepOutputChars)',
  ),
  approvalTimeoutMs: described(
    z
      .int()
      .min(1_000)
      .max(30 * dayMs)
      .optional(),
    'When a question that nobody answers counts as no; default 24 hours (workflows.approvalTimeoutMs)',
  ),
  notifyOnComplete: described(z.boolean().optional(), 'Notify when a run is completed; default false'),
  notifyOnFail: described(z.boolean().optional(), 'Notify when a run fails; default false'),
  tags: described(z.array(z.string().min(1).max(100)).max(50).optional(), 'Words to find it by'),
  version: described(
    z.union([z.string().max(100), z.number()]).optional(),
    'Your own; Parley counts versions by itself',
  ),
})

const triggerArgs = described(valuesSchema.optional(), 'The args of runs that it starts')
const triggerSchema = z.discriminatedUnion('type', [
  z.strictObject({
    type: described(z.literal('cron'), 'Starts runs by time'),
    schedule: described(wordsSchema, 'Five cron fields, a nickname such as @daily, or once: and a time'),
    timezone: described(z.string().max(100).optional(), 'As Europe/Berlin; default UTC'),
    args: triggerArgs,
  }),
  z.strictObject({
    type: described(
      z.enum(['document_saved', 'todo_completed', 'schedule_remind']),
      'Starts runs when something happens in the scope',
    ),
    filter: described(
      z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
      'Fields of the event that have to be the same',
    ),
    args: triggerArgs,
  }),
])

const retrySchema = z.strictObject({
  maxRetries: described(z.int().min(0).max(20), 'How often it is tried again'),
  retryDelayMs: described(
    z.int().min(0).max(3_600_000).optional(),
    'The wait before the first; default 1000',
  ),
  backoff: described(z.number().min(1).max(10).optional(), 'Each wait is so many times the last; default 2'),
  retryOn: described(
    z
      .array(z.enum(['failed', 'timeout']))
      .min(1)
      .optional(),
    'After what; default both',
  ),
})

const sessionConfigSchema = z.strictObject({
  thinking: described(z.boolean().optional(), 'Let the model think before it answers'),
  skills: described(namesSchema.optional(), 'Skills that are loaded at the start'),
  systemPrompt: described(textSchema.optional(), 'Instructions beside the prompt, with $names'),
  allowedTools: described(namesSchema.optional(), 'The only tools it has'),
  allowedSkills: described(namesSchema.optional(), 'The only skills it may load'),
  allowedMcpServerIds: described(namesSchema.optional(), 'The only MCP servers whose tools it has'),
  model: described(z.string().max(200).optional(), 'As provider/model'),
  maxTurns: described(z.int().min(1).max(1_000).optional(), 'How many calls of the model it may take'),
  permissionMode: described(
    z.enum(permissionModes).optional(),
    'What it may do without asking; never more than the session that started the run',
  ),
  memoryPolicy: described(
    z.enum(['none', 'read', 'full']).optional(),
    'Whether it sees memories, and whether it creates any',
  ),
  expectedOutputFormat: described(wordsSchema.optional(), 'How the output shall look, in words'),
  outputSchema: described(
    z.record(z.string(), z.unknown()).optional(),
    'JSON Schema of an object that it has to hand in: $id.data has its fields',
  ),
  // which there are depends on the Parley
  toolGroups: described(
    (z.record(z.string(), z.boolean()) as unknown as z.ZodType<GroupSwitches>).optional(),
    'Groups of tools that are switched on or off',
  ),
})

const linkedActionSchema = z.strictObject({
  type: described(
    z.enum(['create_todo', 'update_todo', 'create_document', 'update_schedule', 'notify']),
    'What is done',
  ),
  params: described(valuesSchema.optional(), 'What it is done with; texts may have $names'),
})

const commonFields = {
  id: described(
    stepIdSchema.optional(),
    'What others call it ($id.output); default step_1, step_2 and so on',
  ),
  description: described(wordsSchema.optional(), 'What it is for'),
  condition: described(conditionSchema.optional(), 'The step is skipped where this is false'),
  input: described(jsonSchema.optional(), 'Default: what the previous completed step said'),
  linkedActions: described(
    z.array(linkedActionSchema).max(20).optional(),
    'What is done when it has succeeded',
  ),
}
const stepTimeSchema = z
  .int()
  .min(1_000)
  .max(7 * dayMs)
  .optional()
/** Of steps that are executed elsewhere and may fail. */
const triedFields = {
  ...commonFields,
  timeoutMs: described(stepTimeSchema, 'How long each try may take'),
  retryConfig: described(retrySchema.optional(), 'Whether it is tried again when it fails'),
}
const common = z.strictObject(commonFields)
type StepCommon = z.infer<typeof common>
export type LinkedAction = NonNullable<StepCommon['linkedActions']>[number]

const agentSchema = z.strictObject({
  ...triedFields,
  type: described(z.literal('agent'), 'A background session that works on a prompt'),
  prompt: described(textSchema, 'What it shall do, with $names'),
  model: described(z.string().max(200).optional(), 'As provider/model; default that of the scope'),
  sessionConfig: described(sessionConfigSchema.optional(), 'What its session is like'),
})

const approveSchema = z
  .strictObject({
    ...commonFields,
    type: described(z.literal('approve'), 'Pauses the run until a person says yes or no'),
    timeoutMs: described(stepTimeSchema, 'How long to wait for an answer'),
    approvePrompt: described(textSchema.optional(), 'What the person is asked, with $names'),
    prompt: described(textSchema.optional(), 'In place of approvePrompt'),
    onReject: described(z.enum(['fail', 'continue']).optional(), 'What a no does; default fail'),
  })
  .refine(({ approvePrompt, prompt }) => approvePrompt !== undefined || prompt !== undefined, {
    path: ['approvePrompt'],
    message: 'is missing: what is the person asked?',
  })
  .meta({ anyOf: [{ required: ['approvePrompt'] }, { required: ['prompt'] }] })

const transformSchema = z.strictObject({
  ...commonFields,
  type: described(z.literal('transform'), 'Takes something out of its input, without a model'),
  transform: described(wordsSchema, 'A dot path into the input, or a text with $names'),
})

const workflowSchema = z.strictObject({
  ...triedFields,
  type: described(z.literal('workflow'), 'Runs another workflow as a step'),
  workflow: described(wordsSchema, 'The name of another workflow of the scope'),
  args: described(valuesSchema.optional(), 'What it is given, with $names'),
})

interface ParallelText extends StepCommon {
  type: 'parallel'
  branches: Record<string, StepText[]>
  maxConcurrency?: number
}

interface ForeachText extends StepCommon {
  type: 'foreach'
  items: string | z.core.util.JSONType[]
  as?: string
  steps: StepText[]
  maxConcurrency?: number
  maxItems?: number
}

interface BranchText extends StepCommon {
  type: 'branch'
  cases: { when: string | boolean; steps: StepText[] }[]
  else?: StepText[]
}

interface LoopText extends StepCommon {
  type: 'loop'
  steps: StepText[]
  until: string | boolean
  maxIterations: number
  onLimit?: 'fail' | 'continue'
  stopWhenRepeated?: string
}

/**
 * A step of a type that an extension has. The name of the type is only known at run time; `isOwn` checks whether a step
 * is one.
 */
export interface OwnText extends StepCommon {
  type: 'own'
  timeoutMs?: number
  retryConfig?: z.infer<typeof retrySchema>
}

/** A step as it is written: it may have no id yet. */
export type StepText =
  | z.infer<typeof agentSchema>
  | z.infer<typeof approveSchema>
  | z.infer<typeof transformSchema>
  | z.infer<typeof workflowSchema>
  | ParallelText
  | ForeachText
  | BranchText
  | LoopText
  | OwnText

/** A type of step as its schema sees it. */
export interface StepFields {
  readonly type: string
  readonly description: string
  readonly fields: z.ZodRawShape
}

/** To the compiler it is a step as any of an own type. */
const toOwnSchema = ({ type, description, fields }: StepFields) =>
  z.strictObject({
    ...fields,
    ...triedFields,
    type: described(z.literal(type as 'own'), description),
  }) as z.ZodObject<typeof triedFields & { type: z.ZodLiteral<'own'> }>

/** The fields that any step of an own type has. */
export const ownFieldNames: readonly string[] = [...Object.keys(triedFields), 'type']

/** With the groups of tools that there are. */
const toAgentSchema = (groups: readonly string[]) =>
  agentSchema.extend({
    sessionConfig: sessionConfigSchema
      .extend({ toolGroups: groupSwitchesOf(groups).optional() })
      .optional()
      .meta({ description: 'What its session is like' }),
  })

/** Steps inside of steps have written types, since a schema that holds itself has none that can be inferred. */
export function toDefinitionSchema(own: readonly StepFields[] = [], groups?: readonly string[]) {
  const nestedSchema: z.ZodType<StepText[]> = z
    .lazy(() => z.array(stepSchema).min(1).max(maxSteps))
    .meta({ id: 'WorkflowSteps', description: 'Steps, one after the other' })

  const parallelSchema = z.strictObject({
    ...commonFields,
    type: described(z.literal('parallel'), 'Runs branches at the same time'),
    branches: z
      .record(stepIdSchema, nestedSchema)
      .refine((branches) => Object.keys(branches).length > 0, 'has no branch')
      .meta({
        description: 'Steps by the name of their branch; $id.data.<branch> is what a branch came to',
        minProperties: 1,
      }),
    maxConcurrency: described(z.int().min(1).max(50).optional(), 'How many at a time; default all'),
  })

  const foreachSchema = z.strictObject({
    ...commonFields,
    type: described(z.literal('foreach'), 'Runs its steps once for each item of a list'),
    items: described(
      z.union([expressionSchema, z.array(jsonSchema).max(1_000)]),
      'A list, or an expression that gives one',
    ),
    as: described(stepIdSchema.optional(), 'What an item is called; default item'),
    steps: nestedSchema,
    maxConcurrency: described(z.int().min(1).max(50).optional(), 'How many items at a time; default 5'),
    maxItems: described(
      z.int().min(1).max(1_000).optional(),
      'More items than this are a failure; default 1000',
    ),
  })

  const branchSchema = z.strictObject({
    ...commonFields,
    type: described(z.literal('branch'), 'Takes the first case that is true'),
    cases: described(
      z
        .array(
          z.strictObject({
            when: described(conditionSchema, 'An expression'),
            steps: nestedSchema,
          }),
        )
        .min(1)
        .max(20),
      'Evaluated in order',
    ),
    else: nestedSchema.optional().meta({ description: 'Steps for when no case is true' }),
  })

  const loopSchema = z.strictObject({
    ...commonFields,
    type: described(z.literal('loop'), 'Runs its steps in rounds until something is true'),
    steps: nestedSchema,
    until: described(conditionSchema, 'Evaluated after each round'),
    maxIterations: described(z.int().min(1).max(100), 'How many rounds there are at most'),
    onLimit: described(
      z.enum(['fail', 'continue']).optional(),
      'What happens when it is still not true after the last round; default fail',
    ),
    stopWhenRepeated: described(
      wordsSchema.optional(),
      'Fails when this, filled in, says the same after two rounds in a row',
    ),
  })

  const stepSchema = z
    .discriminatedUnion('type', [
      groups ? toAgentSchema(groups) : agentSchema,
      approveSchema,
      transformSchema,
      workflowSchema,
      parallelSchema,
      foreachSchema,
      branchSchema,
      loopSchema,
      ...own.map(toOwnSchema),
    ])
    .meta({ id: 'WorkflowStepText' })

  return z
    .strictObject({
      name: described(z.string().min(1).max(200), 'What the workflow is called; one of a name in a scope'),
      description: described(textSchema.optional(), 'What it is for'),
      args: described(z.record(z.string(), argSchema).optional(), 'What a run is given; $args.name in texts'),
      outputs: described(
        z.record(z.string(), fieldSchema).optional(),
        'Fields that the last step has to hand in',
      ),
      config: described(configSchema.optional(), 'Limits, and what happens on failures'),
      triggers: described(z.array(triggerSchema).max(50).optional(), 'What starts runs by itself'),
      steps: described(z.array(stepSchema).min(1).max(maxSteps), 'What is done, one after the other'),
    })
    .meta({ id: 'WorkflowDefinition' })
}

export const definitionSchema = toDefinitionSchema()
export type DefinitionText = Omit<z.infer<typeof definitionSchema>, 'steps'> & { steps: StepText[] }
