/** Actions of `lockstep removal`. */
export const REMOVAL_ACTIONS = ['allow', 'orphan'] as const
export type RemovalAction = (typeof REMOVAL_ACTIONS)[number]
