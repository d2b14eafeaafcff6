import { useTexts } from '../shell/texts.ts'
import { SearchBox } from '../ui/search-box.tsx'
import { sidebarTexts } from './texts.ts'

interface Props {
  value: string
  onChange(words: string): void
}

export function SessionSearch({ value, onChange }: Props) {
  const t = useTexts(sidebarTexts)
  return (
    <SearchBox
      data-session-search
      label={t.search}
      clearLabel={t.clearSearch}
      maxLength={200}
      value={value}
      className="mx-2 mb-1"
      onChange={onChange}
    />
  )
}
