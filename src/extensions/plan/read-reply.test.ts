import { describe, expect, it } from 'vitest'
import { readReply, type Reply } from './read-reply.ts'

const action = { kind: 'task_operation', name: 'create_task', parameters: { name: '写报告' } }
const given = { llm_reply: { message: 'I add it {so}.' }, actions: [action] }
const text = JSON.stringify(given)
const reply: Reply = {
  llm_reply: given.llm_reply,
  actions: [{ ...action, kind: 'task_operation', blocking: true, order: 1, metadata: {} }],
}

const problemOf = (answer: string): string => {
  const read = readReply(answer)
  return 'problem' in read ? read.problem : `none: ${JSON.stringify(read.reply)}`
}
const withAction = (fields: object) => JSON.stringify({ ...given, actions: [{ ...action, ...fields }] })

describe('a reply', () => {
  it.each<[string, string]>([
    ['as it is', text],
    ['over many lines', JSON.stringify(given, null, 2)],
    ['after a byte order mark', `\uFEFF${text}`],
    ['in a fence', `\`\`\`json\n${text}\n\`\`\``],
    ['in a fence without an end', `\`\`\`\n${text}`],
    ['in a fence on one line', `\`\`\`json ${text} \`\`\``],
    ['between words', `Here you are:\n${text}\nIs that all right?`],
    ['between words and fences', `Sure.\n\n\`\`\`json\n${text}\n\`\`\`\n\nDone {really}.`],
    ['after words with braces', `I use {name} and {id: 3}, {} and {"a": 1}. ${text}`],
    ['after another fence', `\`\`\`js\nconst a = { b: 1 }\n\`\`\`\n\`\`\`json\n${text}\n\`\`\``],
    ['twice the same', `${text}\n${JSON.stringify(given, null, 1)}`],
    ['with a brace too many', `${text}}`],
    ['as the text of a text', JSON.stringify(text)],
    ['as the text of a text with a fence', JSON.stringify(`\`\`\`json\n${text}\n\`\`\``)],
    ['as the only item of a list', `[${text}]`],
    ['with commas too many', text.replace(']}', ',],}').replace('}}', ',},}')],
    ['in single quotes', text.replaceAll('"', "'")],
    ['in typographic quotes', text.replace(/"([^"]*)"/g, '“$1”')],
    ['with bare names', text.replace(/"(\w+)":/g, '$1:')],
    ['with comments', text.replace('{', '{ // the words\n/* and more */').replace('[', '[/**/')],
  ])('is read %s', (_, answer) => {
    expect(readReply(answer)).toEqual({ reply })
  })

  it('may hold line ends, words of Python and other escapes', () => {
    const loose = `{'llm_reply': {'message': 'It\\'s\none "line"\\u4e2d\\/'}, 'actions': [
      {'kind': 'task_operation', 'name': 'x', 'parameters': {'a': True, 'b': False, 'c': None, 'd': -1.5e2}},]}`
    expect(readReply(loose)).toMatchObject({
      reply: {
        llm_reply: { message: 'It\'s\none "line"中/' },
        actions: [{ parameters: { a: true, b: false, c: null, d: -150 } }],
      },
    })
  })

  it('keeps what it holds to the letter when it is JSON, fences and braces included', () => {
    const message =
      '```json\n{"llm_reply": {"message": "no"}, "actions": []}\n``` {a: 1} // b\n\'q\' “t” \\u0041'
    const metadata = { constructor: 'x', toString: 1, '': [null, -0.5, 1e21], 'a.b': { hasOwnProperty: {} } }
    const whole = { ...reply, llm_reply: { message }, actions: [{ ...reply.actions[0]!, metadata }] }
    expect(readReply(JSON.stringify(whole))).toEqual({ reply: whole })
    expect(readReply(`Words. ${JSON.stringify(whole)}`)).toEqual({ reply: whole })
  })

  it('may leave out what has a default, or say null', () => {
    for (const fields of [{}, { parameters: null, blocking: null, order: null, metadata: null }]) {
      const read = readReply(withAction({ parameters: undefined, ...fields }))
      expect(read).toMatchObject({
        reply: { actions: [{ parameters: {}, metadata: {}, blocking: true, order: 1 }] },
      })
    }
    for (const actions of [undefined, null])
      expect(readReply(JSON.stringify({ ...given, actions }))).toMatchObject({ reply: { actions: [] } })
    expect(readReply(withAction({ retry_policy: null }))).toMatchObject({
      reply: { actions: [{ retry_policy: null }] },
    })
  })

  it('takes an order as digits, and does what has the lower one first', () => {
    const actions = ['10', 2, '3', 2].map((order, index) => ({ ...action, order, metadata: { index } }))
    const read = readReply(JSON.stringify({ ...given, actions })) as { reply: Reply }
    expect(read.reply.actions.map(({ order, metadata }) => [order, metadata.index])).toEqual([
      [2, 1],
      [2, 3],
      [3, 2],
      [10, 0],
    ])
  })
})

