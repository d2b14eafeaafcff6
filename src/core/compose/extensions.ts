import { turnHookEvents } from '../chat/program-hooks.ts'
import { toolHookEvents, type AnswerSchemas } from '../hooks/hook.ts'
import { invalidRequest, ParleyError, quote } from '../protocol/error.ts'
import type { Contributions, Core, Extension } from '../extension.ts'
import type { ParleyOptions } from './options.ts'

/** An extension of a Parley that is being put together, with what it added. */
export interface Added extends Contributions {
  name: string
}

/** Refuses a list in which an extension is missing that another needs, comes too late, or is there twice. */
export function checkExtensions(extensions: readonly Extension[]): void {
  const before = new Set<string>()
  for (const { name, needs = [] } of extensions) {
    if (before.has(name)) throw invalidRequest(`There are two extensions named ${quote(name)}.`)
    for (const needed of needs)
      if (!before.has(needed.name))
        throw invalidRequest(
          `The extension ${quote(name)} needs ${quote(needed.name)}, which must come before it in the list.`,
        )
    before.add(name)
  }
}

/** What programs can be asked beside calls of tools. Two extensions have no event of the same name. */
export function joinHookEvents(extensions: readonly Pick<Extension, 'hookEvents'>[]): AnswerSchemas {
  const joined: Record<string, AnswerSchemas[string]> = { ...turnHookEvents }
  for (const { hookEvents = {} } of extensions)
    for (const [event, answer] of Object.entries(hookEvents)) {
      if (Object.hasOwn(toolHookEvents, event) || Object.hasOwn(joined, event))
        throw invalidRequest(`There are two events of hooks named ${quote(event)}.`)
      joined[event] = answer
    }
  return joined
}

/** Creates each, in the order of the list. When one fails, those before it are closed. */
export async function createExtensions(
  extensions: readonly Extension[],
  core: Core,
  options: ParleyOptions,
): Promise<Added[]> {
  const services = new Map<string, unknown>()
  const added: Added[] = []
  try {
    for (const extension of extensions) {
      const contributions = await createExtension(extension, core, options, services)
      services.set(extension.name, contributions.service)
      added.push({ ...contributions, name: extension.name })
    }
  } catch (error) {
    await closeExtensions(added)
    throw error
  }
  return added
}

export async function closeExtensions(added: readonly Added[]): Promise<void> {
  for (const { close } of added) await close?.()
}

async function createExtension(
  extension: Extension,
  core: Core,
  options: ParleyOptions,
  services: ReadonlyMap<string, unknown>,
): Promise<Contributions> {
  const { name, needs = [] } = extension
  try {
    return await extension.create(core, {
      options,
      use<Service>(needed: { name: string }): Service {
        if (!needs.some((one) => one.name === needed.name))
          throw invalidRequest(
            `The extension ${quote(name)} does not name ${quote(needed.name)} among its needs.`,
          )
        return services.get(needed.name) as Service
      },
    })
  } catch (error) {
    if (error instanceof ParleyError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`The extension ${quote(name)} could not be created: ${reason}`, { cause: error })
  }
}
