/** Rooms whose agents speak by a script that each test sets. */
import type { Locator, Page } from 'playwright-core'
import { createClient, type ParleyClient } from '../../src/client/index.ts'
import type { ModelEvent, ModelRequest } from '../../src/core/models/adapter.ts'
import { says, type Script } from '../chat-harness.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

// the machine may have other things to do
export const soon = { timeout: 200_000 }

type Reply = (agent: string, request: ModelRequest) => (ModelEvent | Error | Promise<unknown>)[]

export interface Rooms {
  workbench: Workbench
  client: ParleyClient
  /** Says what agents answer from now on; without an argument each says hello. */
  answer(reply?: Reply): void
  /** A room with the three friends, unless others are named. */
  make(more?: object): Promise<string>
}

const greet: Reply = (agent) => says(`Hello from ${agent}.`)

export async function openRoomBench(): Promise<Rooms> {
  let reply = greet
  const script: Script = (request) => reply(agentOf(request), request)
  const workbench = await openWorkbench({ script })
  const client = createClient({ baseUrl: workbench.url })
  return {
    workbench,
    client,
    answer(next = greet) {
      reply = next
    },
    make: async (more = {}) =>
      (
        await client.sessions.create({
          title: 'A room',
          mode: 'free_chat',
          agents: ['mira', 'quill', 'pip'],
          ...more,
        })
      ).id,
  }
}

/** Who is asked: the prompt of an agent begins with who it is. */
const agentOf = ({ system }: ModelRequest) => /You are [^(,\n]*\(@([^)]+)\)/.exec(system)?.[1] ?? 'nobody'

/** An object as the schema of an answer wants it; `wish` says what to choose where there is a choice. */
export function fill(request: ModelRequest, wish: Record<string, unknown> = {}): string {
  const { properties = {} } = (request.replyFormat?.schema ?? {}) as {
    properties?: Record<string, { type?: string; enum?: string[] }>
  }
  const value = Object.entries(properties).map(([name, { type, enum: values }]) => {
    if (name in wish && (!values || values.includes(wish[name] as string))) return [name, wish[name]]
    if (values) return [name, values.find((one) => one !== 'ada' && one !== 'nobody') ?? values[0]]
    return [name, type === 'array' ? [] : type === 'boolean' ? true : 'words']
  })
  return JSON.stringify(Object.fromEntries(value))
}

export const isForm = ({ replyFormat }: ModelRequest) => replyFormat !== undefined

/** What an agent said, newest last. */
export const answersOf = (page: Page, agent: string): Locator =>
  page.locator(`[data-agent="${agent}"][data-message]`)

export const composer = (page: Page) => page.getByRole('textbox', { name: 'Message' })

export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
  await composer(page).press('Enter')
}
