import type { ComponentProps } from 'react'
import { IconButton } from '../ui/button.tsx'
import { actionTexts } from './action-texts.ts'
import { usePerform, useShortcut } from './actions-provider.tsx'
import { actionNamed, type ActionName } from './actions.ts'
import { useTexts } from './texts.ts'

interface Props extends Omit<ComponentProps<typeof IconButton>, 'label'> {
  action: ActionName
  /** Where it says more than the name of the action. */
  label?: string
}

/** An action as a button: with its icon, its name and its keys. */
export function ActionButton({ action, label, ...rest }: Props) {
  const t = useTexts(actionTexts)
  const perform = usePerform()
  const { aria, text } = useShortcut(action)
  const { icon: Icon } = actionNamed(action)
  const name = label ?? t.actions[action]
  return (
    <IconButton label={name} hint={text} aria-keyshortcuts={aria} onClick={() => perform(action)} {...rest}>
      <Icon aria-hidden />
    </IconButton>
  )
}
