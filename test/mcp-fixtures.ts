import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  completable,
  fromJsonSchema,
  ResourceTemplate,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const wav = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (value: string) => ({ type: 'text' as const, text: value })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const embedded = (uri: string, mimeType: string, value: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: value },
})

/** The tools, resources and prompts that the conformance suite calls by name. */
export function registerMcpFixtures(server: McpServer): void {
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } })
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  registerContentTools(server)
  registerTalkingTools(server)
  registerElicitations(server)
  registerResources(server)
  registerPrompts(server)
}

function registerContentTools(server: McpServer): void {
  const answers = {
    test_simple_text: [text('This is a simple text response for testing.')],
    test_image_content: [image],
    test_audio_content: [{ type: 'audio' as const, data: wav, mimeType: 'audio/wav' }],
    test_embedded_resource: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
    test_multiple_content_types: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ],
  }
  for (const [name, content] of Object.entries(answers))
    server.registerTool(name, { description: `A fixture: ${name}` }, () => ({ content }))
  server.registerTool('test_error_handling', { description: 'A fixture that fails' }, () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  const schema = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object' as const,
    $defs: {
      address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
    },
    properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
    additionalProperties: false,
  }
  server.registerTool(
    'json_schema_2020_12_tool',
    { description: 'Tool with JSON Schema 2020-12 features', inputSchema: fromJsonSchema(schema) },
    () => ({ content: [text('ok')] }),
  )
}

/**
 * A question goes out on the stream of the call that raises it. Without this it goes to the stream that a client opens
 * beside its calls, and is dropped without a word when that is not open yet: no client waits for it before it calls.
 */
const onStreamOf = ({ id }: ServerContext['mcpReq']) => ({ relatedRequestId: id })

// between notifications a turn of the event loop, not the 50 ms that the suite describes: it checks their number and
// order, and never when they come
function registerTalkingTools(server: McpServer): void {
  server.registerTool(
    'test_tool_with_logging',
    { description: 'A fixture that logs' },
    async ({ mcpReq }) => {
      for (const said of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        await mcpReq.log('info', said)
        await nextTurn()
      }
      return { content: [text('Logged')] }
    },
  )
  server.registerTool(
    'test_tool_with_progress',
    { description: 'A fixture that tells' },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken
      for (const progress of [0, 50, 100]) {
        if (progressToken !== undefined)
          await mcpReq.notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100 },
          })
        await nextTurn()
      }
      return { content: [text('Done')] }
    },
  )
  server.registerTool(
    'test_sampling',
    { description: 'A fixture that asks a model', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling(
        { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 },
        onStreamOf(mcpReq),
      )
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] }
    },
  )
}

type Elicited = Parameters<ServerContext['mcpReq']['elicitInput']>[0]

function registerElicitations(server: McpServer): void {
  const ask = async ({ mcpReq }: ServerContext, message: string, properties: object, required?: string[]) => {
    const requestedSchema = { type: 'object', properties, ...(required && { required }) }
    const params = { message, requestedSchema } as Elicited
    const { action, content } = await mcpReq.elicitInput(params, onStreamOf(mcpReq))
    return { content: [text(`Elicitation completed: action=${action}, content=${JSON.stringify(content)}`)] }
  }
  server.registerTool(
    'test_elicitation',
    { description: 'A fixture that asks a person', inputSchema: z.object({ message: z.string() }) },
    ({ message }, context) =>
      ask(context, message, { username: { type: 'string' }, email: { type: 'string' } }, [
        'username',
        'email',
      ]),
  )
  server.registerTool('test_elicitation_sep1034_defaults', { description: 'Defaults' }, (context) =>
    ask(context, 'Please fill in', {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    }),
  )
  const options = ['option1', 'option2', 'option3']
  const titled = (kind: string) =>
    ['First', 'Second', 'Third'].map((nth, index) => ({
      const: `value${index + 1}`,
      title: `${nth} ${kind}`,
    }))
  server.registerTool('test_elicitation_sep1330_enums', { description: 'Choices' }, (context) =>
    ask(context, 'Please choose', {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled('Option') },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
    }),
  )
}

function registerResources(server: McpServer): void {
  const about = (mimeType: string) => ({ description: 'A fixture', mimeType })
  server.registerResource('static-text', 'test://static-text', about('text/plain'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
  }))
  server.registerResource('static-binary', 'test://static-binary', about('image/png'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'image/png', blob: png }],
  }))
  server.registerResource('watched', 'test://watched-resource', about('text/plain'), ({ href: uri }) => ({
    contents: [{ uri, mimeType: 'text/plain', text: 'Watched' }],
  }))
  server.registerResource(
    'template',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    about('application/json'),
    ({ href: uri }, { id }) => ({
      contents: [
        {
          uri,
          mimeType: 'application/json',
          text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
        },
      ],
    }),
  )
}

function registerPrompts(server: McpServer): void {
  const user = <Content>(content: Content) => ({ role: 'user' as const, content })
  server.registerPrompt('test_simple_prompt', { description: 'A fixture' }, () => ({
    messages: [user(text('This is a simple prompt for testing.'))],
  }))
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'A fixture',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) => [`${value}1`, `${value}2`]),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'A fixture', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => ({
      messages: [
        user(embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'A fixture' }, () => ({
    messages: [user(image), user(text('Please analyze the image above.'))],
  }))
}
