import { expect, it } from 'vitest'
import { isDataImage, keepSafeUrl, toSafeLink } from './safe-url.ts'

it.each(['http://example.org/', 'https://example.org/a?b#c', 'mailto:someone@example.org'])(
  'keeps %s',
  (url) => {
    expect(toSafeLink(url)?.href).toBe(url)
  },
)

it.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'java\nscript:alert(1)',
  'JAVASCRIPT:alert(1)',
  '\u0001javascript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:x',
  'file:///etc/passwd',
  'blob:https://example.org/1',
  'tel:123',
  '//example.org/a',
  '/api/sessions',
  'sessions.html',
  '#/settings',
  '',
])('has no link for %j', (url) => {
  expect(toSafeLink(url)).toBeUndefined()
  expect(keepSafeUrl(url, 'href')).toBeUndefined()
})

it('takes pictures that are in the message, and nothing else of that form', () => {
  expect(isDataImage('data:image/png;base64,AA==')).toBe(true)
  expect(isDataImage('data:text/html;image/png,x')).toBe(false)
  expect(isDataImage('https://example.org/data:image/png;')).toBe(false)
  expect(keepSafeUrl('data:image/png;base64,AA==', 'src')).toBe('data:image/png;base64,AA==')
  expect(keepSafeUrl('data:image/png;base64,AA==', 'href')).toBeUndefined()
})

it('keeps the way to a note of the same text', () => {
  expect(keepSafeUrl('#user-content-fn-1', 'href')).toBe('#user-content-fn-1')
})
