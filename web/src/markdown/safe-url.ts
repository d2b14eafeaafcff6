/** Where a link of a message may lead: other pages and letters, named in full. Undefined for everything else. */
export function toSafeLink(url: string | undefined): URL | undefined {
  const parsed = parse(url)
  return parsed && ['http:', 'https:', 'mailto:'].includes(parsed.protocol) ? parsed : undefined
}

/** A picture that is part of the message itself; nothing is asked from anybody to show it. */
export const isDataImage = (url: string | undefined): url is string =>
  /^data:image\/(png|jpeg|gif|webp|avif|svg\+xml)[;,]/i.test(url ?? '')

/** Every address that Markdown can bring in passes here: what may not be used is gone before anything is drawn. */
export const keepSafeUrl = (url: string, attribute: string): string | undefined => {
  if (attribute === 'src' && isDataImage(url)) return url
  // a note at the foot of the same text
  if (attribute === 'href' && /^#user-content-[\w-]+$/.test(url)) return url
  return toSafeLink(url)?.href
}

function parse(url: string | undefined): URL | undefined {
  try {
    return url === undefined ? undefined : new URL(url)
  } catch {
    return undefined // relative, or no address at all
  }
}
