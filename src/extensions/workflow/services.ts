import type { WorkflowDeps } from './workflow-service.ts'
import type { WorkflowFiles } from './workflow-files.ts'

/** All that those need who let others work with workflows: routes, tools and the library. */
export interface WorkflowServices {
  deps: WorkflowDeps
  files: WorkflowFiles
}
