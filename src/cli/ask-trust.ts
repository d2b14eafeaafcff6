import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import type { LoadedConfig } from '../config.ts'
import type { TrustedCode } from '../core/files/trusted-folders.ts'
import type { NamedCode } from '../core/settings/named-code.ts'
import { isInside } from '../core/files/file-rules.ts'
import { printProgress, toQuestion } from '../core/command-line/output.ts'
import { exact } from '../core/command-line/printable.ts'

// instructions for models, in the folders of Parley and of other tools
const instructing = [
  ...['workflows', 'agents', 'skills', 'commands'].map((name) => join('.parley', name)),
  ...['agents', 'skills', 'commands'].map((name) => join('.claude', name)),
  ...['agents', 'commands'].map((name) => join('.cursor', name)),
  join('.agents', 'skills'),
  join('.opencode', 'agent'),
  join('.opencode', 'agents'),
  join('.github', 'agents'),
  join('.github', 'chatmodes'),
]

/** What is kept of code that a person was asked about. */
export const toTrustedCode = (code: readonly NamedCode[]): TrustedCode[] =>
  code.flatMap(({ module, digest }) => (digest === undefined ? [] : { module, digest }))

/** Folders that hold something which is not used until a person trusts them. */
function findUntrusted({ config, project, trust }: LoadedConfig): string[] {
  const roots = Object.values(config.scopes)
    .map(({ root }) => root)
    .filter((root) => instructing.some((path) => existsSync(join(root, path))))
  const folders = project && project.waiting.length > 0 ? [project.folder, ...roots] : roots
  const isWaiting = (folder: string) => folder === project?.folder && project.waiting.length > 0
  const untrusted = [...new Set(folders)].filter((folder) => !trust.has(folder) || isWaiting(folder))
  // trusting a folder means trusting everything in it
  return untrusted.filter((folder) => !untrusted.some((other) => other !== folder && isInside(other, folder)))
}

function noteOf({ module, digest, problem }: NamedCode, before: readonly TrustedCode[]): string {
  if (problem !== undefined) return ` (${problem}, so it is not run)`
  if (before.length === 0 || before.some((one) => one.digest === digest)) return ''
  return before.some((one) => one.module === module) ? ' (changed)' : ' (new)'
}

/** Asks a person at a terminal, and prints a notice elsewhere. Returns whether something was trusted. */
export async function askForTrust(loaded: LoadedConfig): Promise<boolean> {
  const isAsked = process.stdin.isTTY === true && process.stderr.isTTY === true
  let hasTrusted = false
  for (const folder of findUntrusted(loaded)) {
    const shown = exact(folder)
    const isTrusted = loaded.trust.has(folder)
    const code = loaded.project?.folder === folder ? loaded.project.code : []
    if (!isAsked) {
      // the configuration warns of code that has changed
      if (isTrusted) continue
      printProgress([
        'parley: the workflows, agents, skills, commands and extensions in ',
        shown,
        ' are not used until you trust it: parley trust ',
        shown,
      ])
      continue
    }
    const terminal = createInterface({ input: process.stdin, output: process.stderr })
    const before = loaded.trust.codeOf(folder)
    const runs = code.flatMap((one) => ['\n  ', exact(one.module), noteOf(one, before)])
    const question = [
      ...(isTrusted
        ? ['What ', shown, ' names to be run is not what you trusted before.']
        : [
            'Do you trust the authors of the files in ',
            shown,
            '?\nOnly then are its workflows, agents, skills, commands and choice of a model used, and its extensions run.',
          ]),
      ...(runs.length > 0 ? ['\nIts extensions, which may do whatever you may do:', ...runs, '\n'] : [' ']),
      ...(isTrusted ? ['Do you trust their authors? '] : []),
      '[y]es, [n]o: ',
    ]
    const answer = await terminal.question(toQuestion(question))
    terminal.close()
    if (!/^y(es)?$/i.test(answer.trim())) continue
    loaded.trust.add(folder, Date.now(), toTrustedCode(code))
    hasTrusted = true
  }
  return hasTrusted
}
