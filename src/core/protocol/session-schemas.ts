import { z } from 'zod'
import { createBackgroundFields, stoppedWorkOf, workBelow, type CreateBackground } from './background.ts'
import type { Facets } from './facets.ts'
import { newMessageSchema } from './message.ts'
import { placed } from './placed-fields.ts'
import type { RightsSchemas } from './permission.ts'
import { unsearchedFields } from './search.ts'
import { checkpointListOf, rolledBackFields, type RolledBack } from './rollback.ts'
import {
  authorityFieldsOf,
  backgroundFields,
  bgMetaFields,
  childCountSchema,
  coreTriggers,
  createFields,
  documentHeadFields,
  documentTailFields,
  facetFields,
  headFields,
  patchAuthorityOf,
  patchFields,
  sessionListQuerySchema,
  tailFields,
  toolMetaFields,
  type CreateSession,
  type Session,
  type SessionPage,
  type UpdateSession,
} from './session.ts'

/** A schema whose fields are joined from the core and extensions, as the types are. */
type Joined<Value> = z.ZodType<Value, Value>

/** What operations on sessions take and answer in one Parley. */
export interface SessionSchemas {
  session: Joined<Session>
  page: Joined<SessionPage>
  listQuery: typeof sessionListQuerySchema
  create: Joined<CreateSession>
  /** Of any kind; `kind` decides which fields it takes. */
  createAny: Joined<CreateSession | CreateBackground>
  patch: Joined<UpdateSession>
  document: z.ZodObject
  rolledBack: Joined<RolledBack>
  checkpoints: ReturnType<typeof checkpointListOf>
  stopped: ReturnType<typeof stoppedWorkOf>
  /** What can be running below a session, in words. */
  workBelow: string
  /** What of a stored record a document carries: all but `own` of its facets, and of the two groups these fields. */
  carried: Readonly<Record<'own' | 'toolMeta' | 'bgMeta' | 'triggers', readonly string[]>>
}

export function sessionSchemasOf(all: readonly Facets[], rights: RightsSchemas): SessionSchemas {
  const facets = all.flatMap(({ session }) => session ?? [])
  const metas = all.flatMap(({ toolMeta }) => toolMeta ?? [])
  const tasks = all.flatMap(({ bgMeta }) => bgMeta ?? [])
  const toolMeta = z.strictObject(placed(toolMetaFields, metas)).meta({ id: 'ToolMeta' })
  // folders on this machine are the runtime's to choose, and a session of a run is made by the run: no caller sets them, no
  // document carries them
  const givenToolMeta = omitted(toolMeta, [...metas.flatMap((block) => block.own ?? []), 'depth'])
  const triggerType = z.enum([...coreTriggers, ...all.flatMap(({ triggers = [] }) => triggers)])
  const bgMeta = z.strictObject({ triggerType, ...placed(bgMetaFields, tasks) }).meta({ id: 'BgMeta' })
  const givenBgMeta = omitted(
    bgMeta,
    tasks.flatMap((block) => block.own ?? []),
  )
  const own = facets.flatMap((block) => block.own ?? []) as string[]
  const record = placed(facetFields, [behindWindow(toolMeta), ...facets])
  const given = placed(facetFields, [
    behindWindow(givenToolMeta),
    ...facets.map((block) => ({ ...block, fields: without(block.fields, own) })),
  ])
  const authority = authorityFieldsOf(rights)
  const { permissionMode, permissionRules, toolGroups } = authority
  const runKinds = all.flatMap(({ runKind }) => runKind ?? [])

  const session = z
    .object({
      ...headFields,
      ...record,
      ...authority,
      bgMeta: bgMeta.optional(),
      ...backgroundFields,
      ...tailFields,
    })
    .meta({ id: 'Session' })
  const item = session.extend({ childCount: childCountSchema }).meta({ id: 'SessionListItem' })
  const create = z
    .strictObject(
      { ...createFields, ...given, permissionMode, permissionRules, toolGroups },
      {
        error: ({ code, keys }) =>
          code === 'unrecognized_keys' && keys?.includes('prompt')
            ? 'a "prompt" is for a session of the kind "background"; others are talked to by chat'
            : undefined,
      },
    )
    .meta({ id: 'CreateSession' })
  const background = z
    .strictObject(
      placed(
        {
          ...createBackgroundFields,
          toolGroups: toolGroups.meta({
            description: 'Groups of tools that it has or not; with a parent it can only switch off',
          }),
        },
        all.flatMap(({ task }) => task ?? []),
      ),
    )
    .meta({ id: 'CreateBackground' })
  const changed = placed(
    patchFields,
    all.flatMap(({ patch }) => patch ?? []),
  )
  const document = z
    .strictObject({
      format: z.literal('parley.session'),
      version: z.literal(1),
      session: z.strictObject({
        ...documentHeadFields,
        ...given,
        bgMeta: givenBgMeta.optional(),
        ...backgroundFields,
        ...documentTailFields,
      }),
      messages: z.array(newMessageSchema),
    })
    .meta({ id: 'SessionDocument' })
  const plain = all.flatMap(({ plainModes = [] }) => plainModes).join(' or ')
  const [but, or] = plain === '' ? ['', ''] : [` but ${plain}`, ` or ${plain}`]
  // the types of the fields are joined by declaration merging, which a list of them cannot show
  return {
    session,
    page: z
      .object({ items: z.array(item), nextCursor: z.string().nullable(), ...unsearchedFields })
      .meta({ id: 'SessionPage' }),
    listQuery: sessionListQuerySchema.extend({
      mode: sessionListQuerySchema.shape.mode.meta({
        description: `The name of one; * any${but}, empty none${or}`,
      }),
    }),
    create,
    createAny: z.discriminatedUnion('kind', [create, background], {
      error: 'expected "interactive", "tool" or "background"',
    }),
    patch: z
      .strictObject({ ...changed, ...patchAuthorityOf(authority) })
      .meta({ id: 'UpdateSession', description: 'null takes a value away' }),
    document,
    rolledBack: z.object({ session, ...rolledBackFields }).meta({ id: 'RolledBack' }),
    checkpoints: checkpointListOf(Object.assign({}, ...all.map(({ snapshots }) => snapshots))),
    stopped: stoppedWorkOf(runKinds),
    workBelow: workBelow(runKinds),
    carried: {
      own,
      toolMeta: Object.keys(givenToolMeta.shape),
      bgMeta: Object.keys(givenBgMeta.shape),
      triggers: triggerType.options,
    },
  } as unknown as SessionSchemas
}

const behindWindow = (toolMeta: z.ZodType) => ({ after: 'window', fields: { toolMeta: toolMeta.optional() } })

const omitted = (schema: z.ZodObject, names: readonly string[]) =>
  schema.omit(Object.fromEntries(names.map((name) => [name, true as const])) as {})

const without = (fields: object, names: readonly string[]) =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
