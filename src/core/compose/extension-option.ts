import { z } from 'zod'
import type { Extension, ExtensionPage } from '../extension.ts'
import { callable, filledText, objectWith, requiredGroup, textList } from '../protocol/options.ts'

const anything = z.custom<never>()
const object = z.custom<never>((value) => typeof value === 'object' && value !== null, {
  error: 'must be an object',
})
const list = z.array(z.unknown(), { error: 'must be a list' }) as unknown as z.ZodType<never>
const name = z
  .string({ error: 'must be a text' })
  .regex(/^[a-z][a-z\d-]{0,39}$/, 'must be a word of lower-case letters, digits and "-"')

/** Every field of an extension; the compiler refuses one that is missing here. */
const extensionSchema = requiredGroup<Extension>(
  {
    name,
    version: filledText,
    needs: list,
    options: object,
    secretOptions: textList,
    toolNames: textList,
    pacedTriggers: textList,
    store: object,
    retention: callable,
    createScopeViewReader: callable,
    hookEvents: object,
    contextFiles: object,
    references: object,
    demo: callable,
    settings: object,
    commands: list,
    page: requiredGroup<ExtensionPage>({ title: anything, module: objectWith<URL>('a URL') }, [
      'title',
      'module',
    ]),
    create: callable,
  },
  ['name', 'create'],
)

/** What checks the option `extensions`. */
export const extensionsOption = {
  name: 'extensions',
  options: { extensions: z.array(extensionSchema, { error: 'must be a list of extensions' }) },
}

const isExtension = (value: unknown): value is Extension => extensionSchema.safeParse(value).success

/** Those that are well formed: their options are known when all options are checked, and the others refused. */
export function extensionsIn(options: unknown): Extension[] {
  const { extensions } = (options ?? {}) as { extensions?: unknown }
  return Array.isArray(extensions) ? extensions.filter(isExtension) : []
}

/** What is wrong with a value that should be one; undefined when nothing is. */
export function describeExtension(value: unknown): string | undefined {
  const [issue] = extensionSchema.safeParse(value).error?.issues ?? []
  return issue && [...issue.path.map(String), issue.message].join(' ')
}
