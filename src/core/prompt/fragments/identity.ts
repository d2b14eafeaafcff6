import { tagged, type Fragment } from '../fragment.ts'

export const identity: Fragment = {
  name: 'identity',
  render: ({ session, persona }) =>
    persona !== undefined
      ? persona || undefined
      : tagged(
          'identity',
          session.kind === 'background'
            ? 'You are an assistant that works in the background on one task. Nobody reads along and nobody can answer questions; decide for yourself, and say in the result what you assumed.'
            : 'You are a helpful assistant in a workspace. You talk with its owner, and work with the tools you are given.',
        ),
}
