import { tagged, type Fragment } from '../fragment.ts'

/** Where the session lives. Nothing in it changes while the session does: no time, no counters. */
export const env: Fragment = {
  name: 'env',
  render: ({ scope, session, persona }) =>
    // an agent of a program has no folder to know of
    persona !== undefined && scope.root === undefined
      ? undefined
      : tagged(
          'env',
          [
            `scope: ${scope.name}`,
            scope.root && `root: ${scope.root}`,
            ...(session.folders ?? []).map(({ shownAs, path }) => `${shownAs}: ${path}`),
          ]
            .filter(Boolean)
            .join('\n'),
        ),
}
