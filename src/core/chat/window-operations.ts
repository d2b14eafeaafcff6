import { operationsOf } from '../operations/operation.ts'
import { inScopeSchema, wholeNumber, pageQuerySchema } from '../protocol/names.ts'
import {
  memoVersionPageSchema,
  memoViewSchema,
  putMemoSchema,
  putWindowSchema,
  resizeRequestSchema,
  resizeSchema,
  undoMemoSchema,
  windowViewSchema,
} from '../protocol/window.ts'
import {
  getMemo,
  getWindow,
  listMemoVersions,
  putMemo,
  putWindow,
  resizeWindow,
  undoMemo,
} from '../sessions/window/window-and-memo.ts'
import type { Windows } from '../sessions/window/windows.ts'
import type { Store } from '../store/store.ts'

const window = operationsOf<{ store: Store; windows: Windows }>('window')
const windowView = { output: windowViewSchema, returns: 'The window as it is now' }
const memoView = { output: memoViewSchema, returns: 'The memo' }

/** What of a session's log the model sees. */
export const windowOperations = {
  /** What of the log the model sees, and what decides about it. */
  window: window.read('/api/sessions/{id}/window', {
    ...windowView,
    summary: 'Get the part of the log that the model sees, its settings, and the newest resizes',
    run: ({ tx, deps, caller }, { id }) => getWindow(tx, deps.windows, caller, id),
  }),
  /** Replaces what is set on the session; what is left out falls back to the configuration. */
  setWindow: window.write('PUT', '/api/sessions/{id}/window', {
    ...windowView,
    summary: 'Replace the window settings of a session; those left out fall back to the configuration',
    input: putWindowSchema,
    run: ({ tx, deps, caller }, { id }, input) => putWindow(tx, deps.windows, caller, id, input),
  }),
  /** Cuts the window back now; with a memo, that takes in everything first. */
  resize: window.write('POST', '/api/sessions/{id}/resize', {
    summary: 'Cut the window back now; a memo is updated with everything first',
    input: resizeRequestSchema,
    output: resizeSchema,
    returns: 'What was done',
    // a memo takes a model's time, and no transaction waits for that
    keepsKeys: false,
    run: ({ deps, caller }, { id }, input) => resizeWindow(deps.store, deps.windows, caller, id, input),
  }),
  /** The newest version of what is kept of messages that left the window, or the one named. */
  memo: window.read('/api/sessions/{id}/memo', {
    ...memoView,
    summary: 'Get the newest memo, or the requested version',
    input: inScopeSchema.extend({ version: wholeNumber(0).optional() }),
    run: ({ tx, deps, caller }, { id }, { version }) => getMemo(tx, deps.windows, caller, id, version),
  }),
  /** Newest first. */
  memoVersions: window.read('/api/sessions/{id}/memo/versions', {
    summary: 'List every memo of the session, newest first',
    input: pageQuerySchema,
    output: memoVersionPageSchema,
    returns: 'A page of versions',
    run: ({ tx, pages, caller }, { id }, page) => listMemoVersions(tx, pages, caller, id, page),
  }),
  setMemo: window.write('PUT', '/api/sessions/{id}/memo', {
    ...memoView,
    summary: 'Write the memo by hand, or pin keys of it',
    input: putMemoSchema,
    run: ({ tx, deps, caller }, { id }, input) => putMemo(tx, deps.windows, caller, id, input),
  }),
  /** Goes back to the version before, or to the one named. */
  undoMemo: window.write('POST', '/api/sessions/{id}/memo/undo', {
    ...memoView,
    summary: 'Return to the previous version, or to the given one',
    input: undoMemoSchema,
    run: ({ tx, deps, caller }, { id }, input) => undoMemo(tx, deps.windows, caller, id, input),
  }),
}
