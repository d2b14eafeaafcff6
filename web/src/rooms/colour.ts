/** Colours to choose from; each can be told from the others, and from the page in both themes. */
export const palette = [
  '#4f6bed',
  '#0e7490',
  '#15803d',
  '#65a30d',
  '#b45309',
  '#dc2626',
  '#be185d',
  '#7c3aed',
  '#64748b',
] as const

const hexPattern = /^#[0-9a-f]{6}$/i

/** That of the agent; without one, always the same for the same name. */
export function colourOf({ name, color }: { name: string; color?: string }): string {
  if (color !== undefined && hexPattern.test(color)) return color
  let sum = 0
  for (const letter of name) sum = (sum * 31 + letter.codePointAt(0)!) % 65_521
  return palette[sum % palette.length]!
}

/** Black or white, whichever is read better on it: one of both always has a contrast of 4.5 or more. */
export const textOn = (background: string): '#000000' | '#ffffff' => {
  const light = luminanceOf(background)
  return (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) ? '#000000' : '#ffffff'
}

/** Of WCAG: from 0, black, to 1, white. */
export function luminanceOf(hex: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}
