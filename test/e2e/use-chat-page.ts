/** A page as somebody writes it with `useChat`, served from elsewhere. Bundled and run in a browser by its test. */
import { useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type UIMessage,
} from 'ai'
import { createElement as h, useState } from 'react'
import { createRoot } from 'react-dom/client'

const query = new URLSearchParams(location.search)
const transport = new DefaultChatTransport<UIMessage>({
  api: query.get('api')!,
  body: {
    tools: [
      { name: 'weather', description: 'Tells the weather', inputSchema: { type: 'object', properties: {} } },
    ],
  },
})
const key = `messages of ${query.get('id')}`

function Page() {
  const [text, setText] = useState('')
  const [files, setFiles] = useState<FileList>()
  const chat = useChat({
    id: query.get('id')!,
    transport,
    resume: query.has('resume'),
    messages: JSON.parse(sessionStorage.getItem(key) ?? '[]') as UIMessage[],
    sendAutomaticallyWhen: (given) =>
      lastAssistantMessageIsCompleteWithToolCalls(given) ||
      lastAssistantMessageIsCompleteWithApprovalResponses(given),
    onToolCall({ toolCall }) {
      if (toolCall.dynamic) return
      void chat.addToolResult({ tool: 'weather', toolCallId: toolCall.toolCallId, output: 'sun' })
    },
  })
  // what a page of its own would have stored
  const users = chat.messages.filter(({ role }) => role === 'user')
  sessionStorage.setItem(key, JSON.stringify(users))
  const button = (name: string, onClick: () => unknown) =>
    h('button', { type: 'button', key: name, onClick: () => void onClick() }, name)
  const said = text === '' ? {} : { text }
  return h(
    'main',
    null,
    chat.messages.map((message) =>
      h(
        'p',
        { key: message.id },
        `${message.role}: `,
        ...message.parts.map((part, index) => {
          if (part.type === 'text') return part.text
          if (part.type === 'file') return h('img', { key: index, src: part.url, alt: part.filename })
          if (part.type === 'tool-weather') return `[${part.type} ${part.state}]`
          if (part.type !== 'dynamic-tool') return ''
          if (part.state !== 'approval-requested') return `[${part.toolName} ${part.state}]`
          const { id } = part.approval
          return [
            button('Yes', () => chat.addToolApprovalResponse({ id, approved: true })),
            button('No', () => chat.addToolApprovalResponse({ id, approved: false })),
          ]
        }),
      ),
    ),
    h('output', null, chat.error ? `error: ${chat.error.message}` : chat.status),
    h('input', {
      'aria-label': 'Text',
      value: text,
      onChange: (event: { target: HTMLInputElement }) => setText(event.target.value),
    }),
    h('input', {
      'aria-label': 'Files',
      type: 'file',
      onChange: (event: { target: HTMLInputElement }) => setFiles(event.target.files ?? undefined),
    }),
    button('Send', () => chat.sendMessage({ text, ...(files && { files }) })),
    button('Edit', () => chat.sendMessage({ text, ...said, messageId: users.at(-1)!.id })),
    button('Again', () => chat.regenerate()),
    button('Stop', () => chat.stop()),
  )
}

createRoot(document.getElementById('root')!).render(h(Page))
