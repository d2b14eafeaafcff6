/** A page as somebody writes it with assistant-ui, served from elsewhere. Bundled and run in a browser by its test. */
// @ts-nocheck: its packages are installed by the test
import {
  ActionBarPrimitive,
  AssistantRuntimeProvider,
  ComposerPrimitive,
  makeAssistantTool,
  MessagePrimitive,
  ThreadPrimitive,
  useAuiState,
} from '@assistant-ui/react'
import { AssistantChatTransport, useChatRuntime } from '@assistant-ui/react-ai-sdk'
import { lastAssistantMessageIsCompleteWithToolCalls } from 'ai'
import { createElement as h } from 'react'
import { createRoot } from 'react-dom/client'

const api = new URLSearchParams(location.search).get('api')

const Weather = makeAssistantTool({
  toolName: 'weather',
  description: 'Tells the weather',
  parameters: { type: 'object', properties: {} },
  execute: async () => 'sun',
})

const Text = ({ text }) => text
const Fallback = ({ toolName, result }) => `[${toolName} ${JSON.stringify(result)}]`
const said = h(MessagePrimitive.Parts, { components: { Text, tools: { Fallback } } })

const UserMessage = () =>
  h(
    MessagePrimitive.Root,
    null,
    h('p', null, 'user: ', said),
    h(ActionBarPrimitive.Root, null, h(ActionBarPrimitive.Edit, null, 'Edit')),
  )
const AssistantMessage = () =>
  h(
    MessagePrimitive.Root,
    null,
    h('p', null, 'assistant: ', said),
    h(ActionBarPrimitive.Root, null, h(ActionBarPrimitive.Reload, null, 'Again')),
  )
const EditComposer = () =>
  h(
    ComposerPrimitive.Root,
    null,
    h(ComposerPrimitive.Input, { 'aria-label': 'Changed' }),
    h(ComposerPrimitive.Send, null, 'Save'),
  )
const State = () =>
  h(
    'output',
    null,
    useAuiState(({ thread }) => (thread.isRunning ? 'running' : 'ready')),
  )

function Page() {
  const runtime = useChatRuntime({
    transport: new AssistantChatTransport({ api }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  })
  return h(
    AssistantRuntimeProvider,
    { runtime },
    h(Weather),
    h(State),
    h(
      ThreadPrimitive.Root,
      null,
      h(
        ThreadPrimitive.Viewport,
        null,
        h(ThreadPrimitive.Messages, { components: { UserMessage, AssistantMessage, EditComposer } }),
        h(
          ComposerPrimitive.Root,
          null,
          h(ComposerPrimitive.Input, { 'aria-label': 'Text' }),
          h(ComposerPrimitive.Send, null, 'Send'),
          h(ComposerPrimitive.Cancel, null, 'Stop'),
        ),
      ),
    ),
  )
}

createRoot(document.getElementById('root')).render(h(Page))
