import { defineExtension } from '../../core/extension.ts'
import { terminalFacets } from './facets.ts'
import {
  amount,
  choice,
  count,
  filledText,
  objectWith,
  optionGroup,
  textList,
} from '../../core/protocol/options.ts'
import { createTerminalTools, type TerminalSettings } from './terminal-tool.ts'

interface TerminalOptions {
  /** Bounds of commands, and what they see of the environment; what is left out has its default. */
  terminal?: TerminalSettings
}

declare module '../../core/compose/options.ts' {
  interface ExtensionOptions extends TerminalOptions {}
}

/** Commands that models run. */
export const terminal = defineExtension({
  name: 'terminal',
  store: { name: 'terminal', facets: terminalFacets },
  toolNames: ['terminal'],
  secretOptions: ['terminal'],
  options: {
    terminal: optionGroup<TerminalSettings>({
      timeoutSeconds: amount,
      maxTimeoutSeconds: amount,
      maxOutput: count,
      maxLogBytes: count,
      maxPerSession: count,
      idleMs: count,
      sandbox: choice('auto', 'off'),
      network: choice('off', 'on'),
      hosts: textList,
      readable: textList,
      bubblewrap: filledText,
      maxMemoryBytes: count,
      maxProcesses: count,
      maxTemporaryBytes: count,
      maxLookedEntries: count,
      maxGuarded: count,
      environment: objectWith<NonNullable<TerminalSettings['environment']>>('an object of variables'),
      variables: textList,
    }),
  },
  create({ store, ids, clock, sandbox }, { options }) {
    const terminals = createTerminalTools(options.terminal ?? {}, {
      ids,
      clock,
      sandbox,
      folders: store.facets.folders,
      hasSession: async ({ scope, sessionId }) => (await store.getSession(scope, sessionId)) !== undefined,
      onSessionDeleted: (listener) =>
        store.subscribe(({ type }) => {
          if (type === 'session-deleted') listener()
        }),
    })
    return {
      service: undefined,
      tools: terminals.tools,
      readEffective: () => ({ sandbox: sandbox.state().kind }),
      close: () => terminals.close(),
    }
  },
})
