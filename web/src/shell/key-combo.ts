/**
 * Keys as they are written in the registry, e.g. `mod+shift+o`: modifiers in the order mod, ctrl, alt, shift, then the
 * key by its name in lower case. `mod` is Command on a Mac and Control elsewhere.
 */
export interface KeyPress {
  key: string
  /** The place on the keyboard: what Shift or Alt turn the key into depends on the layout, its place does not. */
  code?: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  shiftKey: boolean
}

export const isMac = () => /mac|iphone|ipad/i.test(navigator.platform)

const places: Record<string, string> = {
  Semicolon: ';',
  Slash: '/',
  Period: '.',
  Comma: ',',
  BracketLeft: '[',
  BracketRight: ']',
  Quote: "'",
  Minus: '-',
  Equal: '=',
  Backslash: '\\',
  Backquote: '`',
}

const atPlace = (code = '') => places[code] ?? /^(?:Key|Digit)(.)$/.exec(code)?.[1]?.toLowerCase()

const modifierKeys = new Set(['Control', 'Meta', 'Alt', 'Shift', 'AltGraph', 'CapsLock', 'Dead', 'Process'])

/** What was pressed, in the words of the registry; undefined as long as it is only modifiers. */
export function comboOf(press: KeyPress, mac: boolean): string | undefined {
  if (modifierKeys.has(press.key)) return undefined
  const mod = mac ? press.metaKey : press.ctrlKey
  const other = mac ? press.ctrlKey : press.metaKey
  const hasModifier = mod || other || press.altKey
  const typed = press.key.toLowerCase()
  // a sign that is typed with Shift, such as "?", is what it is; with other modifiers the place decides
  const isSign = !hasModifier && typed.length === 1 && typed !== ' ' && !/[a-z0-9]/.test(typed)
  const key = isSign || typed.length > 1 ? typed : (atPlace(press.code) ?? typed)
  return [
    mod && 'mod',
    other && (mac ? 'ctrl' : 'meta'),
    press.altKey && 'alt',
    press.shiftKey && !isSign && 'shift',
    key === ' ' ? 'space' : key,
  ]
    .filter(Boolean)
    .join('+')
}

export function matchesCombo(combo: string, press: KeyPress, mac: boolean): boolean {
  const pressed = comboOf(press, mac)
  if (pressed === combo) return true
  // on a layout whose letters are elsewhere, the letter counts as well as its place
  const typed = press.key.toLowerCase()
  return pressed !== undefined && typed.length === 1 && [...modifiersOf(pressed), typed].join('+') === combo
}

const modifiersOf = (combo: string) => combo.split('+').slice(0, -1)

/** Whether it writes something where one can write: such keys must not do anything else there. */
export function isWriting(combo: string): boolean {
  const modifiers = modifiersOf(combo)
  const key = combo.split('+').at(-1) ?? ''
  return modifiers.every((name) => name === 'shift') && (key.length === 1 || key === 'space')
}

const signs: Record<string, string> = {
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  escape: 'Esc',
  enter: 'Enter',
  space: 'Space',
  delete: 'Del',
}
const macModifiers: Record<string, string> = { mod: '⌘', ctrl: '⌃', alt: '⌥', shift: '⇧' }
const otherModifiers: Record<string, string> = { mod: 'Ctrl', alt: 'Alt', shift: 'Shift', meta: 'Meta' }

/** As people write it: `⌘⇧O`, `Ctrl+Shift+O`. */
export function formatCombo(combo: string, mac: boolean): string {
  const names = mac ? macModifiers : otherModifiers
  const parts = combo.split('+').map((part) => names[part] ?? signs[part] ?? capitalised(part))
  return parts.join(mac ? '' : '+')
}

const ariaNames: Record<string, string> = {
  arrowup: 'ArrowUp',
  arrowdown: 'ArrowDown',
  arrowleft: 'ArrowLeft',
  arrowright: 'ArrowRight',
  alt: 'Alt',
  shift: 'Shift',
  meta: 'Meta',
  ctrl: 'Control',
  space: 'Space',
}

/** The value of `aria-keyshortcuts`. */
export const toAriaKeys = (combos: readonly string[], mac: boolean): string =>
  combos
    .map((combo) =>
      combo
        .split('+')
        .map((part) => (part === 'mod' ? (mac ? 'Meta' : 'Control') : (ariaNames[part] ?? capitalised(part))))
        .join('+'),
    )
    .join(' ')

const capitalised = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
