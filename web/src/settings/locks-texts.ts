import { defineTexts } from '../app/texts.ts'

export const locksTexts = defineTexts(
  {
    intro:
      'What sessions keep others off while they work on it. A lock runs out by itself when its session is not heard of for a while.',
    list: 'Locks',
    none: 'Nothing is locked.',
    types: { document: 'Document', todo_list: 'To-do list' },
    untitled: 'Untitled',
    heldBy: 'Held by',
    since: 'since',
    expiresIn: (time: string) => `runs out in ${time}`,
    expired: 'has run out',
    release: 'Release',
    releaseOf: (title: string) => `Release ${title}`,
    releaseTitle: (title: string) => `Release “${title}”?`,
    releaseText: (session: string) =>
      `“${session}” can no longer write to it until it has taken the lock again. Others can write at once.`,
    released: 'Released',
    notReleased: 'It was not released',
  },
  {
    intro: '会话在处理文档或清单时会将其锁定，避免他人同时修改。会话一段时间没有动静，锁会自动失效。',
    list: '锁',
    none: '没有被锁定的内容。',
    types: { document: '文档', todo_list: '待办清单' },
    untitled: '无标题',
    heldBy: '持有者：',
    since: '锁定于',
    expiresIn: (time) => `${time} 后失效`,
    expired: '已失效',
    release: '释放',
    releaseOf: (title) => `释放 ${title}`,
    releaseTitle: (title) => `释放“${title}”？`,
    releaseText: (session) => `“${session}”在重新获得锁之前无法再写入；其他人可以立即写入。`,
    released: '已释放',
    notReleased: '未能释放',
  },
)
