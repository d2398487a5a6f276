/** At which writes a controller dies: at every second one, in turn before and after; in the deep run before each one, and after each one. */
const EVERY = process.env.LOCKSTEP_EVERY_WRITE === '1'

/** The first write, and how many further on the next one is. */
export const deathsOf = (isAfter: boolean): { first: number; step: number } =>
  EVERY ? { first: 1, step: 1 } : { first: isAfter ? 3 : 1, step: 4 }

/** Deaths of a short run, of so many in all. */
export const someOf = (deaths: number): number => (EVERY ? deaths : Math.floor(deaths / 4))
