/** What can be done to a rollout. */
export const ROLLOUT_ACTIONS = ['status', 'approve', 'pause', 'resume', 'retry'] as const

export type RolloutAction = (typeof ROLLOUT_ACTIONS)[number]
