import { expect, it } from 'vitest'
import { suggestAgents, toMentionOptions } from './mentions.ts'

const milk = { name: 'milk', displayName: '银渐层', nicknames: ['牛奶'], aliases: ['architect'] }
const coffee = { name: 'coffee', displayName: 'Mila', nicknames: ['咖啡'], aliases: ['mild'] }
const billy = { name: 'billy', nicknames: ['加菲猫'], aliases: [] }
const all = [billy, coffee, milk]
const names = (query: string) => suggestAgents(all, query).map(({ name }) => name)

it('finds an agent by the beginning of its name, nickname, alias and display name, in this order', () => {
  expect(names('mil')).toEqual(['milk', 'coffee'])
  expect(names('MIL')).toEqual(['milk', 'coffee'])
  expect(names('arch')).toEqual(['milk'])
  expect(names('mila')).toEqual(['coffee'])
})

it('finds Chinese names, by their beginning before their middle', () => {
  expect(names('牛')).toEqual(['milk'])
  expect(names('银')).toEqual(['milk'])
  expect(names('菲')).toEqual(['billy'])
  expect(suggestAgents([{ name: '加菲' }, { name: '菲菲' }], '菲').map(({ name }) => name)).toEqual([
    '菲菲',
    '加菲',
  ])
})

it('puts who is called just that first', () => {
  const agents = [{ name: 'max-the-second' }, { name: 'zoe', aliases: ['max'] }]
  expect(suggestAgents(agents, 'max').map(({ name }) => name)).toEqual(['zoe', 'max-the-second'])
})

it('offers eight at most, all of them before anything is typed, and nobody who is not meant', () => {
  const many = Array.from({ length: 20 }, (_, index) => ({ name: `agent${index}` }))
  expect(suggestAgents(many, '')).toHaveLength(8)
  expect(names('')).toEqual(['billy', 'coffee', 'milk'])
  expect(names('nobody')).toEqual([])
})

it('offers to call everybody', () => {
  const words = { agent: 'agent', everybody: 'Everybody' }
  const inserts = (query: string) => toMentionOptions(all, query, words).map(({ insert }) => insert)
  expect(inserts('')).toEqual(['@billy ', '@coffee ', '@milk ', '@all '])
  expect(inserts('al')).toEqual(['@all '])
  expect(inserts('co')).toEqual(['@coffee '])
  expect(toMentionOptions([milk], '', words)).toHaveLength(1)
  const many = Array.from({ length: 20 }, (_, index) => ({ name: `agent${index}` }))
  expect(toMentionOptions(many, '', words).map(({ label }) => label)).toHaveLength(8)
})
