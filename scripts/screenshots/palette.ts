import type { Picture } from './png.ts'

const maxColours = 256

export interface Palette {
  /** Three bytes for each colour. */
  bytes: Buffer
  /** The number of a colour for each pixel. */
  indicesOf(picture: Picture): Uint8Array
}

/** The colours used most in all of the pictures; any other becomes the nearest of them. */
export function toPalette(pictures: readonly Picture[]): Palette {
  const counts = new Map<number, number>()
  for (const { pixels, channels } of pictures)
    for (let at = 0; at < pixels.length; at += channels) {
      const colour = colourAt(pixels, at)
      counts.set(colour, (counts.get(colour) ?? 0) + 1)
    }
  const colours = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, maxColours)
    .map(([colour]) => colour)
  const known = new Map(colours.map((colour, index) => [colour, index]))
  const indexOf = (colour: number): number => {
    let index = known.get(colour)
    if (index === undefined) known.set(colour, (index = nearest(colours, colour)))
    return index
  }
  return {
    bytes: Buffer.from(colours.flatMap((colour) => [colour >> 16, (colour >> 8) & 0xff, colour & 0xff])),
    indicesOf: ({ width, height, channels, pixels }) =>
      Uint8Array.from({ length: width * height }, (_, at) => indexOf(colourAt(pixels, at * channels))),
  }
}

const colourAt = (pixels: Buffer, at: number) =>
  (pixels[at]! << 16) | (pixels[at + 1]! << 8) | pixels[at + 2]!

function nearest(colours: readonly number[], wanted: number): number {
  let best = 0
  let least = Infinity
  colours.forEach((colour, index) => {
    const [red, green, blue] = [16, 8, 0].map((bits) => ((colour >> bits) & 0xff) - ((wanted >> bits) & 0xff))
    const distance = red! ** 2 + green! ** 2 + blue! ** 2
    if (distance < least) [best, least] = [index, distance]
  })
  return best
}
