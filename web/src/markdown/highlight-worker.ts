import { createCodePlugin } from '@streamdown/code'
import type { HighlightAnswer, HighlightRequest, Token } from './highlight.ts'

// those whose colours have enough contrast on our grounds
const themes = ['github-light-high-contrast', 'github-dark-high-contrast'] as const
const plugin = createCodePlugin({ themes: [...themes] })

type Result = Parameters<NonNullable<Parameters<typeof plugin.highlight>[1]>>[0]

addEventListener('message', ({ data }: MessageEvent<HighlightRequest>) => {
  const { id, code, language, isIncomplete } = data
  const answer = ({ tokens }: Result) =>
    postMessage({ id, lines: tokens.map(toLine) } satisfies HighlightAnswer)
  // at once when the language is loaded, otherwise later
  const known = plugin.highlight(
    { code, language: language as never, themes: [...themes], isIncomplete },
    answer,
  )
  if (known) answer(known)
})

const toLine = (line: Result['tokens'][number]): Token[] =>
  line.map(({ content, htmlStyle }) => ({
    text: content,
    light: htmlStyle?.color,
    dark: htmlStyle?.['--shiki-dark'],
  }))
