import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readBlocks } from './docs/blocks.ts'

const root = join(import.meta.dirname, '..')
const pages = globSync(['*.md', 'docs/**/*.md', 'benchmarks/*.md'], { cwd: root })
const read = (page: string) => readFileSync(join(root, page), 'utf8')
const withoutBlocks = (page: string) => read(page).replaceAll(/^```[\s\S]*?^```$/gm, '')
const headingsOf = (page: string) => withoutBlocks(page).match(/^#+ .*$/gm) ?? []
const linksOf = (page: string) =>
  [...withoutBlocks(page).matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target)

/** As GitHub makes them of headings. */
const anchorsOf = (page: string) =>
  headingsOf(page).map((heading) =>
    heading
      .replace(/^#+ /, '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

// pages about the code leave out the "src/"
const folders = readdirSync(join(root, 'src')).filter((name) => !name.includes('.'))
const inSource = new RegExp(`\`((?:${folders.join('|')})/[\\w./-]+\\.ts)\``, 'g')

describe.each(pages)('%s', (page) => {
  it('links only to what exists', () => {
    for (const link of linksOf(page).filter((target) => !/^https?:/.test(target))) {
      const [file = '', anchor] = link.split('#')
      const target = file === '' ? page : join(dirname(page), file)
      expect(existsSync(join(root, target)), link).toBe(true)
      if (anchor !== undefined) expect(anchorsOf(target), link).toContain(anchor)
    }
  })

  it('names only files that exist', () => {
    for (const [, file = ''] of read(page).matchAll(
      /`((?:src|test|docs|scripts|benchmarks|examples|web|schema)\/[\w./-]+\.\w+)`/g,
    ))
      expect(existsSync(join(root, file)), file).toBe(true)
    for (const [, file = ''] of read(page).matchAll(inSource))
      expect(existsSync(join(root, 'src', file)), file).toBe(true)
  })
})

describe('the two READMEs', () => {
  const [english, chinese] = ['README.md', 'README.zh-CN.md'] as const
  const levelsOf = (page: string) => headingsOf(page).map((heading) => heading.indexOf(' '))
  const codeOf = (page: string) =>
    readBlocks(page).map(({ language, text, marks }) => ({
      language,
      marks,
      text: language === 'sh' ? text.replaceAll(/ +#.*$/gm, '') : text,
    }))

  it('have the same parts', () => {
    expect(levelsOf(chinese)).toEqual(levelsOf(english))
  })

  it('have the same code', () => {
    expect(codeOf(chinese)).toEqual(codeOf(english))
  })

  it('link to the same pages and pictures, in the same order', () => {
    const toEnglish = (link: string) => (link === english ? chinese : link)
    expect(linksOf(chinese).map(toEnglish)).toEqual(linksOf(english))
  })
})

it('AGENTS.md tells what is in each folder', () => {
  const told = [...read('AGENTS.md').matchAll(/^\| `src\/(\w+)`/gm)].map(([, folder]) => folder)
  expect(told.toSorted()).toEqual(folders.toSorted())
})
