import { expect, it } from 'vitest'
import { allSteps } from './blocks.ts'
import { DefinitionDocument } from './edit-yaml.ts'
import { parseDefinition, requireDefinition } from './parse-definition.ts'
import { shippedDefinitions } from './shipped-definitions.ts'

const shipped = shippedDefinitions()
const named = (name: string) => requireDefinition(shipped.find((one) => one.name === name)!.text)

it('ships four definitions', () => {
  expect(shipped.map(({ name }) => name)).toEqual([
    'approve-then-publish',
    'coder-reviewer-tester',
    'daily-digest',
    'research-write-review',
  ])
})

it.each(shipped)(
  '$name reads without a problem, describes its args, and stays as it is written',
  ({ text }) => {
    expect(parseDefinition(text)).not.toHaveProperty('problems')
    const { description, args, steps } = requireDefinition(text)
    expect(description).toBeTruthy()
    for (const [name, arg] of Object.entries(args ?? {})) expect(arg.description, name).toBeTruthy()
    for (const { step } of allSteps(steps)) expect(step.id).not.toMatch(/^step_\d+$/)
    expect(new DefinitionDocument(text).toString()).toBe(text)
  },
)

it('hands the must-fix lists to the next round, and stops when they repeat', () => {
  const loop = named('coder-reviewer-tester').steps.find(({ type }) => type === 'loop')
  expect(loop).toMatchObject({
    maxIterations: 5,
    stopWhenRepeated: expect.stringContaining('$test.data.mustFix'),
    steps: [
      { id: 'code', input: { mustFixFromReview: '$review.data.mustFix' } },
      {
        id: 'review',
        sessionConfig: { outputSchema: { required: ['verdict', 'mustFix'] } },
      },
      {
        id: 'test',
        sessionConfig: { outputSchema: { properties: { verdict: { enum: ['pass', 'fail'] } } } },
      },
    ],
  })
})

it('makes the digest at half past seven, and asks before it publishes', () => {
  expect(named('daily-digest').triggers).toEqual([
    { type: 'cron', schedule: '30 7 * * *', timezone: 'Europe/Berlin' },
  ])
  const { steps } = named('approve-then-publish')
  const ids = allSteps(steps).map(({ step }) => step.id)
  expect(ids.indexOf('publish')).toBeGreaterThan(ids.indexOf('secondLook'))
  expect(
    steps.flatMap(({ id, linkedActions = [] }) => linkedActions.map(({ type }) => `${id} ${type}`)),
  ).toEqual(['publish create_document', 'publish notify'])
})
