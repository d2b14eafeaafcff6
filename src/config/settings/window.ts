import { windowModes, windowPresets } from '../../core/protocol/window.ts'
import { setting } from '../../core/settings/setting.ts'
import { instruction, memoSchema, model, onOff, oneOf, wholeNumber } from '../../core/settings/values.ts'

// as far as the protocol lets a session go
const windowLimit = wholeNumber(0, 1_000_000_000, ' (0 is no limit)')

/** The names are those of a session's own window; what is unset here falls to the engine's defaults. */
export const windowSettings = {
  'session.mode': setting(oneOf(...windowModes), {
    description:
      'What happens to messages that leave the window of a session. lite: they are only in the log. ' +
      'memo: they are summarised first.',
    defaultText: '`lite`',
    project: 'always',
  }),
  'session.preset': setting(oneOf(...windowPresets), {
    description:
      'A ready-made window: last-20 and last-10 keep that many messages, rounds-4-3 keeps four turns and drops ' +
      'three at a time, unlimited keeps all. Limits that are set here take precedence.',
    project: 'always',
  }),
  'session.limit.chars': setting(windowLimit, {
    description:
      'Maximum characters in the window of a session; 0 is no limit. Takes precedence over `session.resize`.',
    defaultText: '`400000`',
    project: 'always',
  }),
  'session.limit.messages': setting(windowLimit, {
    description: 'Maximum messages in the window; 0 is no limit. Takes precedence over `session.resize`.',
    defaultText: '`400`',
    project: 'always',
  }),
  'session.limit.tokens': setting(windowLimit, {
    description: 'Maximum tokens in the window, estimated; 0 is no limit.',
    defaultText: '70 % of what the model takes in, where that is known',
    project: 'always',
  }),
  'session.resize.every_n_turns': setting(windowLimit, {
    description: 'Cut the window back after this many turns even when it is not full; 0 is never.',
    defaultText: '`0`',
    project: 'always',
  }),
  'session.resize.max_messages_text_length': setting(windowLimit, {
    description: 'The same as `session.limit.chars`, used if that is not set.',
    project: 'always',
  }),
  'session.resize.max_keep_messages_count': setting(windowLimit, {
    description: 'The same as `session.limit.messages`, used if that is not set.',
    project: 'always',
  }),
  'session.memo.enabled': setting(onOff, {
    description: 'Whether to keep a memo of what left the window, regardless of `session.mode`.',
    defaultText: 'by `session.mode`',
    project: 'always',
  }),
  'session.memo.instruct': setting(instruction, {
    description: 'Instructions for updating the memo, instead of the built-in ones.',
    project: 'always',
  }),
  'session.memo.schema': setting(memoSchema, {
    description:
      'JSON Schema of the memo. The built-in one has profile, preferences, constraints, tasks, decisions, facts ' +
      'and recent_summary.',
    project: 'always',
  }),
  'session.memo.model': setting(model, {
    description: 'Model that updates the memo, as `adapter/model`.',
    defaultText: 'that of the session',
    project: 'trusted',
  }),
  'session.memo.max_length': setting(wholeNumber(100, 1_000_000), {
    description: 'Maximum characters of the memo, as JSON.',
    defaultText: '`8000`',
    project: 'always',
  }),
  'session.memo.timeout_ms': setting(wholeNumber(100, 3_600_000), {
    description: 'Time limit of one memo update, and of each handler of a program, in milliseconds.',
    defaultText: '`60000`',
    project: 'always',
  }),
}
