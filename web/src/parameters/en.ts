import type { ParameterName } from '../../../src/core/protocol/parameters.ts'

type Names = Record<ParameterName, string>

export const parameterTexts = {
  title: 'Session settings',
  instructions: 'Instructions',
  instructionsHint: 'What the assistant keeps to in this session',
  parameters: 'Model parameters',
  parametersHint: 'Empty: as the scope has it. They apply from the next message on.',
  names: {
    temperature: 'Temperature (0 to 2)',
    topP: 'Top p (0 to 1)',
    maxOutputTokens: 'Most output tokens',
    stop: 'Stop texts, one per line',
    seed: 'Seed',
    presencePenalty: 'Presence penalty (−2 to 2)',
    frequencyPenalty: 'Frequency penalty (−2 to 2)',
    reasoningEffort: 'Reasoning effort',
    providerOptions: 'Provider options, as JSON',
  } satisfies Names as Names,
  optionsHint: 'By adapter, such as {"openai": {"service_tier": "flex"}}',
  asScope: 'As the scope has it',
  asModel: 'As the model has it',
  notNumber: 'This is not a number.',
  notJson: 'This is not a JSON object.',
  save: 'Save',
  saved: 'Session settings saved.',
}
