import { useNavigate, useSearch } from '@tanstack/react-router'

type Values<Name extends string> = Partial<Record<Name, string>>

/** What a page keeps in the URL beside its path; undefined in a patch takes a value away. */
export function useSearchState<Name extends string>(): [
  Values<Name>,
  (patch: Values<Name>, options?: { replace?: boolean }) => void,
] {
  const search: Record<string, unknown> = useSearch({ strict: false })
  const navigate = useNavigate()
  const values = Object.fromEntries(
    // a value that reads as a number or as true comes as one
    Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]])),
  ) as Values<Name>
  return [
    values,
    (patch, { replace = false } = {}) =>
      void navigate({
        to: '.',
        replace,
        search: (before: object) => ({ ...before, ...withNumbers(patch) }),
      } as never),
  ]
}

/** As text a number would stand in quotes, where people read and write it. */
const withNumbers = (patch: Values<string>) =>
  Object.fromEntries(
    Object.entries(patch).map(([name, value]) => [name, isNumber(value) ? Number(value) : value]),
  )

const isNumber = (value: string | undefined) =>
  Number.isFinite(Number(value)) && String(Number(value)) === value
