import { createParley, defineTool } from 'parley'
import { z } from 'zod'

const weather = defineTool({
  name: 'weather',
  description: 'The weather in a city',
  input: z.strictObject({ city: z.string() }),
  execute: async ({ city }) => ({ city, sky: 'clear', celsius: 21 }),
})

await using parley = await createParley({ dataDir: '.parley/example', tools: [weather] })
const { id } = await parley.sessions.create()
for await (const { chunk } of parley.sessions.chat(id, 'use weather {"city": "Lisbon"}')) {
  if (chunk.type === 'tool-input-available') console.log('called', chunk.toolName, chunk.input)
  if (chunk.type === 'tool-output-available') console.log('answered', chunk.output)
}
await parley.sessions.delete(id)
