import { styleText } from 'node:util'
import type { Agent } from '../protocol/agent.ts'
import { oneLine, styled, type Shown } from '../../../core/command-line/printable.ts'

// distinguishable on light and on dark
const palette = ['#d97706', '#0891b2', '#a855f7', '#16a34a', '#db2777', '#2563eb']

/** How an agent is shown: `🐱 Mira`, in its colour where the stream has colours. */
export type Label = (name: string) => Shown

export function createLabels(agents: readonly Agent[]): Label {
  const shown = new Map(
    agents.map(({ name, displayName = name, avatar, color }, index) => [
      name,
      {
        text: avatar === undefined ? displayName : `${avatar} ${displayName}`,
        color: color ?? palette[index % palette.length]!,
      },
    ]),
  )
  return (name) => {
    const { text, color } = shown.get(name) ?? { text: name, color: undefined }
    const one = oneLine(text)
    return color === undefined ? one : styled((plain, stream) => paint(plain, color, stream), one)
  }
}

function paint(text: string, color: string, stream: NodeJS.WriteStream): string {
  // whether there are colours (a terminal, NO_COLOR, FORCE_COLOR) is decided where the rest of the program asks
  if (styleText('bold', text, { stream }) === text) return text
  const [red, green, blue] = [1, 3, 5].map((at) =>
    Math.round(Number.parseInt(color.slice(at, at + 2), 16) / 51),
  )
  // the cube of 6 × 6 × 6 colours, which every terminal with colours has
  return `\u001b[38;5;${16 + 36 * red! + 6 * green! + blue!}m${text}\u001b[39m`
}
