import { describe, expect, it } from 'vitest'
import { ownWords, quotes, sentencesAround } from './turn-words.ts'

const message = (text: string) => ({ parts: [{ type: 'text', text }] })

describe('the own words of a person', () => {
  it.each([
    ['Hello', 'Hello'],
    ['Look:\n```\nremember me\n```\nThanks', 'Look:\n\nThanks'],
    ['Look:\n~~~js\nremember me\n~~~\nThanks', 'Look:\n\nThanks'],
    ['Look:\n```\nremember me', 'Look:'],
    ['```\na ``` b\n```\nafter', 'after'],
    ['> remember me\nNo.\n   > nor me', 'No.'],
    ['5 > 3, and I like `code`', '5 > 3, and I like `code`'],
  ])('of %j are %j', (text, own) => {
    expect(ownWords(message(text))).toBe(own)
  })

  it('have nothing of files, tools and tasks', () => {
    const parts = [
      { type: 'file', mediaType: 'text/plain', url: 'data:,remember', filename: 'remember' },
      { type: 'dynamic-tool', toolCallId: '1', output: 'remember' },
      { type: 'data-task-result', data: { output: 'remember' } },
      { type: 'data-steer', data: { parts: [{ type: 'text', text: 'remember' }] } },
      { type: 'reasoning', text: 'remember' },
    ]
    expect(ownWords({ parts })).toBe('')
  })
})

describe('a passage', () => {
  it.each([
    ['I live in Paris', 'live  in\nPARIS', true],
    ['It’s “fine”', 'it\'s "fine"', true],
    ['我住在里斯本', '里斯本', true],
    ['Ｆｕｌｌ width', 'full width', true],
    ['I live in Paris', 'I live in Rome', false],
    ['I live in Paris', 'live Paris', false],
    ['I live in Paris', 'P', false],
    ['I live in Paris', '  ', false],
  ])('of %j: %j is there: %s', (text, passage, isThere) => {
    expect(quotes(text, passage)).toBe(isThere)
  })

  it.each([
    ['Hello. Do not send mail to Bob! Bye.', 'send mail to Bob', 'Do not send mail to Bob!'],
    ['One. Two three. Four.', 'three. four', 'Two three. Four.'],
    ['你好。不要告诉鲍勃。再见', '告诉鲍勃', '不要告诉鲍勃。'],
    ['nothing', 'of the kind', undefined],
  ])('of %j: around %j is %j', (text, passage, sentences) => {
    expect(sentencesAround(text, passage)).toBe(sentences)
  })
})
