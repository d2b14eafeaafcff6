import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseYaml } from '../src/core/protocol/yaml-text.ts'
import { isNotRun, pages, placeOf, readBlocks, type Block } from './docs/blocks.ts'
import { checkClaim, userFile } from './docs/claims.ts'
import { foreignLanguages, notRun } from './docs/not-run.ts'
import { startPageServer, type PageServer } from './docs/page-server.ts'
import { checkTypes, groupPrograms, isRun, runPrograms, writeProgram } from './docs/programs.ts'
import { checkOutputs } from './docs/outputs.ts'
import { readCommands, runShell } from './docs/shell.ts'
import { temporaryFolder } from './harness.ts'

// one compiler reads all pages, and one process runs all programs: on a busy machine that takes minutes
const timeoutMs = 900_000
const isCommands = (block: Block) => block.language === 'sh' && !isNotRun(block)
const folder = temporaryFolder()
const all = pages.map((page) => {
  const blocks = readBlocks(page)
  const own = join(folder.path, page.replaceAll(/\W/g, '-'))
  return {
    page,
    blocks,
    folder: own,
    programs: groupPrograms(blocks, own),
    commands: blocks.filter(isCommands),
  }
})
const blocks = all.flatMap((page) => page.blocks)
const servers = new Map<string, Promise<PageServer>>()

/** One for each page, with nothing stored: a page works without those before it. */
function serverOf({ page, folder: own, blocks: of }: (typeof all)[number]): Promise<PageServer> {
  const known = servers.get(page)
  if (known) return known
  for (const { marks, text } of of)
    if (marks.file !== undefined) {
      const file = join(own, marks.file === userFile ? userFile.replace('~', 'home') : marks.file)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
  const server = startPageServer(own)
  servers.set(page, server)
  return server
}

afterAll(async () => {
  for (const server of await Promise.all(servers.values())) await server[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

describe('blocks of data', () => {
  const parse: Record<string, (text: string) => unknown> = {
    json: (text) => JSON.parse(text),
    yaml: (text) => expect(parseYaml(text).faults).toEqual([]),
    md: () => undefined,
    csv: () => undefined,
  }
  const data = blocks.filter(({ language }) => language in parse)

  it.each(data.map((block) => [placeOf(block), block] as const))(
    '%s is what it claims to be',
    async (_, block) => {
      parse[block.language]!(block.text)
      if (isNotRun(block) || block.marks.output !== undefined) return
      const claim = checkClaim(block)
      if (claim) return expect(await claim.problems).toBeUndefined()
      // otherwise it is a file that commands of the page work with
      const { file = '(no file)' } = block.marks
      const commands = blocks.filter(({ page, language }) => page === block.page && language === 'sh')
      expect(commands.map(({ text }) => text).join('')).toContain(file)
    },
  )
})

describe('blocks of code', () => {
  const withCode = all.filter(({ programs }) => programs.length > 0)
  const written = Promise.all(
    withCode.map(async (page) => {
      const { url } = await serverOf(page)
      for (const program of page.programs) writeProgram(program, url)
    }),
  )
  const problems = written.then(() => checkTypes(folder.path))
  const toRun = withCode.flatMap(({ programs }) => programs).filter(isRun)
  const outcomes = problems.then(() => runPrograms(toRun, timeoutMs / 2))

  it('have the right types', { timeout: timeoutMs }, async () => {
    expect(await problems).toEqual([])
  })

  it.each(toRun.map((program) => [placeOf(program.blocks[0]!), program] as const))(
    '%s runs',
    { timeout: timeoutMs },
    async (_, { file }) => {
      expect((await outcomes).get(file)).toBeUndefined()
    },
  )
})

describe('blocks of commands', () => {
  it.concurrent.each(
    all.filter(({ commands }) => commands.length > 0).map((page) => [page.page, page] as const),
  )('%s: every command does what it says', { timeout: timeoutMs }, async (_, page) => {
    const server = await serverOf(page)
    const ran = await runShell(page.commands, { folder: page.folder, server, timeoutMs })
    if ('problem' in ran) return expect(ran.problem).toBeUndefined()
    expect(checkOutputs(page.blocks, ran.printed)).toEqual([])
  })

  it('are commands for a shell, also those that are not run', () => {
    for (const block of blocks.filter(({ language }) => language === 'sh'))
      expect(readCommands(block), placeOf(block)).not.toEqual([])
  })
})

describe('no block is passed over', () => {
  const checked = ['ts', 'sh', 'json', 'yaml', 'md', 'csv']

  it.each(blocks.map((block) => [placeOf(block), block] as const))('%s', (_, block) => {
    const { language, marks } = block
    const reason = marks['not run']
    if (reason !== undefined) expect(Object.keys(notRun)).toContain(reason)
    // what only others can check says why, and text is what a command prints unless it is a drawing
    const isForeign = foreignLanguages.includes(language) && reason !== undefined
    expect(isForeign || [...checked, 'text'].includes(language), `language "${language}"`).toBe(true)
    if (language === 'text') expect(marks.output ?? reason, 'a text that nobody prints').toBeDefined()
    // of data that is shown, the fields are looked at
    if (language === 'json') expect(reason).not.toBe('shape')
  })
})
