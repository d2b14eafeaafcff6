import type { ComponentProps } from 'react'
import { IconButton } from '../ui/button.tsx'
import { usePerform, useShortcut } from './actions-provider.tsx'
import { actionNamed, type ActionName } from './actions.ts'
import { useName } from './texts.ts'

interface Props extends Omit<ComponentProps<typeof IconButton>, 'label'> {
  action: ActionName
  /** Where it says more than the name of the action. */
  label?: string
}

/** An action as a button: with its icon, its name and its keys. */
export function ActionButton({ action, label, ...rest }: Props) {
  const nameOf = useName()
  const perform = usePerform()
  const { aria, text } = useShortcut(action)
  const { icon: Icon, label: own } = actionNamed(action)
  const name = label ?? nameOf(own)
  return (
    <IconButton label={name} hint={text} aria-keyshortcuts={aria} onClick={() => perform(action)} {...rest}>
      <Icon aria-hidden />
    </IconButton>
  )
}
