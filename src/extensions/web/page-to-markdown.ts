/** As much of a DOM node as is needed to write it down. */
export interface PageNode {
  readonly nodeType: number
  readonly nodeName: string
  readonly textContent: string | null
  readonly childNodes: ArrayLike<PageNode> & Iterable<PageNode>
  getAttribute?(name: string): string | null
}

export interface MarkdownOptions {
  /** Where relative links start. */
  base: URL
  /** Default true; false leaves the texts of links without their addresses. */
  withLinks?: boolean
}

const elementType = 1
const textType = 3
// no page that people read is as deep; further in, the text alone is taken
const maxDepth = 150
const silent = new Set(
  'script style noscript template head svg math iframe object canvas audio video button input select textarea dialog'.split(
    ' ',
  ),
)
const inline = new Set(
  'a abbr b bdi bdo cite code data del dfn em font i img ins kbd label mark q s samp small span strong sub sup time tt u var wbr'.split(
    ' ',
  ),
)

/** Writes a part of a page as Markdown. */
export function toMarkdown(root: PageNode, options: MarkdownOptions): string {
  return tidy(renderChildren(root, options, 0))
}

function renderChildren(node: PageNode, options: MarkdownOptions, depth: number): string {
  if (depth > maxDepth) return collapse(node.textContent ?? '')
  let text = ''
  for (const child of node.childNodes) {
    const piece = render(child, options, depth + 1)
    // one space between words is enough, and none at the beginning of a line
    text += text === '' || !isSpace(text.at(-1)) ? piece : piece.replace(/^ +/, '')
  }
  return text
}

function render(node: PageNode, options: MarkdownOptions, depth: number): string {
  if (node.nodeType === textType) return collapse(node.textContent ?? '')
  const name = node.nodeName.toLowerCase()
  if (node.nodeType !== elementType || silent.has(name)) return ''
  if (name === 'br') return '\n'
  if (name === 'hr') return block('---')
  if (name === 'pre') return block(`\`\`\`\n${(node.textContent ?? '').replace(/^\n/, '').trimEnd()}\n\`\`\``)
  if (name === 'img') return describeImage(node)
  const content = renderChildren(node, options, depth)
  if (inline.has(name)) return renderInline(name, node, content, options)
  const trimmed = content.trim()
  if (/^h[1-6]$/.test(name)) return trimmed && block(`${'#'.repeat(Number(name[1]))} ${oneLine(trimmed)}`)
  if (name === 'li') return `\n- ${trimmed.replaceAll('\n', '\n  ')}`
  if (name === 'ul' || name === 'ol') return block(trimmed)
  if (name === 'blockquote') return block(`> ${trimmed.replaceAll('\n', '\n> ')}`)
  if (name === 'tr') return `\n${trimmed.replace(/^\| /, '')}`
  if (name === 'td' || name === 'th') return `| ${oneLine(trimmed)} `
  return block(trimmed)
}

function renderInline(name: string, node: PageNode, content: string, options: MarkdownOptions): string {
  const text = content.trim()
  if (text === '') return content && ' '
  if (name === 'a') return around(content, toLink(oneLine(text), node.getAttribute?.('href'), options))
  if (name === 'code' || name === 'kbd' || name === 'samp') return around(content, `\`${text}\``)
  if (name === 'b' || name === 'strong') return around(content, `**${text}**`)
  return content
}

function toLink(
  text: string,
  href: string | null | undefined,
  { base, withLinks = true }: MarkdownOptions,
): string {
  if (!withLinks || !href || href.startsWith('#')) return text
  const url = URL.parse(href, base.href)
  // what a reader could not follow is not worth its characters
  return url && /^https?:$/.test(url.protocol) ? `[${text.replaceAll(/[[\]]/g, '\\$&')}](${url.href})` : text
}

function describeImage(node: PageNode): string {
  const description = collapse(node.getAttribute?.('alt') ?? '').trim()
  return description && `[image: ${description}]`
}

const block = (text: string) => (text === '' ? ' ' : `\n\n${text}\n\n`)
const isSpace = (character: string | undefined) => character === ' ' || character === '\n'
const collapse = (text: string) => text.replaceAll(/\s+/g, ' ')
const oneLine = (text: string) => collapse(text).trim()

/** Keeps the space that words around it need. */
const around = (content: string, text: string) =>
  `${/^\s/.test(content) ? ' ' : ''}${text}${/\s$/.test(content) ? ' ' : ''}`

/** No spaces at the ends of lines, and never more than one empty line. */
function tidy(text: string): string {
  const lines: string[] = []
  for (const line of text.split('\n')) {
    const trimmed = line.trimEnd()
    if (trimmed !== '' || lines.at(-1) !== '') lines.push(trimmed)
  }
  return lines.join('\n').trim()
}
