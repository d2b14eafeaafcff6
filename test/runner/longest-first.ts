import { BaseSequencer, type TestSpecification } from 'vitest/node'

// they wait for processes, clocks and installations: begun last, they would be what everybody waits for
const long =
  /\/test\/(faults\/|docs-blocks|package|examples|workflow-run|turn-faults|terminal-tool|injection|migrations|cli\.|cli-terminal|sandbox|growth|backup-hostile|http\/stalls|e2e\/plans)/

/** Begins with the files that take longest, so that none of them runs alone at the end. */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const { rest = [], first = [] } = Object.groupBy(sorted, ({ moduleId }) =>
      long.test(moduleId) ? 'first' : 'rest',
    )
    return [...first, ...rest]
  }
}
