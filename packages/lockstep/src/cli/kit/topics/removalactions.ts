/** What is decided about removals that were held back. */
export const REMOVAL_ACTIONS = ['allow', 'orphan'] as const
export type RemovalAction = (typeof REMOVAL_ACTIONS)[number]
