import { createContext } from 'react'

/** The Markdown of which a section is drawn; where an element stands in it is known by its node. */
export const SourceContext = createContext('')
