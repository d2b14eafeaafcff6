import { z } from 'zod'
import type { CatalogueDeps } from '../../core/catalogue/open-catalogue.ts'
import { listModels } from '../../core/catalogue/models.ts'
import type { TurnInput } from '../../core/chat/turn-input.ts'
import { ParleyError, quote } from '../../core/protocol/error.ts'
import type { CreateSession } from '../../core/protocol/session.ts'
import type { Caller } from '../../core/sessions/caller.ts'

export const openAiModelSchema = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().meta({ description: 'Always 0: it is not known' }),
    owned_by: z.string(),
  })
  .meta({ id: 'OpenAiModel' })
export type OpenAiModel = z.infer<typeof openAiModelSchema>

/** What a name stands for: how a session of it is made, and what its turns are asked with. */
export interface Answerer {
  session: Pick<CreateSession, 'mode' | 'modeState'>
  turn: Pick<TurnInput, 'model'>
}

/** A kind of things that answer under a name of `/v1/models`. */
export interface ModelSource {
  list(caller: Caller): Promise<OpenAiModel[]>
  /** Undefined when it has nothing of this name. May know more names than it lists. */
  find(caller: Caller, id: string): Promise<Answerer | undefined>
}

/** The model that a session or its scope has. */
export const defaultName = 'default'

export function createModelSource(deps: CatalogueDeps): ModelSource {
  return {
    async list(caller) {
      const { items } = await listModels(deps, caller, {})
      return [
        toModel(defaultName, 'parley'),
        ...items.filter(({ available }) => available).map(({ id, adapter }) => toModel(id, adapter)),
      ]
    },
    async find(_caller, id) {
      if (id === defaultName) return { session: {}, turn: {} }
      try {
        deps.registry.require(id)
      } catch (error) {
        // a name without an adapter may belong to something else; a missing key is worth reporting
        if (error instanceof ParleyError && error.code === 'invalid_request') return undefined
        throw error
      }
      return { session: {}, turn: { model: id } }
    },
  }
}

/** The first source that knows the name. */
export async function requireAnswerer(
  sources: readonly ModelSource[],
  caller: Caller,
  id: string,
): Promise<Answerer> {
  for (const source of sources) {
    const found = await source.find(caller, id)
    if (found) return found
  }
  throw unknownModel(id)
}

export const unknownModel = (id: string) =>
  new ParleyError('not_found', `There is no model ${quote(id)}; GET /v1/models lists them.`, {
    details: { param: 'model', reason: 'model_not_found' },
  })

const toModel = (id: string, owner: string): OpenAiModel => ({
  id,
  object: 'model',
  created: 0,
  owned_by: owner,
})
