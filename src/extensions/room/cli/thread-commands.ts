import type { Command } from 'commander'
import { formatTable, printAnswer, printJson, printProgress } from '../../../core/command-line/output.ts'
import type { CommandContext, Options } from '../../../core/command-line/command-group.ts'
import { printMore, toCount, withPage } from '../../../core/command-line/option-values.ts'

export function addThreadCommands(rooms: Command, { run }: CommandContext): void {
  const threads = rooms.command('threads').description('groups of rooms')

  withPage(threads.command('list'))
    .description('last changed first')
    .option('--archived', 'only the archived ones')
    .action((_options, command: Command) =>
      run<Options & { archived?: boolean }>(command, async ({ threads: api }, options) => {
        const { scope, archived, limit, cursor, json } = options
        const filter = { archived: archived ? ('true' as const) : undefined, cursor }
        const page = await api.list({ scope, ...filter, limit: toCount('--limit', limit) })
        if (json) return printJson(page)
        if (page.items.length === 0) return printProgress('no threads')
        const rows = page.items.map(({ slug, title, sessionCount, archiveReason, updatedAt }) => [
          slug,
          title,
          String(sessionCount),
          archiveReason ?? '',
          updatedAt,
        ])
        printAnswer(formatTable(['slug', 'title', 'rooms', 'archived', 'changed'], rows))
        printMore(page.nextCursor)
      }),
    )

  threads
    .command('create <slug> [title]')
    .description('create a thread; rooms join it with --thread')
    .action((slug: string, title: string | undefined, _options, command: Command) =>
      run(command, async ({ threads: api }, { scope, json }) => {
        const thread = await api.create({ scope, slug, title })
        if (json) printJson(thread)
        else printAnswer(thread.slug)
      }),
    )

  threads
    .command('archive <slug>')
    .requiredOption('--reason <text>', 'why')
    .action((slug: string, _options, command: Command) =>
      run<Options & { reason: string }>(command, async ({ threads: api }, { scope, reason, json }) => {
        const thread = await api.update(slug, { scope, archived: true, reason })
        if (json) printJson(thread)
        else printProgress(`archived ${slug}`)
      }),
    )

  threads
    .command('restore <slug>')
    .description('restore an archived thread')
    .action((slug: string, _options, command: Command) =>
      run(command, async ({ threads: api }, { scope, json }) => {
        const thread = await api.update(slug, { scope, archived: false })
        if (json) printJson(thread)
        else printProgress(`restored ${slug}`)
      }),
    )

  threads
    .command('delete <slug>')
    .description('delete an archived thread; its rooms stay, without a thread')
    .action((slug: string, _options, command: Command) =>
      run(command, async ({ threads: api }, { scope, json }) => {
        await api.delete(slug, { scope })
        if (json) printJson({ slug, deleted: true })
        else printProgress(`deleted ${slug}`)
      }),
    )
}
