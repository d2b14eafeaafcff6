import { expect } from 'vitest'
import { promptTags } from '../src/core/protocol/prompt-tags.ts'

const pattern = new RegExp(`<(/?)(${promptTags.join('|')})(?:\\s[^<>]*)?>`, 'gi')

/** For tests: the tags of ours in a text, each with how deep it stands; fails where one has no beginning or no end. */
export function readTags(text: string): string[] {
  const open: string[] = []
  const found: string[] = []
  for (const [tag, slash, name] of text.matchAll(pattern)) {
    if (slash) expect(open.pop(), `${tag} in\n${text}`).toBe(name!.toLowerCase())
    else {
      open.push(name!.toLowerCase())
      found.push(open.join(' '))
    }
  }
  expect(open, `never closed in\n${text}`).toEqual([])
  return found
}
