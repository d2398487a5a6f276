/** What can be done to a rollout. */
export const ROLLOUT_ACTIONS = [
  'status',
  'history',
  'diff',
  'approve',
  'pause',
  'resume',
  'retry',
  'undo',
] as const

export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number]
