/** In the URL: `tab`, the cron that is open, and `form`: `new`, or the id of what is edited. */
export type CronsSearch = 'tab' | 'cron' | 'form'
