/** A row of the table of a run; where there is no room for a table, a line with what it says below it. */
export const rowClasses =
  'border-b border-line align-top last:border-b-0 max-sm:flex max-sm:flex-wrap max-sm:items-start max-sm:gap-x-3 max-sm:gap-y-1 max-sm:px-3 max-sm:py-2 [&>td]:px-3 [&>td]:py-2 [&>td]:max-sm:p-0'

/** Its first cell, as far in as `--depth` says. */
export const headClasses =
  'py-2 ps-[calc(0.75rem+var(--depth)*1rem)] pe-3 text-start font-normal max-sm:min-w-0 max-sm:flex-1 max-sm:py-0 max-sm:ps-[calc(var(--depth)*0.75rem)] max-sm:pe-0'
