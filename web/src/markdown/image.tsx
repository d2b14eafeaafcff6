import { ImageOff } from 'lucide-react'
import { useTexts } from '../shell/texts.ts'
import { markdownTexts } from './texts.ts'
import { isDataImage, toSafeLink } from './safe-url.ts'

interface Props {
  src?: string
  alt?: string
}

/**
 * Only a picture that is in the message itself is shown. One from elsewhere would tell that elsewhere who reads what:
 * it is a link that one may follow.
 */
export function Image({ src, alt }: Props) {
  const t = useTexts(markdownTexts)
  const name = alt?.trim() || t.image
  if (isDataImage(src))
    return <img src={src} alt={alt ?? ''} className="my-2 max-h-96 max-w-full rounded-lg" />
  const link = toSafeLink(src)
  const content = (
    <>
      <ImageOff aria-hidden className="size-4 shrink-0" />
      <bdi className="min-w-0 wrap-anywhere">{link?.host ? t.remoteImage(name, link.host) : name}</bdi>
    </>
  )
  const className =
    'my-1 inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-surface px-2 py-1 text-sm'
  if (!link) return <span className={`${className} text-muted`}>{content}</span>
  return (
    <a href={link.href} target="_blank" rel="noopener noreferrer" className={`${className} hover:bg-hover`}>
      {content}
    </a>
  )
}
