import { dirname, relative, resolve } from 'node:path'
import { sealed } from '../protocol/prompt-tags.ts'
import type { Base } from './context-places.ts'
import { captionOf, type Reader, type TextFile } from './file-reader.ts'
import { toCaption } from './cut-to-tokens.ts'

// as deep as Gemini CLI goes, and more files than anybody imports by hand
const maxDepth = 5
const maxImports = 50
const maxFileBytes = 32 * 1024

/** Plain text and Markdown only, so that `@.env` cannot carry a secret into a prompt. */
const importPattern = /(?<=^|[ \t(])@([^\s@()`]+\.(?:md|mdc|markdown|txt))(?=$|[\s),.;:])/g

interface Imports {
  reader: Reader
  base: Base
  /** Real paths; a file is imported once, so that neither a circle nor a crowd of references multiplies it. */
  seen: Set<string>
  files: TextFile[]
  tried: number
}

/**
 * Puts the files that a text names as `@path.md` in its place; those that cannot be imported leave a note. The texts are
 * sealed, so that no other tags of ours are in the result than those around what was imported.
 */
export async function expandImports(
  reader: Reader,
  base: Base,
  file: TextFile,
): Promise<{ text: string; files: TextFile[] }> {
  const imports: Imports = { reader, base, seen: new Set([file.real]), files: [], tried: 0 }
  return { text: await expand(imports, file, 0), files: imports.files }
}

async function expand(imports: Imports, file: TextFile, depth: number): Promise<string> {
  const lines: string[] = []
  let isCode = false
  for (const line of sealed(file.text).split('\n')) {
    const isFence = /^ {0,3}(```|~~~)/.test(line)
    if (isFence) isCode = !isCode
    lines.push(isCode || isFence ? line : await expandLine(imports, file, line, depth))
  }
  return lines.join('\n')
}

async function expandLine(imports: Imports, file: TextFile, line: string, depth: number): Promise<string> {
  let expanded = ''
  let end = 0
  let isCode = false
  for (const match of line.matchAll(importPattern)) {
    const before = line.slice(end, match.index)
    end = match.index + match[0].length
    if (before.split('`').length % 2 === 0) isCode = !isCode
    expanded += before + (isCode ? match[0] : await importFile(imports, file, match[1]!, depth))
  }
  return expanded + line.slice(end)
}

async function importFile(imports: Imports, from: TextFile, name: string, depth: number): Promise<string> {
  const { reader, base, seen, files } = imports
  const leave = (why: string) => {
    reader.problems.push({ path: from.caption, message: `imports ${toCaption(name)}, which ${why}` })
    return `@${name} [not imported: it ${why}]`
  }
  imports.tried++
  // one note is enough: a text can name thousands
  if (imports.tried > maxImports + 1) return `@${name}`
  if (imports.tried > maxImports) return leave(`is more than the ${maxImports} files allowed`)
  if (depth === maxDepth) return leave(`is more than ${maxDepth} imports deep`)
  const path = relative(base.folder, resolve(dirname(from.real), name))
  const problems = reader.problems.length
  const file = await reader.read(base, path, maxFileBytes)
  if (!file) {
    // the reader's own problem would repeat it
    const [refused] = reader.problems.splice(problems)
    return leave(refused?.message ?? 'does not exist')
  }
  if (seen.has(file.real)) return `@${name} [imported above]`
  seen.add(file.real)
  files.push(file)
  const text = await expand(imports, file, depth + 1)
  return `<imported from="${captionOf(base, path)}">\n${text.trim()}\n</imported>`
}

/** What was cut off may have been the end of what was imported; each beginning gets its end. */
export function closeImports(text: string): string {
  const whole = text.replace(/<imported[^>]*$/, '')
  const open = whole.split('<imported ').length - whole.split('</imported>').length
  return whole + '\n</imported>'.repeat(Math.max(0, open))
}
