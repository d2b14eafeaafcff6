import type { ContentBlock } from '@modelcontextprotocol/client'
import type { CallResult } from './connection.ts'

/** What the model gets to see: text as it is, and of everything else that it was there. */
export function readResult({ content, structuredContent, isError }: CallResult): string {
  const text =
    content.length > 0 ? content.map(describe).join('\n') : JSON.stringify(structuredContent ?? null)
  if (isError) throw new Error(text || 'The tool failed and did not say why.')
  return text
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}: ${block.mimeType}, ${bytesOf(block.data)} bytes]`
    case 'resource_link':
      return `[resource: ${block.uri}${block.description ? `, ${block.description}` : ''}]`
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[resource: ${block.resource.uri}, ${block.resource.mimeType ?? 'unknown type'}, ${bytesOf(block.resource.blob)} bytes]`
  }
}

const bytesOf = (base64: string) => Math.floor((base64.length * 3) / 4)
