import type { ParleyClient } from '../../../../src/client/index.ts'
import type { FilledPath } from '../pages.ts'

/** What the module of a trusted extension exports: it draws into the element with whatever it likes. */
export interface ExtensionModule {
  /** Returns what takes it away again. */
  mount(element: HTMLElement, host: ExtensionHost): (() => void) | void
}

/** What a mounted page gets of the workbench. What it reads is always as it stands now. */
export interface ExtensionHost {
  /** The calls of the API, with the key of whoever looks. */
  readonly client: ParleyClient
  /** The workspace that is looked at; undefined is the usual one. */
  readonly scope: string | undefined
  readonly navigation: {
    /** What follows `/x/<extension>/` in the URL. */
    readonly path: string
    /** To another page of the extension. */
    goTo(path: string): void
    /** To a page of the workbench. */
    open(path: FilledPath): void
  }
  /** As `Intl` takes it. */
  readonly locale: string
  readonly theme: 'light' | 'dark'
  /** Calls back when path, scope, locale or theme have changed; returns how to end that. */
  subscribe(listener: () => void): () => void
}
