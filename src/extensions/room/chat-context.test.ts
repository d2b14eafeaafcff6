import { describe, expect, it } from 'vitest'
import { attribute } from './attribute-speakers.ts'
import {
  buildChatContext,
  buildWorkflowTaskPrompt,
  resolvePromptUserText,
  selectPromptHistory,
} from './chat-context.ts'

const agents = [
  { name: 'milk', displayName: '银渐层', nicknames: ['牛奶'] },
  { name: 'coffee', displayName: '阿比西尼亚', nicknames: ['咖啡'] },
  { name: 'billy', aliases: ['Garfield'] },
]
const said = (id: string, text: string) => ({ id, role: 'user' as const, parts: [{ type: 'text', text }] })
const answered = (id: string, agent: string, text: string) => ({
  id,
  role: 'assistant' as const,
  parts: [{ type: 'text', text }],
  metadata: { agent },
})
const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id)

describe('the text of the prompt', () => {
  it('is what was said without mentions, or what was said', () => {
    expect(resolvePromptUserText('@milk hello', 'hello')).toBe('hello')
    expect(resolvePromptUserText('@milk', ' ')).toBe('@milk')
  })
})

describe('the history of the prompt', () => {
  const messages = Array.from({ length: 23 }, (_, index) => ({ id: `msg-${index + 1}` }))

  it('is the last twenty: of 23 it starts with the fourth', () => {
    const history = selectPromptHistory(messages)
    expect(history).toHaveLength(20)
    expect(history[0]).toEqual({ id: 'msg-4' })
  })

  it.each([
    [0, 1],
    [-5, 1],
    [2.9, 2],
    [Infinity, 23],
    [Number.NaN, 20],
  ])('has as many as asked for, at least one: %d gives %d', (limit, count) => {
    expect(selectPromptHistory(messages, limit)).toHaveLength(count)
  })
})

describe('the task of a workflow', () => {
  it('is the first message, with those after it numbered', () => {
    expect(buildWorkflowTaskPrompt(['Build a counter', ' use hooks ', '', 'add tests'])).toBe(
      'Build a counter\n\nFollow-up messages from operator (chronological):\n1. use hooks\n2. add tests',
    )
    expect(buildWorkflowTaskPrompt(['Build a counter'])).toBe('Build a counter')
  })

  it('is what is said now when nothing was said before', () => {
    expect(buildWorkflowTaskPrompt([], 'Build it')).toBe('Build it')
    expect(buildWorkflowTaskPrompt([' '], 'Build it')).toBe('Build it')
  })
})

describe('all at once', () => {
  const history = [
    said('u1', 'Build a counter'),
    answered('a1', 'milk', 'Here is a counter'),
    said('u2', 'Make it pretty'),
    answered('a2', 'coffee', 'Looks good'),
  ]
  const workflow = {
    agents,
    mode: 'workflow',
    policy: 'all' as const,
    roleMap: { coder: 'milk', reviewer: 'coffee' },
    currentNode: 'reviewer',
    history,
  }

  it('asks everybody when nobody is mentioned', () => {
    const context = buildChatContext({ ...workflow, mode: 'free_chat', text: '你们好' })
    expect(context.targets).toEqual(['milk', 'coffee', 'billy'])
    expect(context.promptUserText).toBe('你们好')
  })

  it('asks those who are mentioned, by nickname and alias', () => {
    const context = buildChatContext({ ...workflow, mode: 'free_chat', text: '@牛奶 @Garfield look at this' })
    expect(context).toMatchObject({
      mentions: ['milk', 'billy'],
      targets: ['milk', 'billy'],
      cleanText: 'look at this',
      promptUserText: 'look at this',
    })
  })

  it('asks who does the node of a workflow, and who is mentioned goes before', () => {
    expect(buildChatContext({ ...workflow, text: 'Go on' }).targets).toEqual(['coffee'])
    const side = buildChatContext({ ...workflow, text: '@billy why?' })
    expect(side.targets).toEqual(['billy'])
    expect(side.routing.reason).toBe('mention')
  })

  it('makes the task of what people said, and has no replies in it', () => {
    const { workflowTaskPrompt } = buildChatContext({ ...workflow, text: 'Add tests' })
    expect(workflowTaskPrompt).toBe(
      'Build a counter\n\nFollow-up messages from operator (chronological):\n1. Make it pretty\n2. Add tests',
    )
  })

  it('has the input once, also where the history ends with it', () => {
    const stored = [...history, said('u3', '@milk Add tests')]
    const context = buildChatContext({ ...workflow, history: stored, text: '@milk Add tests' })
    expect(idsOf(context.promptHistory)).toEqual(['u1', 'a1', 'u2', 'a2'])
    expect(context.workflowTaskPrompt.match(/Add tests/g)).toHaveLength(1)
    expect(context).toEqual(buildChatContext({ ...workflow, text: '@milk Add tests' }))
  })

  it('leaves e-mail addresses and unknown words in what agents are told', () => {
    const { promptUserText } = buildChatContext({
      ...workflow,
      text: '@milk write to a@b.com about @decorators',
    })
    expect(promptUserText).toBe('write to a@b.com about @decorators')
    expect(attribute('operator', promptUserText)).toContain('a@b.com about @decorators')
  })
})
