import { expect, it } from 'vitest'
import { toParleyTools } from './foreign-tools.ts'

it.each<[unknown, string[] | undefined]>([
  ['Read, Bash(git add:*, git commit:*), WebFetch', ['file', 'terminal', 'web_fetch']],
  ['Task WebSearch', ['web_search', 'spawn_task']],
  [
    ['edit/editFiles', 'web', 'mcp__a__b', 'nothing', 3],
    ['file', 'web_fetch', 'web_search', 'mcp__a__b'],
  ],
  ['', []],
  ['NotebookEdit', []],
  [['*'], undefined],
  [undefined, undefined],
  [null, undefined],
  [7, undefined],
  [{}, undefined],
  [{ bash: true }, undefined],
  [{ bash: false }, ['file', 'web_fetch', 'web_search', 'spawn_task']],
  // it may still read
  [{ write: false, edit: false, bash: false }, ['file', 'web_fetch', 'web_search', 'spawn_task']],
  [{ read: false }, ['terminal', 'web_fetch', 'web_search', 'spawn_task']],
  [{ '*': false, grep: true }, ['file']],
  [{ '*': false }, []],
])('makes of %j %j', (given, tools) => {
  expect(toParleyTools(given)).toEqual(tools)
})

it('reads a list that a stranger made as long as a file can be', () => {
  expect(toParleyTools('a('.repeat(500_000))).toEqual([])
})
