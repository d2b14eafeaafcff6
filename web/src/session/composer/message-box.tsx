import { clsx } from 'clsx'
import { Paperclip } from 'lucide-react'
import { useRef, useState, type ClipboardEvent, type ReactNode } from 'react'
import { localeOf, useLanguage, useTexts } from '../../shell/texts.ts'
import { useAnnounce } from '../../ui/announcer.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AttachmentChips } from './attachment-chips.tsx'
import { addAttachments, freeName, longPasteLength, readFile, textToAttachment } from './attachments.ts'
import { composerTexts } from '../texts.ts'
import { TypingArea } from './typing-area.tsx'
import type { Mentions } from './use-completion.ts'
import { useFileDrop } from './use-file-drop.ts'
import type { UnsentControl } from './use-unsent.ts'

interface Props {
  control: UnsentControl
  sessionId?: string
  mentions?: Mentions
  placeholder?: string
  takesFocus?: boolean
  onSubmit(isOther: boolean): void
  onEscape?(): void
  onEditLast?(): void
  /** Beside the button for files. */
  tools?: ReactNode
  /** At the end of the row. */
  actions: ReactNode
}

/** Text and files of a message, before it is sent. */
export function MessageBox({ control, tools, actions, ...rest }: Props) {
  const t = useTexts(composerTexts)
  const { unsent, read, change } = control
  const input = useRef<HTMLInputElement>(null)
  const [longPaste, setLongPaste] = useState<string>()
  const attach = useAttach(control)
  const isOver = useFileDrop(attach)

  const onPaste = (event: ClipboardEvent<HTMLTextAreaElement>) => {
    const { files } = event.clipboardData
    const text = event.clipboardData.getData('text/plain')
    // some programs put a picture of the text beside it
    if (files.length > 0 && text === '') {
      event.preventDefault()
      attach([...files])
    }
    // browsers give every line end as it was; the box makes one kind of them
    if (text.length >= longPasteLength) setLongPaste(text.replace(/\r\n?/g, '\n'))
  }
  const isOffered = longPaste !== undefined && unsent.text.includes(longPaste)
  const attachPaste = () => {
    const { text, attachments } = read()
    const file = textToAttachment(freeName(attachments), longPaste!)
    change({ text: text.replace(longPaste!, () => ''), attachments: [...attachments, file] })
    setLongPaste(undefined)
    document.getElementById('composer')?.focus()
  }

  return (
    <>
      {isOffered && (
        <LongPaste length={longPaste.length} onAttach={attachPaste} onKeep={() => setLongPaste(undefined)} />
      )}
      <div
        className={clsx(
          'relative rounded-xl border bg-raised focus-within:border-accent',
          isOver ? 'border-accent' : 'border-line',
        )}
      >
        {isOver && (
          <p className="pointer-events-none absolute inset-0 z-30 flex items-center justify-center rounded-xl bg-selected font-medium">
            {t.dropHere}
          </p>
        )}
        <AttachmentChips
          attachments={unsent.attachments}
          onRemove={(id) => change({ attachments: read().attachments.filter((file) => file.id !== id) })}
        />
        <TypingArea {...rest} text={unsent.text} onChange={(text) => change({ text })} onPaste={onPaste} />
        <div className="flex items-center gap-1 p-1.5">
          <IconButton label={t.attach} size="small" onClick={() => input.current!.click()}>
            <Paperclip />
          </IconButton>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            data-attach
            onChange={({ target }) => {
              attach([...(target.files ?? [])])
              // the same file can be chosen again
              target.value = ''
            }}
          />
          {tools}
          <span className="flex-1" />
          {actions}
        </div>
      </div>
    </>
  )
}

function LongPaste({ length, ...on }: { length: number; onAttach(): void; onKeep(): void }) {
  const t = useTexts(composerTexts)
  const language = useLanguage()
  return (
    <div className="mb-1.5 flex flex-wrap items-center gap-2 rounded-lg bg-mark px-3 py-1.5 text-sm">
      <p className="flex-1">{t.longPaste(length.toLocaleString(localeOf(language)))}</p>
      <Button size="small" onClick={on.onAttach}>
        {t.longPasteAttach}
      </Button>
      <Button size="small" variant="ghost" onClick={on.onKeep}>
        {t.longPasteKeep}
      </Button>
    </div>
  )
}

/** Reads files and puts them beside the text; says which could not be taken. */
function useAttach({ read, change }: UnsentControl) {
  const t = useTexts(composerTexts)
  const toast = useToast()
  const announce = useAnnounce()
  return (files: readonly File[]) =>
    void (async () => {
      const all = await Promise.all(
        files.map(async (file) => ({
          name: file.name,
          result: await readFile(file).catch(() => 'unreadable' as const),
        })),
      )
      const { attachments: present } = read()
      const { attachments, refused } = addAttachments(present, all)
      change({ attachments })
      const added = attachments.slice(present.length)
      if (added.length > 0) announce(t.attached(added.map(({ name }) => name).join(', ')))
      for (const { name, reason } of refused) toast({ title: t.refused[reason](name) })
    })()
}
