import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../api/api.tsx'
import { settingsQuery } from '../api/catalogue-queries.ts'
import { useScope } from '../api/scope.ts'
import { useTexts } from '../shell/texts.ts'
import { changeRules, type RuleChange } from '../permissions/change-rules.ts'
import { permissionTexts } from '../permissions/texts.ts'
import { Failure, Loading } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'
import { GroupSwitchesSetting } from './group-switches.tsx'
import { PermissionModeSetting } from './permission-mode-setting.tsx'
import { RuleList } from './rule-list.tsx'
import { TrustSetting } from './trust-setting.tsx'
import { WebSearchSetting } from './web-search-setting.tsx'
import { useSaveSettings } from './use-save-settings.ts'

/** What models may do in the scope. */
export function PermissionSettings() {
  const client = useClient()
  const scope = useScope()
  const { data, error, refetch } = useQuery(settingsQuery(client, scope))
  const { isBusy, change } = useChangeRules()
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  return (
    <>
      {data.folder && <TrustSetting folder={data.folder} isBound={data.isBound} />}
      <PermissionModeSetting settings={data} />
      <GroupSwitchesSetting settings={data} />
      <WebSearchSetting settings={data} />
      <RuleList rules={data.permissionRules ?? []} isBound={data.isBound} isBusy={isBusy} onChange={change} />
    </>
  )
}

/** Changes the list as it is now, not as it was when the page was drawn: answers to asks add to it. */
function useChangeRules() {
  const t = useTexts(permissionTexts)
  const client = useClient()
  const scope = useScope()
  const toast = useToast()
  const queries = useQueryClient()
  const save = useSaveSettings()
  const [isBusy, setBusy] = useState(false)
  const change = async (wanted: RuleChange): Promise<boolean> => {
    setBusy(true)
    try {
      const { permissionRules = [] } = await client.settings.get({ scope })
      const rules = changeRules(permissionRules, wanted)
      if (!rules) {
        toast({ title: t.ruleGone })
        await queries.invalidateQueries({ queryKey: ['settings'] })
        return false
      }
      await save.mutateAsync({ permissionRules: rules.length > 0 ? rules : null })
      return true
    } catch {
      return false // told where it is saved
    } finally {
      setBusy(false)
    }
  }
  return { isBusy, change }
}
