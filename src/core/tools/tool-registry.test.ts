import { expect, it } from 'vitest'
import { z } from 'zod'
import { createToolRegistry } from './tool-registry.ts'
import { defineTool } from './tool.ts'

const tool = (name: string) =>
  defineTool({ name, description: name, input: z.strictObject({}), execute: async () => name })

it('lists tools in the order they were registered in, and finds them by name', () => {
  const registry = createToolRegistry()
  const listed = registry.list()
  const [b, a, c] = [tool('b'), tool('a'), tool('c')]
  registry.register(b, a)
  registry.register(c)
  expect(registry.list().map(({ name }) => name)).toEqual(['b', 'a', 'c'])
  // whoever asked before the last was there sees it too
  expect(listed).toHaveLength(3)
  expect(registry.find('a')).toBe(a)
  expect(registry.find('d')).toBeUndefined()
})

it.each([
  ['is taken', ['a'], ['b', 'a']],
  ['is given twice', [], ['b', 'a', 'a']],
])('refuses a name that %s, and adds none of those with it', (_, present, added) => {
  const registry = createToolRegistry()
  registry.register(...present.map(tool))
  expect(() => registry.register(...added.map(tool))).toThrow('There is a tool named "a" already.')
  expect(registry.list().map(({ name }) => name)).toEqual(present)
  expect(registry.find('b')).toBeUndefined()
})
