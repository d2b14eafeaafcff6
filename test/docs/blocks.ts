/**
 * The fenced blocks of the pages, with the marks before them. A mark is a comment right before the fence, which readers
 * do not see:
 *
 * - `<!-- file: announce.yaml -->`: the block is that file; commands further down the page work with it
 * - `<!-- is: workflow -->`: what it claims to be, where its file's name does not say so; see claims.ts
 * - `<!-- given: parley, baseUrl -->`: names that the code takes for granted; see programs.ts
 * - `<!-- continues -->`: code that goes on from the block of code before it
 * - `<!-- output -->`: what the last command of the block before it prints; see outputs.ts
 * - `<!-- not run: docker -->`: only its syntax and types are checked, for one of the reasons in not-run.ts
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
export const pages = globSync(['README*.md', 'docs/**/*.md'], { cwd: root }).sort()

export interface Block {
  page: string
  /** Of its first line of text, counted from 1. */
  line: number
  language: string
  text: string
  marks: Partial<Record<Mark, string>>
}

const markNames = ['file', 'is', 'given', 'continues', 'output', 'not run'] as const
type Mark = (typeof markNames)[number]

export const isNotRun = ({ marks }: Block) => marks['not run'] !== undefined
export const placeOf = ({ page, line }: Block) => `${page}:${line}`

export function readBlocks(page: string): Block[] {
  const blocks: Block[] = []
  let marks: Block['marks'] = {}
  let open: (Block & { fence: string }) | undefined
  readFileSync(join(root, page), 'utf8')
    .split('\n')
    .forEach((line, index) => {
      const [, indent = '', fence, language = ''] = /^( *)(`{3,})(.*)$/.exec(line) ?? []
      if (open) {
        if (fence === open.fence && language === '') {
          const { fence: _, ...block } = open
          blocks.push(block)
          open = undefined
        } else open.text += `${line}\n`
      } else if (fence !== undefined) {
        if (indent !== '') throw new Error(`${page}:${index + 1}: a block that is indented is not read.`)
        open = { page, line: index + 2, language, text: '', marks, fence }
        marks = {}
      } else marks = readMarks(line, marks, `${page}:${index + 1}`)
    })
  if (open) throw new Error(`${placeOf(open)}: nothing closes the block.`)
  return blocks
}

function readMarks(line: string, before: Block['marks'], place: string): Block['marks'] {
  if (line.trim() === '') return before
  const [, name, value = ''] = /^<!-- ([a-z ]+?)(?:: (.*))? -->$/.exec(line) ?? []
  if (name === undefined) return {}
  if (!(markNames as readonly string[]).includes(name)) throw new Error(`${place}: "${name}" is no mark.`)
  return { ...before, [name as Mark]: value }
}
