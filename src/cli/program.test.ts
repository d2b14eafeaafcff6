import { expect, it } from 'vitest'
import { loadGroups } from './program.ts'

const loadedFor = async (line: string) =>
  (await loadGroups(line.split(' '))).flatMap(({ name, addCommands }) => (addCommands ? [name] : []))

it('loads the commands of the capability that a line is about, and of all for help and completion', async () => {
  expect(await loadedFor('parley --json plans list')).toEqual(['plans'])
  expect(await loadedFor('parley chat')).toEqual([])
  const all = (await loadGroups()).map(({ name }) => name)
  for (const line of ['parley --help', 'parley help plans', 'parley completion bash'])
    expect(await loadedFor(line), line).toEqual(all)
})
