import { clsx } from 'clsx'
import { memo, useMemo } from 'react'
import { useLanguage, useTexts } from '../shell/texts.ts'
import { markdownTexts } from './texts.ts'
import { lazyValue, useLazyValue } from './lazy-value.ts'
import { classForLongWords } from './long-words.ts'
import { SourceContext } from './source-context.ts'
import { endsInFence, toSections } from './sections.ts'
import { createToElements, type ToElements } from './to-elements.ts'

interface Props {
  text: string
  /** More of it is still coming: what is not closed yet is drawn as if it were. */
  isStreaming?: boolean
}

// what is nested deeper than anybody means it no longer moves to the side
const shallow = [
  '[&_li_li_li_li_li_li_li_li>:is(ul,ol)]:ps-0',
  '[&_blockquote_blockquote_blockquote_blockquote_blockquote_blockquote]:border-0',
  '[&_blockquote_blockquote_blockquote_blockquote_blockquote_blockquote]:ps-0',
]

/**
 * Text that somebody, or a model, wrote: the most hostile there is. Tags stay words, addresses pass `keepSafeUrl`, and
 * nothing is loaded from anywhere.
 */
export const Markdown = memo(function Markdown({ text, isStreaming = false }: Props) {
  const sections = toSections(text)
  return (
    <div className={clsx('min-w-0 *:first:mt-0 *:last:mb-0', shallow, classForLongWords(text))}>
      {sections.map((section, index) => (
        <Section
          // oxlint-disable-next-line react/no-array-index-key -- sections only grow at the end
          key={index}
          text={section}
          isStreaming={isStreaming && index === sections.length - 1}
        />
      ))}
    </div>
  )
})

// formulas cost as much as everything else on the page
const formulas = lazyValue(async () => (await import('./math.ts')).math)
const closing = lazyValue(async () => (await import('remend')).default)

/** Loads what draws unfinished text, before the first words are there. */
export const prepareStreaming = (): void => void closing.load().catch(() => {})

const Section = memo(function Section({ text, isStreaming = false }: Props) {
  const toElements = useToElements(text)
  const close = useLazyValue(closing, isStreaming)
  const source = isStreaming && close ? close(text) : text
  const drawn = useMemo(
    () => toElements(source, isStreaming && endsInFence(source)),
    [toElements, source, isStreaming],
  )
  return <SourceContext value={source}>{drawn}</SourceContext>
})

// by language, with formulas and without
const known = new Map<string, ToElements>()

function useToElements(text: string): ToElements {
  const language = useLanguage()
  const { footnotes, backToText } = useTexts(markdownTexts)
  const hasMath = text.includes('$$')
  const math = useLazyValue(formulas, hasMath)
  const plugins = hasMath && math ? [math] : []
  const key = `${language}/${plugins.length}`
  const toElements =
    known.get(key) ?? createToElements({ footnoteLabel: footnotes, footnoteBackLabel: backToText }, plugins)
  known.set(key, toElements)
  return toElements
}
