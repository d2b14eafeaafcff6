import type { DocumentDiff } from './document.ts'
import type { InScope } from './names.ts'
import type { Session } from './session.ts'
import type {
  CreateWorkflow,
  RerunWorkflow,
  ResumeWorkflow,
  RollbackWorkflow,
  RunWorkflow,
  StartWorkflow,
  UpdateWorkflow,
  ValidateWorkflow,
  Workflow,
  WorkflowDiffQuery,
  WorkflowListQuery,
  WorkflowPage,
  WorkflowRun,
  WorkflowRunListQuery,
  WorkflowRunPage,
  WorkflowTemplate,
  WorkflowVerdict,
  WorkflowVersionListQuery,
  WorkflowVersionPage,
  WorkflowVersionText,
} from './workflow.ts'

/** Definitions of a scope and their runs. */
export interface Workflows {
  /** What was changed last comes first. */
  list(query?: WorkflowListQuery): Promise<WorkflowPage>
  get(id: string, options?: InScope): Promise<Workflow>
  /** Refused with `conflict` when the scope has one of that name. */
  create(input: CreateWorkflow): Promise<Workflow>
  /** The same text makes no new version. */
  update(id: string, input: UpdateWorkflow): Promise<Workflow>
  /** Its versions go with it; its runs stay. */
  delete(id: string, options?: InScope): Promise<void>
  validate(input: ValidateWorkflow): Promise<WorkflowVerdict>
  templates(): Promise<{ items: WorkflowTemplate[] }>
  /** The JSON Schema of definitions, for editors. */
  schema(): Promise<Record<string, unknown>>
  versions(id: string, query?: WorkflowVersionListQuery): Promise<WorkflowVersionPage>
  version(id: string, version: number, options?: InScope): Promise<WorkflowVersionText>
  /** Which lines were added and removed between two versions. */
  diff(id: string, query?: WorkflowDiffQuery): Promise<DocumentDiff>
  /** Makes a new version with the text of an old one. */
  rollback(id: string, input: RollbackWorkflow): Promise<Workflow>
  /** The session that edits the workflow, made when there is none; without an id one that will make a new workflow. */
  managementSession(id?: string, options?: InScope): Promise<Session>
  run(id: string, input?: RunWorkflow): Promise<WorkflowRun>
  start(input: StartWorkflow): Promise<WorkflowRun>
  /** Newest first. */
  runs(query?: WorkflowRunListQuery): Promise<WorkflowRunPage>
  getRun(id: string, options?: InScope): Promise<WorkflowRun>
  /** Refused with `conflict` when it was answered or has run out. */
  resume(id: string, input: ResumeWorkflow): Promise<WorkflowRun>
  /** Refused with `conflict` when it is over. */
  cancel(id: string, options?: InScope): Promise<WorkflowRun>
  /** A new run of the same definition. */
  rerun(id: string, input?: RerunWorkflow): Promise<WorkflowRun>
}
