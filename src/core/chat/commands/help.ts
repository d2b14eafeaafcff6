import { answer, type BuiltInCommand } from './command.ts'

export const createHelp = (builtIn: () => readonly BuiltInCommand[]): BuiltInCommand => ({
  name: 'help',
  aliases: ['帮助'],
  description: 'the commands there are',
  async run({ custom }) {
    const lines = [...builtIn(), ...(custom?.commands ?? [])].map(
      ({ name, description }) => `- /${name}${description ? `: ${description}` : ''}`,
    )
    return answer(['Commands:', ...lines].join('\n'))
  },
})
