// The face of this folder: what others import.
export { COMPLETE_COMMAND } from './completecommand.ts'
export { completionCommand } from './completion.ts'
export { kubectlAnswer } from './kubectlanswer.ts'
