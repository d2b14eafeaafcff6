/** Embeddings and models as the published client of OpenAI asks for them. */
import OpenAI, { APIError } from 'openai'
import { describe, expect, it } from 'vitest'
import { startEmbeddings } from './embedding-server.ts'
import { sqliteDatabase } from './harness.ts'
import { startWorkbench } from './workbench-server.ts'
import type { ParleyOptions } from '../src/parley.ts'

const key = 'sk-canary-of-embeddings-0123'

async function open(options: (baseUrl: string) => Partial<ParleyOptions>) {
  const database = await sqliteDatabase()
  const embeddings = await startEmbeddings()
  const workbench = await startWorkbench(database, options(embeddings.baseUrl))
  return {
    embeddings,
    workbench,
    openai: new OpenAI({ baseURL: `${workbench.url}/v1`, apiKey: 'not needed', maxRetries: 0 }),
    async [Symbol.asyncDispose]() {
      await workbench[Symbol.asyncDispose]()
      await embeddings[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

const configured = (baseUrl: string): Partial<ParleyOptions> => ({
  models: { openai: { baseUrl, apiKey: key } },
  memory: { embeddingModel: 'openai/text-embedding-3-small' },
})

const refused = (work: PromiseLike<unknown>) =>
  Promise.resolve(work).then(
    () => expect.fail('It should have been refused.'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(APIError)
      return error as APIError
    },
  )

describe('embeddings', () => {
  it('are those of the configured model, for one text and for several', async () => {
    await using parley = await open(configured)
    const { openai, embeddings } = parley
    const one = await openai.embeddings.create({ model: 'default', input: 'a cat' })
    expect(one).toMatchObject({
      object: 'list',
      model: 'default',
      data: [{ object: 'embedding', index: 0 }],
      usage: { prompt_tokens: 2, total_tokens: 2 },
    })
    // the client asks for Base64 by itself, and reads it
    expect(one.data[0]!.embedding.map((value) => Math.round(value * 10) / 10)).toEqual([1, 0.1])
    const several = await openai.embeddings.create({
      model: 'text-embedding-3-small',
      input: ['a boat', 'a kitten'],
      encoding_format: 'float',
      user: 'somebody',
    })
    expect(several.data.map(({ index, embedding }) => [index, embedding])).toEqual([
      [0, [0.1, 1]],
      [1, [1, 0.1]],
    ])
    expect(embeddings.bodies.at(-1)).toMatchObject({
      model: 'text-embedding-3-small',
      input: ['a boat', 'a kitten'],
      user: 'somebody',
    })
    expect(embeddings.keys.at(-1)).toBe(`Bearer ${key}`)
  })

  it('come as Base64 of 32-bit floats where that is requested', async () => {
    await using parley = await open(configured)
    const response = await fetch(`${parley.workbench.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'default', input: 'a cat', encoding_format: 'base64' }),
    })
    const { data } = (await response.json()) as { data: { embedding: string }[] }
    const bytes = Buffer.from(data[0]!.embedding, 'base64')
    expect([bytes.length, bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([8, 1, Math.fround(0.1)])
  })

  it('have the dimensions that were asked for, where the model can', async () => {
    await using parley = await open(configured)
    const { data } = await parley.openai.embeddings.create({
      model: 'default',
      input: 'a cat',
      dimensions: 5,
    })
    expect(data[0]!.embedding).toHaveLength(5)
    expect(parley.embeddings.bodies.at(-1)).toMatchObject({ dimensions: 5 })
    parley.embeddings.refuse(400, 'This model has no dimensions to choose from')
    const error = await refused(
      parley.openai.embeddings.create({ model: 'default', input: 'a cat', dimensions: 6 }),
    )
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', code: 'model_bad_request' })
    expect(error.message).toContain('This model has no dimensions to choose from')
  })

  it('are those of any provider that speaks the API, by its name', async () => {
    await using parley = await open((baseUrl) => ({
      models: { providers: { local: { baseUrl } }, ollama: { host: baseUrl.replace(/\/v1$/, '') } },
    }))
    const { openai, embeddings } = parley
    for (const model of ['local/nomic', 'ollama/nomic'])
      expect((await openai.embeddings.create({ model, input: 'a cat' })).model).toBe(model)
    expect(embeddings.bodies.map(({ model }) => model)).toEqual(['nomic', 'nomic'])
    expect(embeddings.keys).toEqual([undefined, undefined])
  })

  it('are refused in the shape of OpenAI, with what is wrong', async () => {
    await using parley = await open((baseUrl) => ({
      ...configured(baseUrl),
      models: { openai: { baseUrl, apiKey: key }, anthropic: { apiKey: key } },
    }))
    const { openai, embeddings } = parley
    const create = (body: object) =>
      refused(openai.embeddings.create({ model: 'default', input: 'x', ...body } as never))
    for (const [body, param] of [
      [{ input: '' }, 'input'],
      [{ input: [] }, 'input'],
      [{ input: ['a', ''] }, 'input.1'],
      [{ input: [1, 2, 3] }, 'input'],
      [{ input: [[1, 2], [3]] }, 'input'],
      [{ input: Array.from({ length: 2_049 }, () => 'a') }, 'input'],
      [{ encoding_format: 'int8' }, 'encoding_format'],
      [{ dimensions: 0 }, 'dimensions'],
      [{ dimensions: 1.5 }, 'dimensions'],
    ] as const) {
      const error = await create(body)
      expect(error, JSON.stringify(body).slice(0, 80)).toMatchObject({
        status: 400,
        type: 'invalid_request_error',
        param,
      })
    }
    for (const model of ['nobody/x', 'demo/parley', 'some-model', 'anthropic/claude'])
      expect(await create({ model })).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    expect(await create({ model: 'ollama/nomic' })).toMatchObject({
      status: 503,
      code: 'adapter_unavailable',
    })
    expect(embeddings.asked).toEqual([])
    embeddings.refuse(429, `slow down, ${key}`)
    expect(await create({})).toMatchObject({
      status: 429,
      type: 'rate_limit_error',
      code: 'model_rate_limit',
    })
    embeddings.refuse(401, `bad key ${key}`)
    const unauthorized = await create({})
    expect(unauthorized).toMatchObject({ status: 502, type: 'server_error', code: 'model_auth' })
    expect(JSON.stringify(unauthorized)).not.toContain(key)
    await embeddings[Symbol.asyncDispose]()
    expect(await create({})).toMatchObject({ status: 502, code: 'model_network' })
    expect(parley.workbench.log.join('')).not.toContain(key)
  })

  it('have no default where none is configured, and the message says how to set one', async () => {
    await using parley = await open(() => ({}))
    const error = await refused(parley.openai.embeddings.create({ model: 'default', input: 'x' }))
    expect(error).toMatchObject({ status: 404, code: 'model_not_found' })
    expect(error.message).toContain('memory.embeddingModel')
  })
})

describe('models', () => {
  it('are listed and looked up, those of named providers too', async () => {
    await using parley = await open((baseUrl) => ({ models: { providers: { local: { baseUrl } } } }))
    const { openai, workbench } = parley
    const ids = (await Array.fromAsync(await openai.models.list())).map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(['default', 'demo/parley']))
    expect(await openai.models.retrieve('demo/parley')).toEqual({
      id: 'demo/parley',
      object: 'model',
      created: 0,
      owned_by: 'demo',
    })
    expect(await refused(openai.models.retrieve('local/nothing'))).toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
    expect(workbench.log.join('')).not.toContain(key)
  })
})
