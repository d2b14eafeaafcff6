import { expect, it } from 'vitest'
import type { ModelMessage } from './adapter.ts'
import { writeChatMessages } from './chat-messages.ts'
import { createFaults } from './provider-faults.ts'

const convert = (...messages: ModelMessage[]) =>
  JSON.parse(
    writeChatMessages(createFaults('x/m'), { system: '', messages, tools: [], cacheKey: 'k' }),
  ) as object[]

it('sends reasoning back in the field it came in, and none that came from elsewhere', () => {
  const reasoning = (field?: string) => ({
    type: 'reasoning' as const,
    text: 'hm',
    ...(field && { providerMetadata: { chatCompletions: { field } } }),
  })
  const text = { type: 'text' as const, text: 'yes' }
  expect(
    convert({ role: 'assistant', content: [reasoning('reasoning'), reasoning('reasoning'), text] }),
  ).toEqual([{ role: 'assistant', content: 'yes', reasoning: 'hmhm' }])
  expect(convert({ role: 'assistant', content: [reasoning(), text] })).toEqual([
    { role: 'assistant', content: 'yes' },
  ])
})

it('sends back what a server attached to a call', () => {
  const extra = { google: { thought_signature: 's' } }
  const [message] = convert({
    role: 'assistant',
    content: [
      {
        type: 'tool-call',
        toolCallId: 'a',
        toolName: 't',
        input: {},
        providerMetadata: { chatCompletions: { extra } },
      },
    ],
  })
  expect(message).toMatchObject({ content: null, tool_calls: [{ id: 'a', extra_content: extra }] })
})

it('carries files as far as the format does', () => {
  const file = (mediaType: string, url: string) => ({ type: 'file' as const, mediaType, url, filename: 'f' })
  const [message] = convert({
    role: 'user',
    content: [
      file('image/png', 'https://example.com/a.png'),
      file('audio/wav', 'data:audio/wav;base64,AAAA'),
      file('application/pdf', 'data:application/pdf;base64,BBBB'),
    ],
  })
  expect(message).toEqual({
    role: 'user',
    content: [
      { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
      { type: 'file', file: { filename: 'f', file_data: 'data:application/pdf;base64,BBBB' } },
    ],
  })
  expect(() =>
    convert({ role: 'user', content: [file('application/pdf', 'https://example.com/a.pdf')] }),
  ).toThrow(/does not take this: f, a file of type application\/pdf by its address/)
})

it('writes a message that is sent again as it was, whatever stands beside it', () => {
  const message: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'a "quoted" word' }] }
  const nothing: ModelMessage = { role: 'tool', content: [] }
  const expected = { role: 'user', content: 'a "quoted" word' }
  expect(convert(message)).toEqual([expected])
  expect(convert(nothing, message, nothing, message)).toEqual([expected, expected])
})
