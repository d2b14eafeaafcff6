import { describe, expect, it } from 'vitest'
import { comboOf, formatCombo, isWriting, matchesCombo, toAriaKeys, type KeyPress } from './key-combo.ts'

const press = (key: string, more: Partial<KeyPress> = {}): KeyPress => ({
  key,
  ctrlKey: false,
  metaKey: false,
  altKey: false,
  shiftKey: false,
  ...more,
})

describe('what was pressed', () => {
  it('is written with its modifiers in one order', () => {
    const keys = press('O', { code: 'KeyO', ctrlKey: true, shiftKey: true })
    expect(comboOf(keys, false)).toBe('mod+shift+o')
  })
  it('takes Command for mod on a Mac, and Control for itself', () => {
    expect(comboOf(press('k', { code: 'KeyK', metaKey: true }), true)).toBe('mod+k')
    expect(comboOf(press('k', { code: 'KeyK', ctrlKey: true }), true)).toBe('ctrl+k')
    expect(comboOf(press('k', { code: 'KeyK', metaKey: true }), false)).toBe('meta+k')
  })
  it('is the key and not what Shift makes of it', () => {
    expect(comboOf(press(':', { code: 'Semicolon', ctrlKey: true, shiftKey: true }), false)).toBe(
      'mod+shift+;',
    )
  })
  it('is the sign where a sign is typed, with Shift or without', () => {
    expect(comboOf(press('?', { code: 'Slash', shiftKey: true }), false)).toBe('?')
    expect(comboOf(press('?', { code: 'Minus', shiftKey: true }), false)).toBe('?')
    expect(comboOf(press('[', { code: 'BracketLeft' }), false)).toBe('[')
  })
  it('is nothing while only modifiers are held', () => {
    expect(comboOf(press('Control', { code: 'ControlLeft', ctrlKey: true }), false)).toBeUndefined()
  })
  it('names keys that write nothing', () => {
    expect(comboOf(press('ArrowUp', { code: 'ArrowUp', altKey: true }), false)).toBe('alt+arrowup')
    expect(comboOf(press('Escape', { code: 'Escape', shiftKey: true }), false)).toBe('shift+escape')
    expect(comboOf(press(' ', { code: 'Space', ctrlKey: true }), false)).toBe('mod+space')
  })
})

describe('matching', () => {
  it('wants exactly the modifiers', () => {
    expect(matchesCombo('mod+k', press('k', { code: 'KeyK', ctrlKey: true }), false)).toBe(true)
    expect(matchesCombo('mod+k', press('K', { code: 'KeyK', ctrlKey: true, shiftKey: true }), false)).toBe(
      false,
    )
    expect(matchesCombo('mod+k', press('k', { code: 'KeyK' }), false)).toBe(false)
  })
  it('takes a letter by what is printed on it, where the layout differs', () => {
    expect(matchesCombo('mod+k', press('k', { code: 'KeyV', ctrlKey: true }), false)).toBe(true)
    expect(matchesCombo('mod+k', press('л', { code: 'KeyK', ctrlKey: true }), false)).toBe(true)
  })
})

it('knows which keys write something', () => {
  expect(['?', '[', 'shift+a', 'space'].map(isWriting)).toEqual([true, true, true, true])
  expect(['mod+k', 'alt+arrowup', 'shift+escape', 'f6'].map(isWriting)).toEqual([false, false, false, false])
})

it('shows keys as people and as screen readers know them', () => {
  expect(formatCombo('mod+shift+o', false)).toBe('Ctrl+Shift+O')
  expect(formatCombo('mod+shift+o', true)).toBe('⌘⇧O')
  expect(formatCombo('alt+arrowup', false)).toBe('Alt+↑')
  expect(toAriaKeys(['mod+/', '?'], false)).toBe('Control+/ ?')
  expect(toAriaKeys(['mod+shift+o'], true)).toBe('Meta+Shift+O')
})
