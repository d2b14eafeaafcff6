import type { Logger } from 'pino'
import type { ModelLists } from './model-lists.ts'
import type { ModelRegistry } from './registry.ts'

interface ListedDefaultDeps {
  registry: ModelRegistry
  lists: ModelLists
  logger: Logger
}

/** Undefined where there is nothing to ask; never rejects. */
export type FindListedDefault = () => Promise<void> | undefined

/**
 * Asks the server of which only an address was set for its models: one of them becomes the model of those who name none. A
 * server that cannot be asked is asked again by a later turn.
 */
export function createListedDefault({ registry, lists, logger }: ListedDefaultDeps): FindListedDefault {
  let logged: string | undefined
  return () => {
    const provider = registry.waitsFor
    return (
      provider &&
      lists.of(provider).then(({ models, error }) => {
        const problem = error ?? 'It lists no model for conversations.'
        registry.useListed(provider.name, models, problem)
        if (registry.waitsFor?.name !== provider.name) return
        const reason = `${provider.name}: ${problem}`
        // every turn that names no model gets here
        if (logged === reason) return
        logged = reason
        logger.warn(`the server of a provider has not said which models it has. ${reason}`)
      })
    )
  }
}
