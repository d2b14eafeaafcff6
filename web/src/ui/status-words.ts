/** How a background session stands, wherever it is shown. */
export const statusWords = {
  en: {
    pending: 'Waiting',
    running: 'Running',
    completed: 'Done',
    failed: 'Failed',
    timeout: 'Timed out',
    cancelled: 'Stopped',
    interrupted: 'Interrupted',
  },
  zh: {
    pending: '等待中',
    running: '运行中',
    completed: '已完成',
    failed: '失败',
    timeout: '超时',
    cancelled: '已停止',
    interrupted: '已中断',
  },
}
