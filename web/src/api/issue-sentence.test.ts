import { expect, it } from 'vitest'
import { issueCodes, type Issue } from '../../../src/core/protocol/issue.ts'
import { toSentence } from './issue-sentence.ts'
import { issueTexts as en } from './en.ts'
import { issueTexts as zh } from './zh.ts'

type Case = [Issue['code'], Issue['params'], string, string]
const cases: Case[] = [
  ['required', { expected: ['string'] }, 'This is needed.', '此项必填。'],
  ['invalid_type', { expected: ['integer'] }, 'This must be a whole number.', '必须是整数。'],
  ['invalid_type', { expected: ['string', 'null'] }, 'This must be text or nothing.', '必须是文本或空。'],
  ['invalid_type', { expected: ['promise'] }, 'This must be promise.', '必须是promise。'],
  ['invalid_value', { values: ['lite', 'memo'] }, 'This must be "lite" or "memo".', '必须是“lite”或“memo”。'],
  [
    'too_small',
    { origin: 'string', minimum: 3, inclusive: true },
    'This must have at least 3 characters.',
    '至少要有 3 个字符。',
  ],
  ['too_small', { origin: 'array', minimum: 1, inclusive: true }, 'This must not be empty.', '不能为空。'],
  [
    'too_small',
    { origin: 'number', minimum: 0, inclusive: false },
    'This must be more than 0.',
    '必须大于 0。',
  ],
  [
    'too_big',
    { origin: 'array', maximum: 1, inclusive: true },
    'This must have at most 1 item.',
    '最多只能有 1 项。',
  ],
  ['too_big', { origin: 'number', maximum: 9, inclusive: true }, 'This must be at most 9.', '不能大于 9。'],
  [
    'too_big',
    { origin: 'number', maximum: 9, inclusive: false },
    'This must be less than 9.',
    '必须小于 9。',
  ],
  [
    'too_big',
    { origin: 'string', maximum: 2, inclusive: true, exact: true },
    'This must have exactly 2 characters.',
    '必须正好有 2 个字符。',
  ],
  ['not_multiple', { divisor: 5 }, 'This must be a multiple of 5.', '必须是 5 的倍数。'],
  [
    'invalid_format',
    { format: 'color' },
    'This must be a colour such as "#b45309".',
    '必须是颜色，例如“#b45309”。',
  ],
  [
    'invalid_format',
    { format: 'date' },
    'This must be a date such as 2027-01-31.',
    '必须是日期，例如 2027-01-31。',
  ],
  [
    'invalid_format',
    { format: 'starts_with', prefix: 'ses_' },
    'This must begin with "ses_".',
    '必须以“ses_”开头。',
  ],
  ['invalid_format', { format: 'constructor' }, 'This does not have the right form.', '格式不对。'],
  ['unknown_key', { keys: ['a', 'b'] }, 'Not known here: "a", "b".', '这里没有：“a”、“b”。'],
  [
    'invalid_key',
    { format: 'slug' },
    'The name does not fit. This must be 1 to 64 lower-case letters, digits, "_" or "-".',
    '名称不合适。只能是 1 到 64 个小写字母、数字、“_”或“-”。',
  ],
  ['no_match', {}, 'This fits none of the forms that are allowed here.', '不符合这里允许的任何一种形式。'],
  ['custom', { rule: 'not_blank', message: 'x' }, 'This must not be empty.', '不能为空。'],
  [
    'custom',
    { rule: 'one_of', keys: ['name', 'text'] },
    'Give exactly one of "name", "text".',
    '“name”、“text”必须给出其中一个，且只能给出一个。',
  ],
  [
    'custom',
    { rule: 'renamed', keys: ['limit'] },
    'This is gone; use "limit".',
    '此项已不存在，请改用“limit”。',
  ],
  [
    'custom',
    { rule: 'max_entries', maximum: 50 },
    'This must have at most 50 entries.',
    '最多只能有 50 个条目。',
  ],
]

it.each(cases)('says %s %j in both languages', (code, params, english, chinese) => {
  const issue: Issue = { path: [], code, params }
  expect([toSentence(issue, en), toSentence(issue, zh)]).toEqual([english, chinese])
})

it('has words for every code, and leaves rules of others to their own', () => {
  expect(new Set(cases.map(([code]) => code))).toEqual(new Set(issueCodes))
  expect(toSentence({ path: [], code: 'custom', params: { rule: 'of-a-tool' } }, zh)).toBeUndefined()
})
