import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { arrange } from '../../test/config-arrange.ts'
import { configJsonSchema } from './json-schema.ts'

const root = join(import.meta.dirname, '../..')

describe('the published schema', () => {
  type Node = {
    properties?: Record<string, Node>
    additionalProperties?: unknown
    default?: unknown
    description?: string
  }
  const schema = configJsonSchema() as Node & { $schema: string }

  it('is JSON Schema 2020-12 with defaults and descriptions, closed at every level', () => {
    expect(schema.$schema).toBe('https://json-schema.org/draft/2020-12/schema')
    expect(schema.properties?.['host']).toMatchObject({ type: 'string', default: '127.0.0.1' })
    expect(schema.properties?.['limits']?.properties?.['pageSize']).toMatchObject({
      type: 'integer',
      default: 200,
      minimum: 1,
    })
    expectClosed(schema, 'the top')
    expect(schema.properties?.['session']?.properties?.['limit']?.properties?.['chars']).toMatchObject({
      type: 'integer',
      description: expect.stringContaining('Default: `400000`.'),
    })
  })

  function expectClosed({ properties, additionalProperties, description }: Node, name: string): void {
    if (properties === undefined) return expect(description, name).toBeTruthy()
    expect(additionalProperties, name).toBe(false)
    for (const [key, node] of Object.entries(properties)) expectClosed(node, `${name}.${key}`)
  }

  it('is in the repository as the table of settings has it, like the reference page', () => {
    execFileSync(process.execPath, ['scripts/schema.ts', '--check'], { cwd: root })
    expect(JSON.parse(readFileSync(join(root, 'schema/parley.schema.json'), 'utf8'))).toEqual(schema)
  })

  it('comes with an example that loads', () => {
    const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8')
    const project = /```yaml\n(.*?)```/s.exec(page)?.[1] ?? ''
    expect(arrange({ project }).load().config).toMatchObject({
      chat: { maxSteps: 20 },
      scopes: { notes: {} },
    })
  })
})
