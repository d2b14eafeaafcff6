import { realpath } from 'node:fs/promises'
import { resolve } from 'node:path'
import { forbiddenBelow, isAboutTool, type Closed, type FileRules } from '../files/file-rules.ts'

/** What can be switched off. An extension declares its own kinds of files here. */
export interface ContextParts {
  rules: unknown
  skills: unknown
  commands: unknown
  /** Every file that was written for a tool other than Parley. */
  'other-tools': unknown
}
export type ContextPart = keyof ContextParts

/** Where context lies. Nothing outside these folders is read. */
export interface Places {
  /** The folder of the scope. */
  root: string
  /** Where in `root` the work happens: the AGENTS.md of each folder on the way counts. Default: `root`. */
  cwd?: string
  /** The user's own folder for Parley. */
  userDir?: string
  /** The user's home, for skills that several tools share. */
  home?: string
  /** Real paths of folders that count as outside, also where they lie in the root. */
  forbidden?: readonly string[]
  /** The rules that hold for everybody, about files in the root. */
  fileRules?: FileRules
  /** False: a stranger may have written what lies in the root, so of what lies there only rules count. */
  isTrusted?: boolean
  /** Parts to leave unread. Default: none. */
  off?: readonly ContextPart[]
}

/** A folder that files must not leave, and how its files are called in captions. */
export interface Base {
  /** Absolute and free of links, if the folder exists. */
  folder: string
  prefix: string
  /** Folders below it that count as outside. */
  forbidden?: readonly string[]
  readFileRules?: Closed['readFileRules']
}

export interface Bases {
  root: Base
  user?: Base
  home?: Base
}

/** Something on disk that was not used as its author meant it. `path` is the caption of the file. */
export interface Problem {
  path: string
  message: string
}

export async function findBases({ root, userDir, home, forbidden, fileRules }: Places): Promise<Bases> {
  const isClosed = fileRules && !isAboutTool(fileRules, 'read')
  return {
    root: {
      ...(await toBase(root, '', forbidden)),
      ...(isClosed && { readFileRules: async () => fileRules }),
    },
    user: userDir === undefined ? undefined : await toBase(userDir, 'user:'),
    home: home === undefined ? undefined : await toBase(home, 'home:', forbidden),
  }
}

/** Whether files there may instruct models; the folders of the user are their own. */
export const mayInstruct = ({ isTrusted = true }: Places, { prefix }: Base): boolean =>
  isTrusted || prefix !== ''

/** What is left out for that. */
export const untrustedProblem = (path: string): Problem => ({
  path,
  message: 'is not used until the folder of the scope is trusted (parley trust)',
})

export const isOn = ({ off = [] }: Places, part: ContextPart): boolean => !off.includes(part)

async function toBase(folder: string, prefix: string, forbidden?: readonly string[]): Promise<Base> {
  const absolute = resolve(folder)
  // a folder that is missing holds nothing; the reads will find that out
  const real = await realpath(absolute).catch(() => absolute)
  return { folder: real, prefix, forbidden: forbiddenBelow(real, forbidden) }
}
