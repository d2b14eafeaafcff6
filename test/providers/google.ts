import { split, type Wire, type WireReply } from './provider-server.ts'

/** Gemini's streamGenerateContent with `alt=sse`. A function call always comes whole. */
export const googleGenerate: Wire = {
  path: /^\/v1beta\/models\/[^/]+:streamGenerateContent\?alt=sse$/,
  frames(reply) {
    const parts = partsOf(reply)
    return [
      ...parts.map((part) => frame({ candidates: [candidate([part])] })),
      frame({
        candidates: [{ ...candidate([{ text: '' }]), finishReason: finishReason(reply) }],
        ...(reply.usage && { usageMetadata: usageMetadata(reply.usage) }),
      }),
    ]
  },
  errorFrame: (error) => frame({ error: toError(error) }),
  errorBody: (error) => JSON.stringify({ error: toError(error) }),
}

const frame = (value: object) =>
  `data: ${JSON.stringify({ ...value, modelVersion: 'test-model', responseId: 'res_1' })}\r\n\r\n`

const candidate = (parts: object[]) => ({ content: { parts, role: 'model' }, index: 0 })

const toError = ({ type, message, status = 500 }: { type: string; message: string; status?: number }) => ({
  code: status,
  message,
  status: type,
})

function partsOf({ chunks = 3, reasoning = '', signature, text = '', toolCalls = [] }: WireReply): object[] {
  return [
    ...split(reasoning, chunks).map((piece) => ({ text: piece, thought: true })),
    ...split(text, chunks).map((piece) => ({ text: piece })),
    ...toolCalls.map(({ id, name, input }, index) => ({
      functionCall: { id, name, args: toArgs(input) },
      // only the first of parallel calls is signed
      ...(signature && index === 0 && { thoughtSignature: signature }),
    })),
  ]
}

function toArgs(input: string): unknown {
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

function finishReason({ finish }: WireReply): string {
  if (finish === 'length') return 'MAX_TOKENS'
  return finish === 'content-filter' || finish === 'refusal' ? 'SAFETY' : 'STOP'
}

const usageMetadata = (usage: NonNullable<WireReply['usage']>) => ({
  promptTokenCount: usage.input,
  candidatesTokenCount: usage.output - (usage.reasoning ?? 0),
  thoughtsTokenCount: usage.reasoning ?? 0,
  cachedContentTokenCount: usage.cacheRead ?? 0,
  totalTokenCount: usage.input + usage.output,
})
