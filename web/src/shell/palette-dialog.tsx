import { Autocomplete } from '@base-ui/react/autocomplete'
import { Dialog } from '@base-ui/react/dialog'
import { Search } from 'lucide-react'
import { useState } from 'react'
import { isComposing } from '../ui/on-enter.ts'
import { UnsearchedNote } from '../ui/unsearched-note.tsx'
import { appTexts, paletteTexts } from './shell-texts.ts'
import { setOverlay } from './overlays.ts'
import { addRecent, readRecent, toPalette, type PaletteGroup, type PaletteItem } from './palette-items.ts'
import { useTexts } from './texts.ts'
import { usePaletteGroups } from './use-palette-groups.ts'

export function PaletteDialog() {
  const t = useTexts(paletteTexts)
  const { palette, close } = useTexts(appTexts)
  const [query, setQuery] = useState('')
  const [recent] = useState(readRecent)
  const { groups, error, indexing } = usePaletteGroups(query.trim())
  const shown = toPalette(groups, { query: query.trim(), recent, recentLabel: t.groups.recent })
  const pick = (item: PaletteItem) => {
    addRecent(item.id)
    setOverlay(undefined)
    // when the dialog is gone and has given the focus back, so that an action can take it
    setTimeout(() => item.perform(), 30)
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && setOverlay(undefined)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-30 bg-black/40" />
        <Dialog.Popup
          aria-label={palette}
          className="fixed top-[10%] left-1/2 z-40 flex max-h-[70%] w-[calc(100%-1.5rem)] max-w-xl -translate-x-1/2 flex-col overflow-hidden rounded-xl border border-line bg-raised shadow-popup outline-none"
        >
          <Autocomplete.Root
            open
            inline
            mode="none"
            items={shown}
            value={query}
            onValueChange={(next, { reason }) => {
              if (reason === 'input-change' || reason === 'input-clear') setQuery(next)
            }}
            itemToStringValue={({ label }) => label}
            autoHighlight="always"
            keepHighlight
          >
            <div className="flex items-center gap-2 border-b border-line px-3">
              <Search aria-hidden className="size-4 shrink-0 text-muted" />
              <Autocomplete.Input
                aria-label={t.placeholder}
                placeholder={t.placeholder}
                maxLength={200}
                onKeyDown={(event) => {
                  if (isComposing(event)) event.preventBaseUIHandler()
                }}
                className="h-11 w-full min-w-0 bg-transparent outline-none placeholder:text-muted"
              />
            </div>
            <Dialog.Close className="sr-only">{close}</Dialog.Close>
            {error !== null && (
              <p role="alert" className="px-3 py-2 text-sm text-danger">
                {t.failed}
              </p>
            )}
            <UnsearchedNote indexing={indexing} className="px-3 pt-2" />
            <Autocomplete.Empty className="p-4 text-center text-sm text-muted empty:p-0">
              {t.none}
            </Autocomplete.Empty>
            <Autocomplete.List className="min-h-0 flex-1 scroll-py-1 overflow-y-auto overscroll-contain p-1 data-empty:p-0">
              {(group: PaletteGroup) => (
                <Autocomplete.Group key={group.value} items={group.items}>
                  <Autocomplete.GroupLabel className="px-2 pt-2 pb-1 text-xs font-medium text-muted">
                    {group.value}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(item: PaletteItem) => <Line key={item.id} item={item} onPick={() => pick(item)} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
          <p className="border-t border-line px-3 py-1.5 text-xs text-muted">{t.hint}</p>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function Line({ item, onPick }: { item: PaletteItem; onPick(): void }) {
  const { icon: Icon } = item
  return (
    <Autocomplete.Item
      value={item}
      onClick={onPick}
      className="flex min-h-8 cursor-default items-center gap-2 rounded-md px-2 py-1 text-sm outline-none data-highlighted:bg-selected"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <bdi className="min-w-0 flex-1 truncate">{item.label}</bdi>
      {item.detail && <bdi className="max-w-[50%] shrink-0 truncate text-xs text-muted">{item.detail}</bdi>}
    </Autocomplete.Item>
  )
}
