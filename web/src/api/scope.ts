import { useSearch } from '@tanstack/react-router'

/** The workspace that is looked at; part of the URL, so that a link shows the same. */
export const useScope = (): string | undefined =>
  useSearch({ strict: false, select: ({ scope }: { scope?: string }) => scope })
