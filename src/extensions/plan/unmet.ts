/** Why a check has not passed, as a sentence. */
export class Unmet extends Error {}
