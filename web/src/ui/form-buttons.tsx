import { appTexts } from '../shell/shell-texts.ts'
import { useTexts } from '../shell/texts.ts'
import { Button } from './button.tsx'

interface Props {
  /** On the button that submits. */
  label: string
  busyLabel: string
  isBusy: boolean
  variant?: 'primary' | 'danger'
  onClose(): void
}

/** The two ways out of a form that is opened in the place of what it changes. */
export function FormButtons({ label, busyLabel, isBusy, variant = 'primary', onClose }: Props) {
  const { cancel } = useTexts(appTexts)
  return (
    <div className="flex flex-wrap gap-1.5">
      <Button type="submit" size="small" variant={variant} disabled={isBusy}>
        {isBusy ? busyLabel : label}
      </Button>
      <Button size="small" variant="ghost" onClick={onClose}>
        {cancel}
      </Button>
    </div>
  )
}
