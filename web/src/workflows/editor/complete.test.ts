import { describe, expect, it } from 'vitest'
import { cursorPlace } from './cursor-place.ts'
import { argNames, nameOptions } from './names.ts'
import { keyOptions, valueOptions, type Schema } from './schema-options.ts'

/** The cursor is where the bar is. */
const placeIn = (text: string) => cursorPlace(text.replace('|>', ''), text.indexOf('|>'))

const steps: Schema = { type: 'array', items: { $ref: '#/$defs/step' } }
const schema: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'What it is called' },
    config: { type: 'object', properties: { errorStrategy: { enum: ['fail_fast', 'continue'] } } },
    args: { type: 'object', additionalProperties: { properties: { type: { enum: ['string', 'number'] } } } },
    steps,
  },
  required: ['name'],
  $defs: {
    step: {
      oneOf: [
        {
          properties: {
            id: { type: 'string' },
            type: { const: 'agent' },
            prompt: { type: 'string' },
            sessionConfig: { type: 'object', properties: { thinking: { type: 'boolean' } } },
          },
          required: ['type', 'prompt'],
        },
        {
          properties: {
            id: { type: 'string' },
            type: { const: 'loop' },
            until: { type: 'string' },
            steps,
          },
        },
      ],
    },
  },
}
const keysIn = (text: string) => keyOptions(schema, placeIn(text)).map(({ label }) => label)
const valuesIn = (text: string) => valueOptions(schema, placeIn(text)).map(({ label }) => label)

describe('the place of a cursor', () => {
  it.each([
    ['|>', [], undefined],
    ['name: a\nco|>', [], undefined],
    ['config:\n  |>', ['config'], undefined],
    ['config:\n  errorStrategy: |>', ['config'], 'errorStrategy'],
    ['steps:\n  - |>', ['steps', 0], undefined],
    ['steps:\n  - id: a\n    |>', ['steps', 0], undefined],
    ['steps:\n  - id: a\n    type: agent\n  - id: b\n    ty|>', ['steps', 1], undefined],
    ['steps:\n- id: a\n- id: b\n  type: |>', ['steps', 1], 'type'],
    ['steps:\n  - id: a\n    sessionConfig:\n      |>', ['steps', 0, 'sessionConfig'], undefined],
    ['steps:\n  - type: loop\n    steps:\n      - id: b\n        |>', ['steps', 0, 'steps', 0], undefined],
    ['args:\n  topic:\n    type: |>', ['args', 'topic'], 'type'],
  ])('%j is %j, %j', (text, path, key) => {
    const place = placeIn(text)
    expect(place.path).toEqual(path)
    expect(place.key).toBe(key)
    expect(place.isText).toBe(false)
  })

  it('is in a text below a key with a bar, and no more after it', () => {
    expect(placeIn('steps:\n  - prompt: |\n      Hello |>').isText).toBe(true)
    expect(placeIn('steps:\n  - prompt: |\n      Hello\n    |>').isText).toBe(false)
  })
})

describe('completion', () => {
  it('offers the keys of the place that are not there yet', () => {
    expect(keysIn('name: a\n|>')).toEqual(['config', 'args', 'steps'])
    expect(keysIn('|>\nname: a\n')).toEqual(['config', 'args', 'steps'])
    expect(keysIn('config:\n  |>')).toEqual(['errorStrategy'])
  })

  it('offers those of the type of the step alone, also further in', () => {
    expect(keysIn('steps:\n  - type: loop\n    |>')).toEqual(['id', 'until', 'steps'])
    expect(keysIn('steps:\n  - type: loop\n    steps:\n      - type: agent\n        |>')).toEqual([
      'id',
      'prompt',
      'sessionConfig',
    ])
    expect(keysIn('steps:\n  - |>')).toEqual(['id', 'type', 'prompt', 'sessionConfig', 'until', 'steps'])
  })

  it('offers the values of a key', () => {
    expect(valuesIn('config:\n  errorStrategy: |>')).toEqual(['fail_fast', 'continue'])
    expect(valuesIn('steps:\n  - type: |>')).toEqual(['agent', 'loop'])
    expect(valuesIn('steps:\n  - sessionConfig:\n      thinking: |>')).toEqual(['true', 'false'])
    expect(valuesIn('args:\n  topic:\n    type: |>')).toEqual(['string', 'number'])
    expect(valuesIn('name: |>')).toEqual([])
  })

  it('says which keys must be there', () => {
    const required = keyOptions(schema, placeIn('steps:\n  - type: agent\n    |>'))
    expect(required.filter(({ isRequired }) => isRequired).map(({ label }) => label)).toEqual(['prompt'])
  })
})

describe('names', () => {
  const text = `name: demo
args:
  topic:
    type: string
  words: { type: number }
steps:
  - id: plan
    type: agent
    prompt: About $
  - id: later
    type: agent
`
  it('are those of the args and of earlier steps', () => {
    const offset = text.indexOf('About $') + 7
    const labels = nameOptions(text, offset).map(({ label }) => label)
    expect(labels).toContain('$args.topic')
    expect(labels).toContain('$args.words')
    expect(labels).not.toContain('$plan.output')
    const after = nameOptions(text, text.length).map(({ label }) => label)
    expect(after).toContain('$plan.output')
    expect(after).not.toContain('$later.output')
  })

  it('are read from args on one line too', () => {
    expect(argNames('args: { a: { type: string }, b: {} }\n')).toEqual(['a', 'b'])
    expect(argNames('name: x\n')).toEqual([])
  })
})
