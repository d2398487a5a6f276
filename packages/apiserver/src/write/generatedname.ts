import type { Random } from '@lockstep/kube/env'

/** No vowels and no look-alikes: nothing that reads as a word (apimachinery pkg/util/rand). */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789'
const BASE_MAX = 58
const SUFFIX = 5

/** The base, cut to 58, and five characters (apiserver `storage/names`). */
export function generatedName(random: Random, base: string): string {
  let name = base.slice(0, BASE_MAX)
  for (let i = 0; i < SUFFIX; i++) name += LETTERS[Math.floor(random.next() * LETTERS.length)]
  return name
}
