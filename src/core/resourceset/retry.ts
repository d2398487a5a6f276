/** placeholder until merged */
export const retryAfterMs = (count: number, sinceMs: number, intervalMs: number): number =>
  sinceMs > 600_000 ? Math.min(intervalMs, 60_000) : Math.min(15_000, 1000 * 2 ** (count - 1))
