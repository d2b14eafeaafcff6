import type { ModelAdapter } from '../models/adapter.ts'
import { ModelFault } from '../models/fault.ts'
import type { ProviderTest, TestProvider } from '../protocol/models.ts'
import type { Caller } from '../sessions/caller.ts'
import { requireAllScopes, requireProvider } from './providers.ts'
import type { CatalogueDeps } from './open-catalogue.ts'

// a person waits for it
const replyTimeoutMs = 30_000
const shownChars = 200

/** Asks a provider which models it has, and one of them for a word. A failure is the answer, not an error. */
export async function testProvider(
  deps: CatalogueDeps,
  caller: Caller,
  name: string,
  { model }: Pick<TestProvider, 'model'>,
): Promise<ProviderTest> {
  requireAllScopes(caller)
  const provider = requireProvider(deps, name)
  if (!provider.isConfigured)
    return { name, ok: false, models: 0, error: 'It is not set up: give it a key or an address.', ms: 0 }
  const begin = performance.now()
  const { models, error } = await deps.lists.of(provider, { refresh: true })
  if (error === undefined) deps.registry.useListed(name, models)
  const asked = model === undefined ? undefined : await askModel(deps.registry.require(`${name}/${model}`))
  return {
    name,
    // a server without a list may have models all the same
    ok: asked ? asked.error === undefined : error === undefined,
    models: models.length,
    ...(error !== undefined && { error }),
    ...asked,
    ms: Math.round(performance.now() - begin),
  }
}

async function askModel(adapter: ModelAdapter): Promise<{ reply?: string; error?: string }> {
  const request = {
    system: '',
    messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Answer with "OK".' }] }],
    tools: [],
    cacheKey: 'provider-test',
    // some models think before they answer, and refuse less
    maxOutputTokens: 256,
  }
  const signal = AbortSignal.timeout(replyTimeoutMs)
  let reply = ''
  try {
    for await (const event of adapter.stream(request, signal))
      if (event.type === 'text-delta') reply += event.text
    return { reply: reply.slice(0, shownChars) }
  } catch (error) {
    if (signal.aborted) return { error: `It did not answer within ${replyTimeoutMs / 1_000} seconds.` }
    if (error instanceof ModelFault) return { error: error.message }
    throw error
  }
}
