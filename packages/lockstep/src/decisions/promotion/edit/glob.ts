/**
 * Which paths a pattern means: `*` and `?` within a name, `**` for any directories, also none. Not a regular expression: a
 * pattern of many stars would take one longer than anybody waits, and here it is never more than pattern times path.
 */

/** Whether a path is meant by one of the patterns, and is not left out by one that begins with `!`. */
export function globMatcher(patterns: readonly string[]): (path: string) => boolean {
  const stepsOf = (isLeft: boolean) =>
    patterns.filter((p) => p.startsWith('!') === isLeft).map((p) => p.slice(isLeft ? 1 : 0).split('/'))
  const [taken, left] = [stepsOf(false), stepsOf(true)]
  return (path) => {
    const names = path.split('/')
    return taken.some((steps) => fits(steps, names)) && !left.some((steps) => fits(steps, names))
  }
}

/** Whether the steps of a pattern are the names of a path: from the last to the first, so that each pair is asked once. */
function fits(steps: readonly string[], names: readonly string[]): boolean {
  let below = names.map(() => false).concat(true)
  for (const step of steps.toReversed()) {
    const here = below.map(() => false)
    for (let i = names.length; i >= 0; i--)
      here[i] =
        step === '**'
          ? below[i]! || (here[i + 1] ?? false)
          : i < names.length && below[i + 1]! && isName(step, names[i]!)
    below = here
  }
  return below[0]!
}

/** Each star takes as little as it can; where that does not go on, the last one takes a character more. */
function isName(step: string, name: string): boolean {
  let [s, n, star, taken] = [0, 0, -1, 0]
  while (n < name.length)
    if (step[s] === '*') [star, taken, s] = [s, n, s + 1]
    else if (s < step.length && (step[s] === '?' || step[s] === name[n])) [s, n] = [s + 1, n + 1]
    else if (star >= 0) [s, n, taken] = [star + 1, taken + 1, taken + 1]
    else return false
  while (step[s] === '*') s++
  return s === step.length
}
