import { z } from 'zod'
import type { HookEvent } from '../../core/hooks/hook.ts'
import { maskCommand } from '../../core/settings/mask-settings.ts'
import { setting } from '../../core/settings/setting.ts'
import { oneOf, wholeNumber } from '../../core/settings/values.ts'
import { builtInSettings } from '../../extensions/built-in.ts'

const contributed = builtInSettings.flatMap(({ hookEvents }) => hookEvents ?? [])
const hookEvents: readonly HookEvent[] = [
  'PreToolUse',
  'PostToolUse',
  ...contributed.flatMap(({ names }) => names),
]
const hookCommandError = 'a list with a program and its arguments'
const commandHooks = z.array(
  z
    .strictObject(
      {
        event: oneOf(...hookEvents),
        id: z
          .string('a name')
          .regex(/^[\w .:-]{1,64}$/, 'a name of 1 to 64 letters, digits and " _.:-"')
          .optional(),
        tool: z
          .string('the name of a tool, or a pattern with *')
          .min(1, 'the name of a tool, or a pattern with *')
          .optional(),
        command: z
          .array(z.string('a text'), hookCommandError)
          .min(1, hookCommandError)
          .refine(([program]) => program !== '', hookCommandError),
        priority: z.number('a number').optional(),
        timeoutMs: wholeNumber(1, 600_000).optional(),
        onFailure: oneOf('allow', 'deny').optional(),
      },
      'a mapping with event and command',
    )
    .refine(
      ({ event, tool }) => tool === undefined || event.endsWith('ToolUse'),
      'without tool, unless its event is PreToolUse or PostToolUse',
    )
    .refine(
      ({ event, onFailure }) => onFailure === undefined || event === 'PreToolUse',
      'without onFailure, unless its event is PreToolUse',
    ),
  'a list of hooks',
)

/** Programs that are called around tool calls. */
export const hookSettings = {
  'hooks.commands': setting(commandHooks, {
    description:
      `Programs that are called ${['before and after tool calls', ...contributed.map(({ when }) => when)].join(', and ')}: ` +
      '`{event, tool, command, timeoutMs, priority, id, onFailure}`. Only in your own file.',
    default: [],
    secret: true,
    mask: (hooks) => hooks.map((hook) => ({ ...hook, command: maskCommand(hook.command) })),
    resolve: (hooks, toPath) =>
      hooks.map(({ command: [program = '', ...args], ...hook }) => ({
        ...hook,
        // a bare name is resolved through PATH
        command: [/[\\/]/.test(program) ? toPath(program) : program, ...args],
      })),
  }),
  'hooks.timeoutMs': setting(wholeNumber(1, 600_000), {
    description: 'Default time limit of a hook, in milliseconds.',
    default: 10_000,
  }),
}
