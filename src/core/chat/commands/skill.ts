import { answer, type BuiltInCommand } from './command.ts'

export const skill: BuiltInCommand = {
  name: 'skill',
  aliases: ['技能'],
  description: 'the skills there are; with a name, its text goes to the model',
  argumentHint: '[name]',
  async run({ session, skills, loadSkill }, args) {
    const name = args.trim()
    if (name === '' || name === 'list')
      return answer(
        skills.map((one) => `- ${one.name}: ${one.description}`).join('\n') || 'There are no skills here.',
      )
    if (!skills.some((one) => one.name === name))
      return answer(`There is no skill "${name}". /skill lists them.`)
    return { mode: 'prompt', text: (await loadSkill(session.scope, name)).text }
  },
}
