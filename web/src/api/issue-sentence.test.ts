import { expect, it } from 'vitest'
import { issueCodes, type Issue } from '../../../src/core/protocol/issue.ts'
import { toSentence } from './issue-sentence.ts'
import { issueTexts as en } from './en.ts'
import { issueTexts as zh } from './zh.ts'

type Case = [Issue['code'], Issue['params'], string, string]
const cases: Case[] = [
  ['required', { expected: ['string'] }, 'Required.', '此项必填。'],
  ['invalid_type', { expected: ['integer'] }, 'Must be a whole number.', '必须是整数。'],
  ['invalid_type', { expected: ['string', 'null'] }, 'Must be text or empty.', '必须是文本或空。'],
  ['invalid_type', { expected: ['promise'] }, 'Must be promise.', '必须是promise。'],
  ['invalid_value', { values: ['lite', 'memo'] }, 'Must be "lite" or "memo".', '必须是“lite”或“memo”。'],
  [
    'too_small',
    { origin: 'string', minimum: 3, inclusive: true },
    'Must have at least 3 characters.',
    '至少要有 3 个字符。',
  ],
  ['too_small', { origin: 'array', minimum: 1, inclusive: true }, 'Can’t be empty.', '不能为空。'],
  ['too_small', { origin: 'number', minimum: 0, inclusive: false }, 'Must be more than 0.', '必须大于 0。'],
  [
    'too_big',
    { origin: 'array', maximum: 1, inclusive: true },
    'Must have at most 1 item.',
    '最多只能有 1 项。',
  ],
  ['too_big', { origin: 'number', maximum: 9, inclusive: true }, 'Must be at most 9.', '不能大于 9。'],
  ['too_big', { origin: 'number', maximum: 9, inclusive: false }, 'Must be less than 9.', '必须小于 9。'],
  [
    'too_big',
    { origin: 'string', maximum: 2, inclusive: true, exact: true },
    'Must have exactly 2 characters.',
    '必须正好有 2 个字符。',
  ],
  ['not_multiple', { divisor: 5 }, 'Must be a multiple of 5.', '必须是 5 的倍数。'],
  ['invalid_format', { format: 'color' }, 'Enter a color such as "#b45309".', '必须是颜色，例如“#b45309”。'],
  ['invalid_format', { format: 'date' }, 'Enter a date such as 2027-01-31.', '必须是日期，例如 2027-01-31。'],
  [
    'invalid_format',
    { format: 'starts_with', prefix: 'ses_' },
    'Must start with "ses_".',
    '必须以“ses_”开头。',
  ],
  ['invalid_format', { format: 'constructor' }, 'Invalid format.', '格式不对。'],
  ['unknown_key', { keys: ['a', 'b'] }, 'Unknown: "a", "b".', '这里没有：“a”、“b”。'],
  [
    'invalid_key',
    { format: 'slug' },
    'Invalid name. Use 1 to 64 lowercase letters, digits, "_" or "-".',
    '名称不合适。只能是 1 到 64 个小写字母、数字、“_”或“-”。',
  ],
  ['no_match', {}, 'Doesn’t match any of the allowed formats.', '不符合这里允许的任何一种形式。'],
  ['custom', { rule: 'not_blank', message: 'x' }, 'Can’t be empty.', '不能为空。'],
  [
    'custom',
    { rule: 'one_of', keys: ['name', 'text'] },
    'Set exactly one of "name", "text".',
    '“name”、“text”必须给出其中一个，且只能给出一个。',
  ],
  [
    'custom',
    { rule: 'renamed', keys: ['limit'] },
    'No longer supported; use "limit".',
    '此项已不存在，请改用“limit”。',
  ],
  ['custom', { rule: 'max_entries', maximum: 50 }, 'Must have at most 50 entries.', '最多只能有 50 个条目。'],
]

it.each(cases)('says %s %j in both languages', (code, params, english, chinese) => {
  const issue: Issue = { path: [], code, params }
  expect([toSentence(issue, en), toSentence(issue, zh)]).toEqual([english, chinese])
})

it('has words for every code, and leaves rules of others to their own', () => {
  expect(new Set(cases.map(([code]) => code))).toEqual(new Set(issueCodes))
  expect(toSentence({ path: [], code: 'custom', params: { rule: 'of-a-tool' } }, zh)).toBeUndefined()
})
