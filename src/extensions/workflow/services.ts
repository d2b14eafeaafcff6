import type { WorkflowDeps } from './deps.ts'
import type { WorkflowFiles } from './files.ts'

/** All that those need who let others work with workflows: routes, tools and the library. */
export interface WorkflowServices {
  deps: WorkflowDeps
  files: WorkflowFiles
}
