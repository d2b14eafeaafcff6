import { cjk } from '@streamdown/cjk'
import { clsx } from 'clsx'
import { memo, useEffect, useState } from 'react'
import { defaultRemarkPlugins, Streamdown, type PluginConfig } from 'streamdown'
import { useLanguage } from '../../app/texts.ts'
import { sessionTexts } from '../session-texts.ts'
import { elements } from './elements.tsx'
import { htmlAsText } from './html-as-text.ts'
import { classForLongWords } from './long-words.ts'
import { keepSafeUrl } from './safe-url.ts'
import { toSections } from './sections.ts'

interface Props {
  text: string
  /** More of it is still coming: what is not closed yet is drawn as if it were. */
  isStreaming?: boolean
}

const remarkPlugins = [...Object.values(defaultRemarkPlugins), htmlAsText]
// nothing is made from tags: no element needs to be taken out again
const rehypePlugins: never[] = []
const wordsOf = ({ footnotes, backToText }: (typeof sessionTexts)['en']) => ({
  footnoteLabel: footnotes,
  footnoteBackLabel: backToText,
})
const footnoteWords = { en: wordsOf(sessionTexts.en), zh: wordsOf(sessionTexts.zh) }
// what is nested deeper than anybody means it no longer moves to the side
const shallow = [
  '[&_li_li_li_li_li_li_li_li>:is(ul,ol)]:ps-0',
  '[&_blockquote_blockquote_blockquote_blockquote_blockquote_blockquote]:border-0',
  '[&_blockquote_blockquote_blockquote_blockquote_blockquote_blockquote]:ps-0',
]
const withoutMath: PluginConfig = { cjk }

/**
 * Text that somebody, or a model, wrote: the most hostile there is. Tags stay words, addresses pass `keepSafeUrl`, and
 * nothing is loaded from anywhere.
 */
export const Markdown = memo(function Markdown({ text, isStreaming = false }: Props) {
  const sections = toSections(text)
  if (sections.length === 1) return <Section text={text} isStreaming={isStreaming} />
  return (
    <div className="min-w-0 space-y-4">
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
  const plugins = usePlugins(text)
  const language = useLanguage()
  return (
    <Streamdown
      className={clsx('min-w-0 space-y-0! *:first:mt-0 *:last:mb-0', shallow, classForLongWords(text))}
      dir="auto"
      parseIncompleteMarkdown={isStreaming}
      isAnimating={isStreaming}
      components={elements}
      plugins={plugins}
      remarkPlugins={remarkPlugins}
      rehypePlugins={rehypePlugins}
      remarkRehypeOptions={footnoteWords[language]}
      urlTransform={keepSafeUrl}
      controls={false}
    >
      {text}
    </Streamdown>
  )
})

let mathPlugins: PluginConfig | undefined

/** Formulas cost as much as everything else on the page: they are loaded when one is seen. */
function usePlugins(text: string): PluginConfig {
  const hasMath = text.includes('$$')
  const [loaded, setLoaded] = useState(mathPlugins)
  useEffect(() => {
    if (!hasMath || loaded) return
    let isWanted = true
    void import('./math.ts').then(({ math }) => {
      mathPlugins ??= { cjk, math }
      if (isWanted) setLoaded(mathPlugins)
    })
    return () => {
      isWanted = false
    }
  }, [hasMath, loaded])
  return (hasMath && loaded) || withoutMath
}
