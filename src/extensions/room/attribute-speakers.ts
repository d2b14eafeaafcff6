import { inAttribute, sealed } from '../../core/protocol/prompt-tags.ts'

/**
 * A message under the name of its speaker. The text cannot end it, begin a message of another speaker, or pass for an
 * instruction of the room.
 */
export function attribute(
  from: string,
  text: string,
  to: readonly string[] = [],
  more: Readonly<Record<string, string>> = {},
): string {
  const target = to.length > 0 ? ` to="${to.map(inAttribute).join(', ')}"` : ''
  const rest = Object.entries(more).map(
    ([name, value]) => ` ${name}="${inAttribute(value).replaceAll(/\s+/g, ' ')}"`,
  )
  return `<message from="${inAttribute(from)}"${target}${rest.join('')}>\n${sealed(withoutTags(text))}\n</message>`
}

// what messages and prompts of rooms are marked with
const marks = ['message', 'room_task', 'room_state', 'room_rules', 'identity', 'peers', 'system']

const unseen = String.raw`[\s\p{Cc}\p{Default_Ignorable_Code_Point}]*`
const spelled = marks.map((mark) =>
  Array.from(mark, (letter) => (letter === '_' ? '[_＿]' : `[${letter}${wide(letter)}]`)).join(unseen),
)
const tag = new RegExp(
  `[<＜﹤‹〈](?=${unseen}(?:[/／]${unseen})?(?:${spelled.join('|')})(?![\\p{L}\\p{N}]))`,
  'giu',
)

/** A bracket before such a word is written out, however the word is spelled. */
const withoutTags = (text: string) => text.replaceAll(tag, '&lt;')

function wide(letter: string): string {
  return String.fromCharCode(letter.charCodeAt(0) + 0xfee0)
}
