import type { ComponentProps, MouseEvent, ReactElement, ReactNode } from 'react'
import { useTexts } from '../shell/texts.ts'
import { markdownTexts } from './texts.ts'
import { CodeBlock } from './code-block.tsx'
import { Diagram } from './diagram.tsx'
import type { Views } from './draw-tree.ts'
import { Formula } from './formula.tsx'
import { Image } from './image.tsx'
import { toSafeLink } from './safe-url.ts'
import { TableBlock } from './table-block.tsx'

const directed = new Set(['p', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'th', 'td'])

/** How each element of a text is drawn. Headings lie below those of the messages. */
export const elements: Views = {
  a: Link,
  img: ({ src, alt }: ComponentProps<'img'>) => <Image src={src} alt={alt} />,
  code: Code,
  pre: Fence,
  table: TableBlock,
  thead: plain('thead', 'bg-surface'),
  tbody: plain('tbody', ''),
  tr: plain('tr', 'border-line not-first:border-t'),
  th: plain('th', 'border-b border-line px-3 py-1.5 text-start font-semibold'),
  td: plain('td', 'border-t border-line px-3 py-1.5 align-top'),
  p: plain('p', 'my-2'),
  h1: plain('h3', 'mt-5 mb-2 text-xl font-semibold'),
  h2: plain('h3', 'mt-5 mb-2 text-lg font-semibold'),
  h3: plain('h4', 'mt-4 mb-2 font-semibold'),
  h4: plain('h5', 'mt-4 mb-1 font-semibold'),
  h5: plain('h6', 'mt-3 mb-1 font-semibold'),
  h6: plain('h6', 'mt-3 mb-1 font-semibold text-muted'),
  ul: plain('ul', 'my-2 list-disc ps-6'),
  ol: plain('ol', 'my-2 list-decimal ps-6'),
  li: plain('li', 'my-0.5 has-[>input]:-ms-5 has-[>input]:list-none [&>p]:my-1'),
  blockquote: plain('blockquote', 'my-2 border-s-4 border-line ps-3 text-muted'),
  hr: plain('hr', 'my-4 border-line'),
  strong: plain('strong', 'font-semibold'),
  sup: plain('sup', 'text-xs'),
  sub: plain('sub', 'text-xs'),
  input: Checkbox,
}

/** An element with our looks, in the direction of its words, and of what the text says about it only what it needs. */
function plain(name: string, own: string) {
  const Tag = name as 'p'
  return function Element({
    children,
    id,
    style,
    start,
  }: Pick<ComponentProps<'p'>, 'children' | 'id' | 'style'> & { start?: number }) {
    return (
      <Tag
        className={own || undefined}
        dir={directed.has(name) ? 'auto' : undefined}
        id={id}
        style={style}
        {...(start !== undefined && { start })}
      >
        {children}
      </Tag>
    )
  }
}

function Link({ href, children }: ComponentProps<'a'>) {
  if (href?.startsWith('#'))
    return (
      <a href={href} onClick={scrollToNote} className="text-accent underline">
        {children}
      </a>
    )
  const link = toSafeLink(href)
  // what leads nowhere that is safe is words
  if (!link) return <span>{children}</span>
  return (
    <a
      href={link.href}
      target="_blank"
      rel="noopener noreferrer"
      className="text-accent underline decoration-current/40 hover:decoration-current"
    >
      {children}
    </a>
  )
}

function Checkbox({ checked = false }: ComponentProps<'input'>) {
  const t = useTexts(markdownTexts)
  const label = checked ? t.done : t.open
  return <input type="checkbox" checked={checked} disabled readOnly aria-label={label} className="me-1" />
}

/** Every text has notes of the same names, and the address belongs to the page. */
function scrollToNote(event: MouseEvent<HTMLAnchorElement>): void {
  event.preventDefault()
  const name = event.currentTarget.getAttribute('href')!.slice(1)
  const note = event.currentTarget.closest('article')?.querySelector(`[id="${CSS.escape(name)}"]`)
  note?.scrollIntoView({ block: 'center' })
}

function Code({ className, children }: ComponentProps<'code'>) {
  if (/\bmath-inline\b/.test(className ?? ''))
    return <Formula tex={textOf(children).trim()} isDisplay={false} />
  return <code className="rounded bg-surface px-1 py-0.5 font-mono text-[0.9em]">{children}</code>
}

/** Around code of several lines; what it holds says of what kind. */
function Fence({ children }: ComponentProps<'pre'>) {
  const { className, children: content, ...rest } = (children as ReactElement<CodeProps>).props
  const text = textOf(content)
  if (/\bmath-display\b/.test(className ?? '')) return <Formula tex={text.trim()} isDisplay />
  const language = /language-([^\s]+)/.exec(className ?? '')?.[1] ?? ''
  const code = text.replace(/\n$/, '')
  const isIncomplete = rest['data-open'] === true
  if (language === 'mermaid' && !isIncomplete) return <Diagram code={code} />
  return <CodeBlock code={code} language={language} isIncomplete={isIncomplete} />
}

type CodeProps = ComponentProps<'code'> & { 'data-open'?: boolean }

const textOf = (children: ReactNode) => (typeof children === 'string' ? children : '')
