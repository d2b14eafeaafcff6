import { useParams } from '@tanstack/react-router'
import { PageFrame } from '../../ui/page-frame.tsx'
import { Failure, Loading } from '../../ui/states.tsx'
import { NotFound } from '../not-found.tsx'
import { useName } from '../texts.ts'
import { useExtensionPages } from './extension-list.ts'
import { MountedExtension } from './mounted-extension.tsx'
import { SandboxedExtension } from './sandboxed-extension.tsx'

/** A page that is not of the workbench: that of an extension of the server. */
export function Page() {
  const { extension } = useParams({ strict: false })
  const nameOf = useName()
  const { data, error, refetch } = useExtensionPages({ isNeeded: true })
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const page = data.find(({ name }) => name === extension)
  if (!page) return <NotFound />
  const View = page.isTrusted ? MountedExtension : SandboxedExtension
  return (
    <PageFrame title={nameOf(page.title)}>
      <View key={page.name} page={page} />
    </PageFrame>
  )
}
