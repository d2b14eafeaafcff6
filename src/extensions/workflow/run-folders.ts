import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { WorkflowDeps } from './workflow-service.ts'
import type { Definition } from './named-steps.ts'

type FolderDeps = Pick<WorkflowDeps, 'workspacesDir'>

/** The folder of the run, which is that of its session and goes with it, and that of the workflow, for all its runs. */
export function foldersOf(
  { workspacesDir }: FolderDeps,
  { name, config }: Definition,
  { scope, sessionId, workflowId }: { scope: string; sessionId: string; workflowId?: string },
): { runWorkspaceDir?: string; persistentWorkspaceDir?: string } {
  if (workspacesDir === undefined) return {}
  const mode = config?.workspaceMode ?? 'dual'
  const shared = workflowId ?? createHash('sha256').update(`${scope}\n${name}`).digest('hex').slice(0, 24)
  return {
    ...(mode !== 'shared' && { runWorkspaceDir: join(workspacesDir, sessionId) }),
    ...(mode !== 'isolated' && { persistentWorkspaceDir: sharedFolder(workspacesDir, shared) }),
  }
}

/** Of a deleted workflow. The workflow is gone either way, so this never fails. */
export async function removeFolder({ workspacesDir }: FolderDeps, workflowId: string): Promise<void> {
  if (workspacesDir === undefined) return
  // leftovers are harmless: ids are not reused
  await rm(sharedFolder(workspacesDir, workflowId), { recursive: true, force: true }).catch(() => {})
}

const sharedFolder = (workspacesDir: string, id: string) => join(workspacesDir, 'workflows', id)
