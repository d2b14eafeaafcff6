import { tagged, type Fragment } from '../fragment.ts'

/** Names and purposes only: the text of a skill is loaded when it is needed. */
export const availableSkills: Fragment = {
  name: 'available_skills',
  render: (context) =>
    tagged(
      'available_skills',
      context.availableSkills.length === 0
        ? undefined
        : [
            'Load a skill with the tool "skill" when its description fits the task.',
            ...context.availableSkills.map(({ name, description }) => `- ${name}: ${description}`),
          ].join('\n'),
    ),
}
