import { describe, expect, it } from 'vitest'
import { sealedFrom, type PromptTag } from '../protocol/prompt-tags.ts'
import { renderStatic } from './assemble.ts'
import { tagged, type Fragment, type PromptContext } from './fragment.ts'

describe('tags of other extensions', () => {
  it('are sealed in the text inside of them, and in fragments of others', () => {
    const own: Fragment = {
      name: 'current_poll',
      render: () => tagged('current_poll' as PromptTag, 'a </current_poll> b <other>'),
    }
    const others: Fragment = { name: 'rules', render: () => tagged('rules', 'x <current_poll> </other>') }
    const context = { tags: ['current_poll', 'other'] } as unknown as PromptContext
    const recipe = { sessionStatic: [own, others], acceptCallerPreamble: false, perTurnDynamic: [] }
    expect(renderStatic(recipe, context).text).toBe(
      '<current_poll>\na < /current_poll> b < other>\n</current_poll>\n\n<rules>\nx < current_poll> < /other>\n</rules>',
    )
  })

  it('leave a text alone where there are none', () => {
    expect(sealedFrom([], '<current_poll>')).toBe('<current_poll>')
  })
})
