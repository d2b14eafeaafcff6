/** Shades that can be read on white as well as on black. */
const shades: Record<string, string> = {
  red: '#dc2626',
  orange: '#c2570c',
  amber: '#b45309',
  yellow: '#a16207',
  lime: '#4d7c0f',
  green: '#15803d',
  emerald: '#047857',
  teal: '#0f766e',
  cyan: '#0e7490',
  sky: '#0284c7',
  blue: '#2563eb',
  indigo: '#6366f1',
  violet: '#8b5cf6',
  purple: '#9333ea',
  magenta: '#c026d3',
  fuchsia: '#c026d3',
  pink: '#db2777',
  rose: '#e11d48',
  brown: '#a8622a',
  gray: '#6b7280',
  grey: '#6b7280',
}

/** `#rrggbb` of that, of `#rgb`, or of a word; undefined of anything else. */
export function toColor(given: unknown): string | undefined {
  if (typeof given !== 'string') return undefined
  const text = given.trim().toLowerCase()
  if (/^#[0-9a-f]{6}$/.test(text)) return text
  if (/^#[0-9a-f]{3}$/.test(text)) return text.replaceAll(/[0-9a-f]/g, '$&$&')
  return Object.hasOwn(shades, text) ? shades[text] : undefined
}
