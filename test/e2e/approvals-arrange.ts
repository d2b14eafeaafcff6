import type { Page } from 'playwright-core'
import type { ModelRequest } from '../../src/core/models/adapter.ts'
import type { Approval } from '../../src/core/protocol/approval.ts'
import { calls, says, type Script } from '../chat-harness.ts'
import { createPaint } from '../paint-tool.ts'
import { expectSoon, lastWords } from './composer-arrange.ts'
import { openWorkbench, type Workbench, type WorkbenchOptions } from './workbench.ts'

const lastResult = ({ messages }: ModelRequest) => {
  const content = messages.findLast(({ role }) => role === 'tool')?.content as
    | { output: string }[]
    | undefined
  return content?.map(({ output }) => output).join('\n') ?? 'nothing'
}

/** Told to paint something it does, and then says what came of it. */
const script: Script = (request) => {
  const [, path] = /paint (\S+)/.exec(lastWords(request)) ?? []
  if (path === undefined) return says('Hello.')
  return request.messages.at(-1)?.role === 'tool' ? says(lastResult(request)) : calls(['paint', { path }])
}

export interface ApprovalsWorkbench extends Workbench {
  painted: { path: string; colour?: string }[]
  /** A session in which a wall is asked for. */
  ask(title: string, path?: string): Promise<{ id: string; approval: Approval }>
  /** A task of the session that asks. */
  askInTask(parentId: string, label: string): Promise<Approval>
}

export async function openApprovalsWorkbench(options: WorkbenchOptions = {}): Promise<ApprovalsWorkbench> {
  const { tool, painted } = createPaint()
  const workbench = await openWorkbench({ script, tools: [tool], ...options })
  const pendingIn = async (sessionId: string) => {
    const find = async () => {
      const { items } = await workbench.parley.approvals.list()
      return items.find((approval) => approval.sessionId === sessionId)
    }
    await expectSoon(find).toBeDefined()
    return (await find())!
  }
  return Object.assign(workbench, {
    painted,
    async ask(title: string, path = 'wall') {
      const { id } = await workbench.parley.sessions.create({ title })
      await workbench.parley.sessions.send(id, `paint ${path}`)
      return { id, approval: await pendingIn(id) }
    },
    async askInTask(parentSessionId: string, label: string) {
      const { id } = await workbench.parley.sessions.create({
        kind: 'background',
        prompt: 'paint wall',
        label,
        parentSessionId,
      })
      return pendingIn(id)
    },
  })
}

export const cardOf = (page: Page, state: string) => page.locator(`[data-tool-state="${state}"]`)
export const buttonsOf = (page: Page) => page.getByRole('group', { name: 'Answer to paint' })
export const press = (page: Page, name: string) =>
  buttonsOf(page).getByRole('button', { name, exact: true }).click()

export const answerOf = (page: Page) => page.locator('article[data-role="assistant"]').last()