describe('no reply', () => {
  it.each<[string, string, RegExp]>([
    ['words', 'I shall do that.', /no JSON object/],
    ['nothing', '', /no JSON object/],
    ['a list', '[1, 2]', /no JSON object/],
    ['a number', '5', /no JSON object/],
    ['a text in a text in a text', JSON.stringify(JSON.stringify(text)), /no JSON/],
    ['another object', '{"a": 1}', /"llm_reply".*unknown key "a"/],
    ['a reply in another object', JSON.stringify({ example: given }), /unknown key "example"/],
    ['two that differ', `${text}\n${text.replace('add', 'delete')}`, /2 different replies/],
    ['a list of two that differ', `[${text}, ${text.replace('add', 'delete')}]`, /2 different replies/],
    ['a broken one before another', `${text.replace(':', '')} ${text}`, /no JSON: expected ":"/],
    ['a missing comma', text.replace(',', ' '), /expected "}" or ","/],
    ['a quote within', text.replace('{so}', '"so"'), /expected "}" or "," at "so/],
    ['NaN', text.replace('"写报告"', 'NaN'), /expected a value at "NaN/],
    ['an unknown escape', text.replace('写', '\\d'), /known escape/],
    ['a number of another kind', text.replace('"写报告"', '0x1F'), /expected a value at "0x1F/],
    ['too long', `${text}${' '.repeat(1_000_000)}`, /more than 1000000 characters/],
    ['NUL', withAction({ parameters: { a: 'x\0' } }), /"actions.0.parameters.a" holds a NUL/],
    ['half a character', withAction({ parameters: { '\ud800': 1 } }), /half of a surrogate pair/],
    ['half a character in the words', `{"llm_reply":{"message":"\ud800"}}`, /surrogate/],
    ['a prototype', '{"llm_reply":{"message":"x"},"__proto__":{}}', /__proto__/],
    ['a number without end', withAction({}).replace('{"name"', '{"n":1e999,"name"'), /too large/],
    [
      'no end of levels',
      withAction({}).replace('"写报告"', '['.repeat(70) + ']'.repeat(70)),
      /nested too deep/,
    ],
    [
      'too many actions',
      JSON.stringify({ ...given, actions: Array.from({ length: 51 }, () => action) }),
      /51 actions; at most 50/,
    ],
    ['an order that is none', withAction({ order: '1.5' }), /"actions.0.order": expected number/],
    ['an order of zero', withAction({ order: 0 }), /"actions.0.order"/],
    ['an unknown kind', withAction({ kind: 'shell' }), /expected "plan_operation".*got "shell"/],
    ['a field too many', withAction({ priority: 1 }), /unknown key "priority"/],
    [
      'words that are none',
      '{"llm_reply": "Hello", "actions": []}',
      /"llm_reply": expected object; got "Hello"/,
    ],
  ])('is %s', (_, answer, problem) => {
    expect(problemOf(answer)).toMatch(problem)
  })

  it('is one that breaks off, wherever it does: half a number is another number', () => {
    const long = JSON.stringify({ ...given, actions: [{ ...action, parameters: { task_id: 1234 } }] })
    for (const written of [long, long.replaceAll('"', "'")])
      for (let length = 0; length < written.length; length++)
        expect(problemOf(written.slice(0, length)), written.slice(0, length)).toMatch(
          length === 0 ? /no JSON object/ : /breaks off/,
        )
  })

  it('has a problem that is short', () => {
    const keys = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [`${'k'.repeat(500)}${index}`, 1]),
    )
    const problem = problemOf(
      JSON.stringify({ ...given, actions: Array.from({ length: 50 }, () => ({ ...action, ...keys })) }),
    )
    expect(problem.length).toBeLessThan(2_000)
    expect(problem).toMatch(/unknown keys/)
  })
})
