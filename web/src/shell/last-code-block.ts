/** The last block of code in a text of Markdown, without its fences; one that was not closed goes to the end. */
export function lastCodeBlock(markdown: string): string | undefined {
  let last: string | undefined
  let fence: { mark: string; indent: number; lines: string[] } | undefined
  for (const line of markdown.split('\n')) {
    const [, indent = '', mark = '', rest = ''] = /^( *)(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (!fence) {
      // a fence of backticks has none behind it: that would be code within a line
      if (mark !== '' && !(mark.startsWith('`') && rest.includes('`')))
        fence = { mark, indent: indent.length, lines: [] }
    } else if (mark.startsWith(fence.mark) && rest.trim() === '') {
      last = fence.lines.join('\n')
      fence = undefined
    } else fence.lines.push(line.replace(new RegExp(`^ {0,${fence.indent}}`), ''))
  }
  return fence ? fence.lines.join('\n') : last
}
