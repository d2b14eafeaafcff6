import { cjk } from '@streamdown/cjk'
import type { Element, Root } from 'hast'
import type { ReactElement } from 'react'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified, type Pluggable } from 'unified'
import { visit } from 'unist-util-visit'
import { drawTree } from './draw-tree.ts'
import { elements } from './elements.tsx'
import { htmlAsText } from './html-as-text.ts'
import { keepSafeUrl } from './safe-url.ts'

export interface Words {
  footnoteLabel: string
  footnoteBackLabel: string
}

export type ToElements = (markdown: string, hasOpenFence: boolean) => ReactElement

/** Makes what draws Markdown; `plugins` find more in a text than it has by itself. */
export function createToElements(words: Words, plugins: readonly Pluggable[] = []): ToElements {
  const processor = unified()
    .use(remarkParse)
    .use([...cjk.remarkPluginsBefore, remarkGfm, ...cjk.remarkPluginsAfter, ...plugins, htmlAsText])
    .use(remarkRehype, words)
    .freeze()
  return (markdown, hasOpenFence) => {
    const tree = processor.runSync(processor.parse(markdown))
    dropUnsafeUrls(tree)
    if (hasOpenFence) markOpenFence(tree)
    return drawTree(tree, elements)
  }
}

function dropUnsafeUrls(tree: Root): void {
  visit(tree, 'element', ({ properties }) => {
    for (const name of ['href', 'src'])
      if (name in properties) properties[name] = keepSafeUrl(String(properties[name]), name)
  })
}

/** The code in the last fence still grows: a diagram cannot be drawn of half of it. */
function markOpenFence(tree: Root): void {
  let last: Element | undefined
  visit(tree, 'element', (element) => {
    if (element.tagName === 'pre') last = element
  })
  const code = last?.children[0]
  if (code?.type === 'element') code.properties.dataOpen = true
}
