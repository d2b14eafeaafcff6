/** The same as `jsx-runtime.ts` for `npm run dev`, where elements know the lines that they come from. */
import type { ElementType, Key } from 'react'
import { jsxDEV as toElement, type JSXSource } from 'react/jsx-dev-runtime'
import { Fragment, withVisible, type Props } from './jsx-runtime.ts'

export { Fragment }

export const jsxDEV = (
  type: ElementType,
  props: Props,
  key: Key | undefined,
  isStatic: boolean,
  source?: JSXSource,
  self?: unknown,
) => toElement(type, withVisible(type, props), key, isStatic, source, self)
