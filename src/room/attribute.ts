/** What somebody said, under their name. The text cannot end it, or begin something that another one said. */
export function attribute(from: string, text: string, to: readonly string[] = []): string {
  const target = to.length > 0 ? ` to="${to.map(toValue).join(', ')}"` : ''
  return `<message from="${toValue(from)}"${target}>\n${text.replaceAll(/<(?=\/?message)/gi, '< ')}\n</message>`
}

const toValue = (name: string) => name.replaceAll(/[<>"&\p{Cc}]+/gu, ' ').trim()
