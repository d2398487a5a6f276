import { EVERY_WRITE } from './tier.ts'

/** How long a test may take, in milliseconds: the deep run does all of what the short one samples, perhaps beside other work. */
export const patience = (ms: number): number => (EVERY_WRITE ? 30 * ms : ms)
