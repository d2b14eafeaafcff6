/** Made from the run's id, so that every owner of a run writes the same message. */
export const replyId = ({ id }: { id: string }): string => id.replace(/^run_/, 'msg_')
