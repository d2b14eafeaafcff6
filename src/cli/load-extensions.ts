/**
 * Loads the code that the setting `extensions` names. In a project file that is code a person has trusted: otherwise the
 * setting is not there. Files that change after the check are not loaded.
 */
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Config, LoadedConfig } from '../config.ts'
import { describeExtension } from '../core/compose/extension-option.ts'
import type { Extension } from '../core/extension.ts'
import { isInside } from '../core/files/file-rules.ts'
import { guardImports } from './guard-imports.ts'
import { invalidRequest, quote } from '../core/protocol/error.ts'

type Entry = Config['extensions'][number]

export interface LoadedExtension {
  extension: Extension
  /** What its settings make of the options of `createParley`. */
  options: object
  file: string
}

export async function loadExtensions({ config, origins, project }: LoadedConfig): Promise<LoadedExtension[]> {
  // what the user names in a file of their own is not checked
  const code = origins['extensions']?.source === 'project' ? (project?.code ?? []) : []
  if (code.length > 0) guardImports(new Map(code.flatMap(({ files }) => [...files])))
  const loaded: LoadedExtension[] = []
  for (const entry of config.extensions) loaded.push(await loadExtension(entry))
  return loaded
}

async function loadExtension(entry: Entry): Promise<LoadedExtension> {
  try {
    const file = findFile(entry)
    const { default: extension } = (await import(pathToFileURL(file).href)) as { default?: Extension }
    const problem = describeExtension(extension)
    if (!extension || problem !== undefined)
      throw new Error(`its default export is no extension: ${problem ?? 'there is none'}`)
    return { extension, options: readSettings(extension, entry.settings), file }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw invalidRequest(`The extension ${quote(entry.module)} cannot be loaded: ${reason}`)
  }
}

/** Runs nothing yet. */
function findFile({ module, from }: Entry): string {
  if (!isAbsolute(module)) {
    const manifest = findPackageJSON(module, pathToFileURL(join(from, 'parley.yaml')))
    if (manifest === undefined) throw new Error(`there is no package of this name in ${from}`)
    return entryOf(dirname(manifest))
  }
  const stats = statSync(module, { throwIfNoEntry: false })
  if (!stats) throw new Error(`${module} does not exist`)
  return stats.isDirectory() ? entryOf(module) : module
}

const usualFiles = ['extension.ts', 'extension.js', 'index.ts', 'index.js']

/** The entry of a folder: from its package.json, or one of the usual files. */
function entryOf(folder: string): string {
  const named = readEntry(folder) ?? usualFiles.find((name) => existsSync(join(folder, name)))
  if (named === undefined)
    throw new Error(`${folder} has neither a package.json with "exports" nor ${usualFiles.join(', ')}`)
  const file = realpathSync(join(folder, named))
  if (!isInside(realpathSync(folder), file)) throw new Error(`${named} is outside of ${folder}`)
  return file
}

function readEntry(folder: string): string | undefined {
  const manifest = join(folder, 'package.json')
  if (!existsSync(manifest)) return undefined
  const { exports, main } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    exports?: unknown
    main?: unknown
  }
  const pick = (value: unknown): string | undefined => {
    if (typeof value === 'string') return value
    if (typeof value !== 'object' || value === null) return undefined
    const { '.': own, import: imported, default: usual } = value as Record<string, unknown>
    return pick(own) ?? pick(imported) ?? pick(usual)
  }
  return pick(exports) ?? pick(main)
}

/** The values of its table, checked and complete, as options. */
function readSettings(
  { name, settings, options = {} }: Extension,
  given: Record<string, unknown> = {},
): object {
  const { table = {}, toOptions = () => ({}) } = settings ?? {}
  const unknown = Object.keys(given).find((key) => !Object.hasOwn(table, key))
  if (unknown !== undefined)
    throw new Error(
      `${quote(name)} has no setting ${quote(unknown)}. Its settings: ${Object.keys(table).join(', ')}`,
    )
  const values = Object.entries(table).map(([key, { type, default: usual }]) => {
    if (!Object.hasOwn(given, key)) return [key, usual]
    const { success, data, error } = type.safeParse(given[key])
    if (!success) throw new Error(`its setting ${quote(key)} must be ${error.issues[0]!.message}`)
    return [key, data]
  })
  const filled = toOptions(Object.fromEntries(values) as never)
  const foreign = Object.keys(filled).find((key) => !Object.hasOwn(options, key))
  if (foreign !== undefined)
    throw new Error(`its settings fill the option ${quote(foreign)}, which is not its own`)
  return filled
}
