/** Stands in for `mdast-util-to-markdown` (see `vite.config.ts`): nothing here writes Markdown. */
export const defaultHandlers = {}
