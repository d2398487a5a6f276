/** How long a test may take, in milliseconds: the deep run does all of what the short one samples, perhaps beside other work. */
export const patience = (ms: number): number => (process.env.LOCKSTEP_EVERY_WRITE === '1' ? 30 * ms : ms)
