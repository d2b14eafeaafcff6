import { CalendarPlus } from 'lucide-react'
import { useSearchState } from '../shell/search-state.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from '../ui/button.tsx'
import { PageFrame } from '../ui/page-frame.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { CronView } from './cron-view.tsx'
import { CronList } from './cron-list.tsx'
import { cronsTexts } from './texts.ts'
import type { CronsSearch } from './crons-search.ts'
import { HookList } from './hook-list.tsx'
import { useFireUpdates } from './use-fire-updates.ts'

export function Page() {
  const t = useTexts(cronsTexts)
  const [{ tab, cron }, setSearch] = useSearchState<CronsSearch>()
  useFireUpdates()
  if (cron !== undefined) return <CronView key={cron} id={cron} />
  const isHooks = tab === 'hooks'
  return (
    <PageFrame
      title={t.title}
      actions={
        <Button variant="primary" size="small" onClick={() => setSearch({ form: 'new' })}>
          <CalendarPlus aria-hidden />
          {isHooks ? t.addHook : t.add}
        </Button>
      }
    >
      <Tabs
        label={t.views}
        value={isHooks ? 'hooks' : 'crons'}
        onChange={(name) => setSearch({ tab: name === 'hooks' ? name : undefined, form: undefined })}
        tabs={[
          { name: 'crons', label: t.byTime, panel: <CronList /> },
          { name: 'hooks', label: t.byEvent, panel: <HookList /> },
        ]}
      />
    </PageFrame>
  )
}
