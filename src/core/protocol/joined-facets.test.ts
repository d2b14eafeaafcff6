import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { Facets } from './facets.ts'
import { joinFacets } from './joined-facets.ts'
import type { Session } from './session.ts'

/** Of extensions that are nowhere declared. */
const join = (...facets: object[]) =>
  joinFacets(facets.map((one, index) => ({ name: `extension ${index + 1}`, facets: one as Facets })))
const text = z.string().optional()
const fieldsOf = (schema: unknown) => Object.keys((schema as z.ZodObject).shape)

describe('fields of extensions', () => {
  it('stand behind the field that they name, in the order of the extensions, and else at the end', () => {
    const { schemas, chatSchemas } = join(
      { session: { after: 'mode', fields: { color: text, shape: text } } },
      { session: { fields: { size: text } }, chat: { after: 'content', fields: { tone: text } } },
      { session: { after: 'color', fields: { shade: text } } },
    )
    const names = fieldsOf(schemas.create)
    const place = names.indexOf('mode')
    expect(names.slice(place, place + 5)).toEqual(['mode', 'color', 'shade', 'shape', 'modeState'])
    expect(names.slice(names.indexOf('allowedSkills'), names.indexOf('permissionMode'))).toEqual([
      'allowedSkills',
      'size',
    ])
    expect(fieldsOf(chatSchemas.body).slice(1, 3)).toEqual(['content', 'tone'])
  })

  it('are refused where nobody declared them, and by their own schema', () => {
    const [with_, without] = [join({ session: { fields: { color: text } } }), join()]
    expect(with_.schemas.create.safeParse({ color: 'red' }).success).toBe(true)
    expect(with_.schemas.create.safeParse({ color: 1 }).success).toBe(false)
    expect(with_.schemas.patch.safeParse({ color: 'red' }).success).toBe(false)
    expect(without.schemas.create.safeParse({ color: 'red' }).success).toBe(false)
  })

  it('that the runtime sets are in the record alone', () => {
    const { schemas } = join({
      session: { fields: { color: text, size: text }, own: ['size'] },
      toolMeta: { fields: { place: text }, own: ['place'] },
    })
    expect(fieldsOf(schemas.session)).toContain('size')
    expect(fieldsOf(schemas.create)).not.toContain('size')
    expect(fieldsOf(schemas.document.shape.session)).not.toContain('size')
    expect(fieldsOf(schemas.document.shape.session)).toContain('color')
    expect(schemas.create.safeParse({ toolMeta: { source: 'x', place: '/etc' } }).success).toBe(false)
    expect(schemas.carried).toMatchObject({ own: ['size'], toolMeta: ['source', 'label'] })
  })

  it('go with copies of a session unless they say otherwise', () => {
    const { forkedOf } = join({ session: { fields: { color: text, size: text }, unforked: ['size'] } })
    expect(forkedOf({ color: 'red', size: 'XL', title: 'A' } as unknown as Session)).toEqual({ color: 'red' })
  })
})

it('tells a chat and a task to each extension in its own words', () => {
  const { toInput, toTask } = join(
    { chat: { fields: { tone: text }, toInput: ({ tone }: { tone: string }) => ({ voice: tone }) } },
    {
      task: {
        fields: { speed: text },
        toMeta: ({ speed = 'slow' }) => ({ speed }),
        toInput: ({ speed }: { speed: string }) => ({ pace: speed }),
      },
    },
  )
  expect(toInput({ content: 'x', tone: 'low' } as object)).toEqual({ voice: 'low' })
  expect(toTask({})).toEqual({ meta: { speed: 'slow' }, input: { pace: 'slow' } })
})

it.each([
  ['the record of a session', { session: { fields: { color: text } } }, 'color'],
  ['the change of a session', { patch: { fields: { color: text } } }, 'color'],
  ['toolMeta', { toolMeta: { fields: { color: text } } }, 'color'],
  ['bgMeta', { bgMeta: { fields: { color: text } } }, 'color'],
  ['bgMeta.triggerType', { triggers: ['tide'] }, 'tide'],
  ['the body of a background session', { task: { fields: { color: text } } }, 'color'],
  ['the body of a chat', { chat: { fields: { color: text } } }, 'color'],
  ['the folders of a session', { folders: { note: '', list: [{ name: 'attic' }] } }, 'attic'],
])('refuses two owners of a name in %s', (where, facets, name) => {
  expect(() => join(facets, facets)).toThrow(
    `The extensions "extension 1" and "extension 2" both keep "${name}" in ${where}.`,
  )
})

it.each([
  { session: { fields: { model: text } } },
  { session: { fields: { bgMeta: text } } },
  { patch: { fields: { grantedPaths: text } } },
  { toolMeta: { fields: { source: text } } },
  { bgMeta: { fields: { triggerType: text } } },
  { triggers: ['api'] },
  { task: { fields: { prompt: text } } },
  { chat: { fields: { content: text } } },
  { folders: { note: '', list: [{ name: 'main' }] } },
])('refuses what the core has: %j', (facets) => {
  expect(() => join(facets)).toThrow('"core" and "extension 1" both keep')
})

describe('groups of tools', () => {
  const groups = (...given: object[]) => join(...given.map((one) => ({ groups: one })))

  it('stand beside the one that they name, also where that comes later, and else at the end', () => {
    const joined = groups(
      { after: 'size', list: { shade: true } },
      { before: 'search', list: { color: false } },
      { before: 'nobody', list: { last: true } },
      { list: { size: true } },
    )
    expect(joined.groups).toEqual(['color', 'search', 'task', 'size', 'shade', 'last'])
    expect(joined.defaultGroups).toEqual({ color: false })
  })

  it('can be switched wherever rights are set, and nobody else can', () => {
    const { schemas, settingsSchemas } = groups({ list: { color: true } })
    for (const schema of [schemas.create, schemas.patch, settingsSchemas.update]) {
      expect(schema.safeParse({ toolGroups: { color: false, task: true } }).success).toBe(true)
      expect(schema.safeParse({ toolGroups: { colour: false } }).success).toBe(false)
    }
  })

  it.each([
    ['groups of tools', { groups: { list: { task: true } } }],
    ['an ask', { approval: { fields: { reason: text } } }],
    ['tags of prompts', { tags: ['rules'] }],
    ['small letters', { tags: ['a|b'] }],
  ])('are refused, as other names are, where they are taken or none: %s', (where, facets) => {
    expect(() => join(facets)).toThrow(where)
  })
})

it('shows of an ask what extensions have declared', () => {
  const { approvalSchemas, previewOf } = join({ approval: { after: 'reason', fields: { color: text } } })
  expect(fieldsOf(approvalSchemas.approval).join()).toContain('reason,color,status')
  expect(previewOf({ color: 'red', reason: 'x' } as object)).toEqual({ color: 'red' })
  expect(previewOf({ reason: 'x' } as object)).toBeUndefined()
})
