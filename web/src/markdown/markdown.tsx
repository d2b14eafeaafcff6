import { clsx } from 'clsx'
import { memo, useEffect, useMemo, useState } from 'react'
import remend from 'remend'
import { useLanguage } from '../app/texts.ts'
import { markdownTexts } from './markdown-texts.ts'
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

const Section = memo(function Section({ text, isStreaming = false }: Props) {
  const toElements = useToElements(text)
  const source = isStreaming ? remend(text) : text
  const drawn = useMemo(
    () => toElements(source, isStreaming && endsInFence(source)),
    [toElements, source, isStreaming],
  )
  return <SourceContext value={source}>{drawn}</SourceContext>
})

const wordsOf = ({ footnotes, backToText }: (typeof markdownTexts)['en']) => ({
  footnoteLabel: footnotes,
  footnoteBackLabel: backToText,
})
const words = { en: wordsOf(markdownTexts.en), zh: wordsOf(markdownTexts.zh) }
const plain = { en: createToElements(words.en), zh: createToElements(words.zh) }
let withMath: Record<keyof typeof plain, ToElements> | undefined

/** Formulas cost as much as everything else on the page: they are loaded when one is seen. */
function useToElements(text: string): ToElements {
  const language = useLanguage()
  const hasMath = text.includes('$$')
  const [loaded, setLoaded] = useState(withMath)
  useEffect(() => {
    if (!hasMath || loaded) return
    let isWanted = true
    void import('./math.ts').then(({ math }) => {
      withMath ??= { en: createToElements(words.en, [math]), zh: createToElements(words.zh, [math]) }
      if (isWanted) setLoaded(withMath)
    })
    return () => {
      isWanted = false
    }
  }, [hasMath, loaded])
  return ((hasMath && loaded) || plain)[language]
}
