import type { GroupModule } from 'parley/extension'
import type { Poll, Polls } from './operations.ts'

interface Own {
  polls: Polls
}

interface Options {
  scope?: string
  json?: boolean
}

/** Loaded when `polls` is on the command line. */
export const addCommands: GroupModule['addCommands'] = (group, { run, output }) => {
  const print = (poll: Poll, { json }: Options) =>
    json ? output.printJson(poll) : output.printAnswer(describe(poll))

  group
    .description('questions with choices that people and models vote about')
    .option('--url <url>', 'of a running server; without it the local store is used')
    .option('--scope <name>', 'the workspace (default)')

  group
    .command('list')
    .description('newest first')
    .action((_options, command) =>
      run<Options, Own>(command, async ({ polls }, { scope, json }) => {
        const { items } = await polls.list({ scope })
        if (json) return output.printJson({ items })
        const rows = items.map(({ id, isOpen, question }) => [id, isOpen ? 'open' : 'closed', question])
        output.printAnswer(output.formatTable(['id', 'state', 'question'], rows))
      }),
    )

  group
    .command('create <question> <choices...>')
    .description('ask something')
    .action((question: string, choices: string[], _options, command) =>
      run<Options, Own>(command, async ({ polls }, options) =>
        print(await polls.create({ scope: options.scope, question, choices }), options),
      ),
    )

  group
    .command('vote <id> <choice>')
    .description('vote; a later vote counts')
    .action((id: string, choice: string, _options, command) =>
      run<Options, Own>(command, async ({ polls }, options) =>
        print(await polls.vote(id, { scope: options.scope, choice }), options),
      ),
    )

  group
    .command('close <id>')
    .description('take no more votes')
    .action((id: string, _options, command) =>
      run<Options, Own>(command, async ({ polls }, options) =>
        print(await polls.close(id, { scope: options.scope }), options),
      ),
    )
}

const describe = ({ id, isOpen, question, choices }: Poll) =>
  [
    `${id}  ${isOpen ? 'open' : 'closed'}  ${question}`,
    ...choices.map(({ text, votes }) => `  ${votes}  ${text}`),
  ].join('\n')
