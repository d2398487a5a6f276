/** What can be done to a rollout. */
export const ROLLOUT_ACTIONS: readonly string[] = ['retry']
