/** What crons and event hooks bring into what crosses the wire and into prompts. */
export const scheduleWords = {
  groups: { schedule: true },
  references: {
    schedule: ['schedule', '日程'],
    cron: ['cron', '定时', '定时任务'],
  },
  wordings: { event_type: 'must be the type of an event, or its beginning and "*"' },
} as const
