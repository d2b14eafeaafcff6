import { tagged, type Fragment } from '../fragment.ts'

/** Messages that are neither in the window nor in the memo yet: named, so that the model knows what to look up. */
export const leftWindow: Fragment = {
  name: 'left_window',
  render: ({ left }) =>
    left &&
    tagged(
      'left_window',
      [
        `Messages ${left.fromSeq} to ${left.toSeq} are not shown and not in the memo yet; the tool recall finds them. The user said there:`,
        ...left.heads.map((head) => `- ${head}`),
      ].join('\n'),
    ),
}
