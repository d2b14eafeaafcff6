/**
 * What the build puts in place of React's: each text that becomes a part of the page passes here, so that control
 * characters, directional overrides and what cannot be seen are drawn as marks, whoever wrote the text and whichever
 * component shows it. What is typed into fields stays as it is.
 */
import { Fragment, type ElementType, type Key } from 'react'
import { jsx as toElement, jsxs as toElements } from 'react/jsx-runtime'
import { mayHide, toPieces, toVisible } from '../../../src/core/shared/visible.ts'
import { drawPieces } from './visible-text.ts'

export type Props = Record<string, unknown>

export { Fragment }

export const jsx = (type: ElementType, props: Props, key?: Key) =>
  toElement(type, withVisible(type, props), key)
export const jsxs = (type: ElementType, props: Props, key?: Key) =>
  toElements(type, withVisible(type, props), key)

/** The same where components want to read their text first, and draw it then. */
export const jsxOfTags = (type: ElementType, props: Props, key?: Key) =>
  typeof type === 'string' ? jsx(type, props, key) : toElement(type, props, key)
export const jsxsOfTags = (type: ElementType, props: Props, key?: Key) =>
  typeof type === 'string' ? jsxs(type, props, key) : toElements(type, props, key)

// these hold nothing but text
const textOnly = new Set<unknown>(['title', 'option', 'textarea', 'style', 'script', 'text', 'tspan', 'desc'])
// read aloud or shown by the browser itself
const spoken = ['title', 'aria-label', 'alt', 'placeholder']

export function withVisible(type: ElementType, props: Props): Props {
  let changed = props
  const set = (name: string, value: unknown) => {
    if (value !== changed[name]) changed = { ...changed, [name]: value }
  }
  const draw = textOnly.has(type) ? asText : asPieces
  const { children } = props
  if (typeof children === 'string') set('children', draw(children))
  else if (Array.isArray(children) && children.some(isHiding))
    set(
      'children',
      children.map((child: unknown) => (typeof child === 'string' ? draw(child) : child)),
    )
  if (typeof type === 'string')
    for (const name of spoken) {
      const value = props[name]
      if (typeof value === 'string') set(name, asText(value))
    }
  return changed
}

const isHiding = (child: unknown) => typeof child === 'string' && mayHide(child)
const asText = (text: string) => (mayHide(text) ? toVisible(text) : text)

function asPieces(text: string) {
  if (!mayHide(text)) return text
  const pieces = toPieces(text)
  return pieces.some(({ mark }) => mark) ? drawPieces(pieces) : text
}
