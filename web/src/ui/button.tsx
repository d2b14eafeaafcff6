import { clsx } from 'clsx'
import type { ComponentProps } from 'react'
import { Tooltip } from './tooltip.tsx'

interface Props extends ComponentProps<'button'> {
  variant?: 'plain' | 'primary' | 'ghost' | 'danger'
  size?: 'small' | 'normal'
}

const variants = {
  plain: 'border border-line bg-raised text-text hover:bg-hover',
  primary: 'bg-accent text-on-accent hover:bg-accent-strong',
  ghost: 'hover:bg-hover',
  danger: 'border border-line bg-raised text-danger hover:bg-hover',
}

export function Button({ variant = 'plain', size = 'normal', className, ...rest }: Props) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex shrink-0 items-center justify-center gap-1.5 rounded-md font-medium whitespace-nowrap [&_svg]:size-4',
        'disabled:cursor-default disabled:opacity-50',
        size === 'small' ? 'h-7 px-2 text-sm' : 'h-9 px-3',
        variants[variant],
        className,
      )}
      {...rest}
    />
  )
}

interface IconProps extends Omit<Props, 'aria-label'> {
  /** What it does: read aloud, and shown when pointed at. */
  label: string
  /** Shown beside the label, such as its keys. */
  hint?: string
}

export function IconButton({
  label,
  hint,
  variant = 'ghost',
  size = 'normal',
  className,
  ...rest
}: IconProps) {
  return (
    <Tooltip text={hint === undefined ? label : `${label} (${hint})`}>
      <Button
        aria-label={label}
        variant={variant}
        size={size}
        className={clsx(size === 'small' ? 'size-7' : 'size-9', 'px-0!', className)}
        {...rest}
      />
    </Tooltip>
  )
}
