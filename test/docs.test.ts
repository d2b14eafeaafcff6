import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = globSync(['*.md', 'docs/**/*.md', 'benchmarks/*.md'], { cwd: root })

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8')

  it('links only to what exists', () => {
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)/g))
      expect(existsSync(join(root, dirname(page), target)), target).toBe(true)
  })

  it('names only files that exist', () => {
    for (const [, file = ''] of text.matchAll(
      /`((?:src|test|docs|scripts|benchmarks|examples|web|schema)\/[\w./-]+\.\w+)`/g,
    ))
      expect(existsSync(join(root, file)), file).toBe(true)
  })
})
