import { clsx } from 'clsx'
import { EllipsisVertical } from 'lucide-react'
import { useState, type ComponentProps } from 'react'
import { Menu, type MenuItem } from '../ui/menu.tsx'

interface Props extends ComponentProps<'button'> {
  label: string
  items(): MenuItem[]
}

/** The menu of a row, of which there are thousands: made when somebody asks for it. */
export function RowMenu({ label, items, className, ...rest }: Props) {
  const [isAsked, setAsked] = useState(false)
  const button = (
    <button
      type="button"
      aria-label={label}
      aria-haspopup="menu"
      title={label}
      data-row-menu
      onDoubleClick={(event) => event.stopPropagation()}
      onClick={(event) => {
        event.stopPropagation()
        setAsked(true)
      }}
      className={clsx(
        'inline-flex size-7 shrink-0 items-center justify-center rounded-md hover:bg-hover',
        className,
      )}
      {...rest}
    >
      <EllipsisVertical aria-hidden className="size-4" />
    </button>
  )
  if (!isAsked) return button
  return (
    // what is chosen in it is not chosen in the row
    <span role="presentation" className="contents" onClick={(event) => event.stopPropagation()}>
      <Menu defaultOpen trigger={button} items={items()} />
    </span>
  )
}
