/** Adds itself to `cronstrue`. */
declare module 'cronstrue/locales/zh_CN'
