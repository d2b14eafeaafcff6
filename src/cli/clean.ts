/** Without what would move the cursor or change colours: the words come from a model, or from whoever wrote an agent. */
export const clean = (text: string): string => text.replaceAll(/(?![\t\n])\p{Cc}/gu, '').trimEnd()
