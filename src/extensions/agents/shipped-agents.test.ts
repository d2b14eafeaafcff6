import { expect, it } from 'vitest'
import { agentSchema } from './protocol/agent.ts'
import { keepFreeWords } from './agent-names.ts'
import { shippedAgents } from './shipped-agents.ts'

it('are what they may be, and share no word', () => {
  expect(shippedAgents.map(({ name }) => name)).toEqual([
    'mira',
    'quill',
    'pip',
    'coder',
    'reviewer',
    'tester',
  ])
  for (const agent of shippedAgents) expect(agentSchema.parse(agent)).toEqual(agent)
  expect(keepFreeWords(shippedAgents)).toEqual({ agents: shippedAgents, taken: [] })
})

it.each(shippedAgents)(
  '$name has a face, goes by a word in both scripts, and speaks as it is spoken to',
  (agent) => {
    const { nicknames = [], avatar, persona, description } = agent
    expect(nicknames.some((word) => /\p{Script=Han}/u.test(word))).toBe(true)
    expect(nicknames.some((word) => /^[a-z]+$/.test(word))).toBe(true)
    expect(avatar).toMatch(/\p{Extended_Pictographic}/u)
    expect(description).toBeTruthy()
    expect(persona).toContain('the language of whoever speaks to you')
  },
)

it.each(shippedAgents)('$name can be seen on a light and on a dark page', ({ color = '' }) => {
  for (const page of ['#ffffff', '#1b1c22']) expect(contrast(color, page)).toBeGreaterThan(3)
})

it.each(['reviewer', 'tester'])('%s can look at files, and change nothing', (name) => {
  const agent = shippedAgents.find((one) => one.name === name)
  expect(agent).toMatchObject({ readOnly: true, tools: expect.arrayContaining(['file']) as string[] })
})

/** As WCAG 2 counts it. */
function contrast(one: string, two: string): number {
  const [light, dark] = [luminance(one), luminance(two)].sort((a, b) => b - a)
  return (light! + 0.05) / (dark! + 0.05)
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
