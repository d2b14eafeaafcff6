import type {
  CreatePlan,
  ImportMarkdown,
  OutlineQuery,
  Plan,
  PlanChanged,
  PlanListQuery,
  PlanOutline,
  PlanPage,
  PlanResults,
  PlanResultsQuery,
  PlanTree,
  PlanVersionListQuery,
  PlanVersionPage,
  TreeQuery,
  UndoPlan,
  UpdatePlan,
} from './plan.ts'
import type {
  CreateNode,
  DoneNode,
  MessageNode,
  MoveNode,
  NodeChanged,
  PlanNode,
  ResetNode,
  SkipNode,
  UpdateNode,
} from './plan-node.ts'
import type {
  DecomposePlan,
  ExecutePlan,
  PlanRun,
  PlanRunListQuery,
  PlanRunPage,
  RunNode,
} from './plan-run.ts'
import type { InScope } from './names.ts'

/** Trees of work of a scope, and what is done with them. */
export interface Plans {
  /** What was changed last comes first. */
  list(query?: PlanListQuery): Promise<PlanPage>
  get(id: string, options?: InScope): Promise<Plan>
  create(input: CreatePlan): Promise<Plan>
  update(id: string, input: UpdatePlan): Promise<Plan>
  /** With its nodes and versions; sessions that were bound to it are not any more. Refused while it is worked on. */
  delete(id: string, options?: InScope): Promise<void>
  tree(id: string, query?: TreeQuery): Promise<PlanTree>
  outline(id: string, query?: OutlineQuery): Promise<PlanOutline>
  /** As a list of tasks in Markdown, which `importMarkdown` takes. */
  markdown(id: string, options?: InScope): Promise<{ markdown: string }>
  importMarkdown(id: string, input: ImportMarkdown): Promise<PlanChanged>
  results(id: string, query?: PlanResultsQuery): Promise<PlanResults>

  node(id: string, nodeId: number, options?: InScope): Promise<PlanNode>
  addNode(id: string, input: CreateNode): Promise<NodeChanged>
  updateNode(id: string, nodeId: number, input: UpdateNode): Promise<NodeChanged>
  moveNode(id: string, nodeId: number, input: MoveNode): Promise<NodeChanged>
  /** With all below it. */
  deleteNode(id: string, nodeId: number, options?: InScope & { baseVersion?: number }): Promise<PlanChanged>
  /** It counts as done for those that wait for it. */
  skipNode(id: string, nodeId: number, input?: SkipNode): Promise<PlanChanged>
  resetNode(id: string, nodeId: number, input?: ResetNode): Promise<PlanChanged>
  /** A node that is partial, refused or failed counts as done all the same. */
  acceptNode(id: string, nodeId: number, options?: InScope): Promise<PlanNode>
  /** Ends what is being done for it; refused with `conflict` when nothing is. */
  stopNode(id: string, nodeId: number, options?: InScope): Promise<PlanNode>
  /** Says something to the session that does it. */
  messageNode(id: string, nodeId: number, input: MessageNode): Promise<PlanNode>
  /** A person did it: the note is its result, and what is open below it was done with it. */
  doneNode(id: string, nodeId: number, input: DoneNode): Promise<NodeChanged>

  /** Newest first. */
  versions(id: string, query?: PlanVersionListQuery): Promise<PlanVersionPage>
  undo(id: string, input?: UndoPlan): Promise<PlanChanged>

  execute(id: string, input?: ExecutePlan): Promise<PlanRun>
  runNode(id: string, nodeId: number, input?: RunNode): Promise<PlanRun>
  decompose(id: string, input?: DecomposePlan): Promise<PlanRun>
  /** Newest first. */
  runs(query?: PlanRunListQuery): Promise<PlanRunPage>
  getRun(id: string, options?: InScope): Promise<PlanRun>
  /** Refused with `conflict` when it is over. */
  cancelRun(id: string, options?: InScope): Promise<PlanRun>
  /** Of a run of actions that failed: those that were not done, again, as a run of its own. */
  retryRun(id: string, options?: InScope): Promise<PlanRun>
}
