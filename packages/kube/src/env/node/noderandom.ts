import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import type { Random } from '../env.ts'

/** Chance from the operating system; every fork is the same unpredictable stream. */
export const nodeRandom: Random = {
  next: () => randomInt(0, 2 ** 47) / 2 ** 47,
  bytes: (length) => randomBytes(length),
  uuid: () => randomUUID(),
  fork: () => nodeRandom,
}
