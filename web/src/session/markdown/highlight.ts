import { createCodePlugin } from '@streamdown/code'

/** One piece of code in one colour. */
export interface Token {
  text: string
  light?: string
  dark?: string
}

// those whose colours have enough contrast on our grounds
const themes = ['github-light-high-contrast', 'github-dark-high-contrast'] as const
const plugin = createCodePlugin({ themes: [...themes] })

/** Calls back with the lines of the code in colour; at once when they are known. Loads the language when it is new. */
export function highlight(
  code: string,
  language: string,
  isIncomplete: boolean,
  onTokens: (lines: Token[][]) => void,
): void {
  type Result = Parameters<NonNullable<Parameters<typeof plugin.highlight>[1]>>[0]
  const take = ({ tokens }: Result) =>
    onTokens(
      tokens.map((line) =>
        line.map(({ content, htmlStyle }) => ({
          text: content,
          light: htmlStyle?.color,
          dark: htmlStyle?.['--shiki-dark'],
        })),
      ),
    )
  const known = plugin.highlight(
    { code, language: language as never, themes: [...themes], isIncomplete },
    take,
  )
  if (known) take(known)
}
