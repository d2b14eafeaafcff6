import { isProbablyReaderable, Readability } from '@mozilla/readability'
import { parseHTML } from 'linkedom'
import { toMarkdown, type PageNode } from './page-to-markdown.ts'

export type PageFormat = 'markdown' | 'text'

export interface ReadablePage {
  title: string
  text: string
}

// what is left of an article must be worth more than the page around it
const minArticleCharacters = 200

/**
 * The article of a page without what stands around it; of a page that is no article, all of its text. Loads large
 * packages and works as long as the page is complicated: for a worker only.
 */
export function readPage(html: string, url: string, format: PageFormat): ReadablePage {
  const document = parse(html)
  const title = (document.querySelector('title')?.textContent ?? '').replaceAll(/\s+/g, ' ').trim()
  const base = URL.parse(document.querySelector('base')?.getAttribute('href') ?? '', url) ?? new URL(url)
  const write = (node: PageNode) => toMarkdown(node, { base, withLinks: format === 'markdown' })
  const article = findArticle(html)
  const text = article && write(article.content)
  if (article && text !== undefined && text.length >= minArticleCharacters)
    return { title: article.title || title, text }
  return { title, text: write(document.body) }
}

/** The parser makes only those elements that are written; a page may leave out what holds the others. */
function parse(html: string) {
  const { document } = parseHTML(/<html[\s>]/i.test(html) ? html : `<html>${html}</html>`)
  const root = document.documentElement
  const head = document.querySelector('head') ?? document.createElement('head')
  const written = document.querySelector('body')
  const body = written ?? document.createElement('body')
  const rest = [...root.childNodes].filter((node) => node !== head && node !== body)
  for (const node of rest) (written ? head : body).append(node)
  root.replaceChildren(head, body)
  return document
}

/** Modifies the document that it reads, which is why it takes one of its own. */
function findArticle(html: string): { title: string; content: PageNode } | undefined {
  const document = parse(html)
  try {
    if (!isProbablyReaderable(document)) return undefined
    // more elements than any article has would take longer than they are worth
    const reader = new Readability<PageNode>(document, {
      maxElemsToParse: 100_000,
      serializer: (node) => node as never,
    })
    const article = reader.parse()
    return article?.content ? { title: article.title ?? '', content: article.content } : undefined
  } catch {
    return undefined // no article that it could find: the whole page will do
  }
}
