import type { Element, Properties, Root, RootContent } from 'hast'
import { Fragment, type ElementType, type ReactElement } from 'react'
import { jsxOfTags, jsxsOfTags, type Props } from '../ui/jsx-runtime.ts'

/** What draws elements, by their tags; the others are drawn as they are. */
export type Views = Readonly<Record<string, ElementType>>

/** Draws what Markdown is read into: few tags with few attributes, which need none of the tables of all HTML. */
export const drawTree = ({ children }: Root, views: Views): ReactElement =>
  draw(Fragment, {}, drawAll(children, views))

type Drawn = ReactElement | string

const drawAll = (nodes: readonly RootContent[], views: Views) =>
  nodes.flatMap((node): Drawn[] => {
    if (node.type === 'text') return [node.value]
    return node.type === 'element' ? [drawElement(node, views)] : []
  })

function drawElement(node: Element, views: Views): ReactElement {
  const { tagName, properties, children } = node
  const View = Object.hasOwn(views, tagName) ? views[tagName] : undefined
  const drawn = drawAll(children, views).filter(
    // React allows no text between the rows of a table
    (child) => typeof child !== 'string' || !rowed.has(tagName) || child.trim() !== '',
  )
  return draw(View ?? (tagName as ElementType), { ...toProps(properties), ...(View && { node }) }, drawn)
}

const rowed = new Set(['table', 'thead', 'tbody', 'tr'])

const draw = (type: ElementType, props: Props, children: readonly Drawn[]) =>
  children.length > 1
    ? jsxsOfTags(type, { ...props, children })
    : jsxOfTags(type, { ...props, ...(children.length === 1 && { children: children[0] }) })

function toProps({ align, ...properties }: Properties): Props {
  const props: Props = align ? { style: { textAlign: align } } : {}
  for (const [name, value] of Object.entries(properties))
    if (value !== null && value !== undefined)
      props[toPropName(name)] = Array.isArray(value) ? value.join(' ') : value
  return props
}

const toPropName = (name: string) =>
  name.startsWith('aria')
    ? `aria-${name.slice('aria'.length).toLowerCase()}`
    : name.startsWith('data')
      ? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
      : name
