/** In how many whole milliseconds to look again: at the soonest of all; undefined: when something changes. */
export function soonestRequeue(values: readonly (number | undefined)[]): number | undefined {
  let min: number | undefined
  for (const v of values) if (v !== undefined && (min === undefined || v < min)) min = v
  return min === undefined ? undefined : Math.max(1, Math.ceil(min))
}
