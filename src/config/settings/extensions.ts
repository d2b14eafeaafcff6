import { z } from 'zod'
import { readNamedCode } from '../../core/settings/named-code.ts'
import { setting } from '../../core/settings/setting.ts'

/** An extension that a file names. */
export interface ExtensionEntry {
  /** An absolute path, or the name of a package. */
  module: string
  /** Values of its own settings. */
  settings?: Record<string, unknown>
  /** The folder from which packages are resolved. */
  from: string
}

const moduleError = 'the path of a folder or file, such as ./polls, or the name of a package'
const moduleText = z
  .string(moduleError)
  .min(1, moduleError)
  .refine((text) => !text.includes('\0'), moduleError)
const entryError = 'a path, the name of a package, or a mapping with module and settings'
const entries = z.array(
  z.union(
    [
      moduleText,
      z.strictObject({
        module: moduleText,
        settings: z.record(z.string(), z.unknown(), 'a mapping of settings').optional(),
      }),
    ],
    entryError,
  ),
  'a list of extensions',
) as unknown as z.ZodType<ExtensionEntry[]>

const isPath = (text: string) => /^(\.{1,2}|~)?[\\/]|^\.{1,2}$|^[a-z]:[\\/]/i.test(text)

/** Code of others that runs in this process, with all its rights. */
export const extensionSettings = {
  extensions: setting(entries, {
    description:
      'Extensions to load after the built-in ones: folders or files (`./polls`) and packages, or `{module, settings}`. ' +
      'They run with all rights of the program.',
    default: [],
    project: 'trusted',
    code: (given) => given.map(readNamedCode),
    mask: (given) =>
      given.map(({ module, settings }) => ({ module, ...(settings && { settings: Object.keys(settings) }) })),
    folders: (given) => given.flatMap(({ module }) => (isPath(module) ? module : [])),
    resolve: (given, toPath) =>
      (given as (string | ExtensionEntry)[]).map((entry) => {
        const { module, settings } = typeof entry === 'string' ? { module: entry } : entry
        return {
          module: isPath(module) ? toPath(module) : module,
          ...(settings && { settings }),
          from: toPath('.'),
        }
      }),
  }),
}
