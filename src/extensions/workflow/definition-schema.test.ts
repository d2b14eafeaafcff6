import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { joinFacets } from '../../core/protocol/joined-facets.ts'
import { builtIn } from '../built-in.ts'
import { toDefinitionSchema } from './definition.ts'
import { definitionJsonSchema } from './definition-schema.ts'
import { shippedDefinitions } from './shipped-definitions.ts'

const file = join(import.meta.dirname, '../../../schema/workflow.schema.json')
const published = definitionJsonSchema(toDefinitionSchema([], joinFacets(builtIn).groups))
const validate = new Ajv2020({ strict: false }).compile(published)

interface Node {
  description?: string
  properties?: Record<string, Node>
  [key: string]: unknown
}

describe('the published schema of workflows', () => {
  it('is in the repository as definitions are read', () => {
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(published)
  })

  it('describes every field, and has a name that stays', () => {
    const schema = published as Node
    expect(schema['$schema']).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema['$id']).toBe('urn:parley:schema:workflow')
    const bare: string[] = []
    look(schema, '')
    expect(bare).toEqual([])

    function look(node: Node, path: string): void {
      for (const [name, field] of Object.entries(node.properties ?? {}))
        if (!field.description && !isDescribed(field)) bare.push(`${path}.${name}`)
      for (const [key, inner] of Object.entries(node))
        if (typeof inner === 'object' && inner !== null) look(inner as Node, `${path}.${key}`)
    }
    function isDescribed({ $ref }: Node): boolean {
      const [, name = ''] = /^#\/\$defs\/(.+)$/.exec(String($ref)) ?? []
      return Boolean((schema['$defs'] as Record<string, Node>)[name]?.description)
    }
  })

  it.each(shippedDefinitions())('takes $name', ({ text }) => {
    validate(parse(text))
    expect(validate.errors).toBeNull()
  })

  it.each<[string, unknown]>([
    ['no steps', { name: 'a', steps: [] }],
    ['an unknown key', { name: 'a', steps: [{ type: 'agent', prompt: 'x', promt: 'y' }] }],
    ['an agent without a prompt', { name: 'a', steps: [{ type: 'agent' }] }],
    ['an approval that asks nothing', { name: 'a', steps: [{ type: 'approve' }] }],
    ['no branch', { name: 'a', steps: [{ type: 'parallel', branches: {} }] }],
    [
      'a wrong step inside of another',
      { name: 'a', steps: [{ type: 'foreach', items: '$args.x', steps: [{ type: 'agnet' }] }] },
    ],
  ])('refuses %s, as the reader does', (_what, definition) => {
    expect(validate(definition)).toBe(false)
  })
})
