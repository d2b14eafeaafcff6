/**
 * Stands in for the parser of HTML that Streamdown brings along (see `vite.config.ts`): tags in a text are never made
 * into elements here, and a parser that is not there cannot be tricked. It is also a sixth of the page's size.
 */
export default function noRawHtml() {
  throw new Error('Tags in a text are words: nothing may ask for them to be parsed.')
}
