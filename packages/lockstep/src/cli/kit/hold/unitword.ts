/** A module, or one unit of it, as a command names it. */

export interface UnitWord {
  readonly module: string
  readonly cluster: string | undefined
}

/** `hello`, `module/hello`, `hello@cluster-1`. */
export function unitWord(word: string): UnitWord {
  const [module = '', cluster] = word.split('@')
  return { module, cluster: cluster === '' ? undefined : cluster }
}
