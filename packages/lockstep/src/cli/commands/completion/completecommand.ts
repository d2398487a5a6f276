/** The command that shells run; no person types it, and no help has it. */
export const COMPLETE_COMMAND = '__complete'
