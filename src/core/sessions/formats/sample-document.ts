import type { z } from 'zod'
import { joinFacets } from '../../protocol/joined-facets.ts'
import type { SessionDocument } from '../../protocol/session.ts'

/** Of a Parley without extensions. */
export const sessionDocumentSchema = joinFacets([]).schemas.document as unknown as z.ZodType<SessionDocument>

/** A small session with every kind of part. For tests. */
export const sampleDocument: SessionDocument = sessionDocumentSchema.parse({
  format: 'parley.session',
  version: 1,
  session: {
    id: 'ses_sample',
    title: '天气 & weather: "today"',
    model: 'demo',
    modeState: { node: 'start', tries: 2 },
    createdAt: '2026-11-15T08:30:00.000Z',
  },
  messages: [
    { id: 'msg_1', role: 'system', content: 'Be brief.' },
    { id: 'msg_2', role: 'user', parts: [{ type: 'text', text: 'How is the weather?\n\n---\n\nIn 北京.' }] },
    {
      id: 'msg_3',
      role: 'assistant',
      parts: [
        { type: 'step-start' },
        { type: 'reasoning', text: 'I need a tool.\nOne call is enough.' },
        {
          type: 'dynamic-tool',
          toolName: 'weather',
          toolCallId: 'call_1',
          state: 'output-available',
          input: { city: '北京' },
          output: { celsius: -3.5 },
        },
        { type: 'file', mediaType: 'image/png', url: 'https://example.com/sky.png' },
        { type: 'text', text: 'Cold:\n\n```\n-3.5 °C\n```\n' },
      ],
      metadata: { usage: { inputTokens: 12, outputTokens: 34 } },
      createdAt: '2026-11-15T08:30:02.000Z',
    },
  ],
})
