import { useName } from '../texts.ts'
import type { ExtensionPage } from './extension-list.ts'

/**
 * The page of an extension that nobody vouches for: a document of its own, without our origin, our key and our API. What it
 * may ask the workbench for, by messages, has its place here.
 */
export function SandboxedExtension({ page: { title, source } }: { page: ExtensionPage }) {
  const nameOf = useName()
  return <iframe title={nameOf(title)} sandbox="allow-scripts" src={source} className="size-full border-0" />
}
