import { File } from 'lucide-react'
import { memo } from 'react'
import type { Part } from '../../../../src/client/index.ts'
import { useTexts } from '../../shell/texts.ts'
import { Image } from '../../markdown/image.tsx'
import { sessionTexts } from '../texts.ts'

/** Something that was attached: shown when it is a picture, handed out when it is in the message, named otherwise. */
export const FilePart = memo(function FilePart({ part }: { part: Part }) {
  const t = useTexts(sessionTexts)
  const { url, mediaType, filename } = part as Part & { url: string; mediaType: string; filename?: string }
  const name = filename || t.file
  if (mediaType.startsWith('image/')) return <Image src={url} alt={name} />
  const className =
    'my-1 inline-flex max-w-full items-center gap-1.5 rounded-md border border-line bg-raised px-2 py-1 text-sm'
  const content = (
    <>
      <File aria-hidden className="size-4 shrink-0" />
      <bdi className="truncate">{name}</bdi>
      <span className="shrink-0 text-xs text-muted">{mediaType.slice(0, 60)}</span>
    </>
  )
  // a download is never opened here, whatever it claims to be
  if (!url.startsWith('data:')) return <span className={className}>{content}</span>
  return (
    <a href={url} download={name} className={`${className} hover:bg-hover`}>
      {content}
    </a>
  )
})
