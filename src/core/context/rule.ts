import { flagField, listField, parseFrontMatter, textField } from './front-matter.ts'
import { sealed } from '../protocol/prompt-tags.ts'
import { createMatcher, splitGlobs } from '../files/globs.ts'
import { findGlobFault } from '../shared/glob.ts'
import type { Problem } from './context-places.ts'
import type { TextFile } from './file-reader.ts'
import { cutNotice, toCaption } from './cut-to-tokens.ts'

/** Instructions from one file. */
export interface Rule {
  /** The file as it is shown: from the root, or after `user:`. */
  path: string
  /** A file of the project, or a custom rule of the scope or the user. */
  level: 'project' | 'scope' | 'user'
  title?: string
  description?: string
  isEnabled: boolean
  /** `manual`: neither always nor for certain paths, only on request. */
  applies: 'always' | 'matching' | 'manual'
  globs: string[]
  text: string
  isCut: boolean
  /** who gets space first when there is little: the smallest. */
  rank: number
}

/** A file that is a rule as a whole; a text that is given is sealed already. */
export function toPlainRule(file: TextFile, level: Rule['level'], text = sealed(file.text)): Rule {
  const body = text.trim()
  return {
    path: file.caption,
    level,
    isEnabled: true,
    applies: 'always',
    globs: [],
    text: file.isCut ? `${body}\n${cutNotice(file.caption, file.bytesRead, file.bytes)}` : body,
    isCut: file.isCut,
    rank: 0,
  }
}

/**
 * A file whose front matter specifies when it applies. Without any, or with one that cannot be understood, it always
 * does: a rule that its author expects must not go missing.
 */
export function toRule(file: TextFile, level: Rule['level'], problems: Problem[]): Rule {
  const matter = parseFrontMatter(file.text)
  const report = (message: string) => problems.push({ path: file.caption, message })
  if (matter.fault) report(`${matter.fault}; it is taken as text`)
  const globs = listField(matter, 'globs', splitGlobs)
  for (const glob of globs) {
    const fault = findGlobFault(glob)
    if (fault !== undefined) report(`has the pattern ${toCaption(glob.slice(0, 80))}, which ${fault}`)
  }
  const always = flagField(matter, 'alwaysApply')
  return {
    ...toPlainRule(file, level, sealed(matter.body)),
    title: textField(matter, 'title'),
    description: textField(matter, 'description'),
    isEnabled: flagField(matter, 'enabled') ?? true,
    applies: (always ?? globs.length === 0) ? 'always' : globs.length > 0 ? 'matching' : 'manual',
    globs,
  }
}

/** Whether a rule is for one of the paths, which are relative and have `/` between their parts. */
export function isForPaths(rule: Rule, paths: readonly string[]): boolean {
  return rule.isEnabled && rule.applies === 'matching' && paths.some(createMatcher(rule.globs))
}

/** A rule as it stands in a prompt: its text under a caption. */
export function renderRule({ path, title, text }: Rule): string {
  const name = title === undefined ? '' : ` title="${toCaption(title)}"`
  return `<rules from="${path}"${name}>\n${text}\n</rules>`
}
