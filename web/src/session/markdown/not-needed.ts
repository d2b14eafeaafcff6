/**
 * Stands in for what Streamdown brings along and nothing here uses (see `vite.config.ts`): it takes elements out of
 * parsed HTML, of which there is none, settles classes of its own elements, which are all replaced, and writes Markdown.
 */
export const defaultSchema = {}
export const defaultHandlers = {}
export const harden = () => () => {}
export const twMerge = (...classes: unknown[]) => classes.filter(Boolean).join(' ')
export default () => () => {}
