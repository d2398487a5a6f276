import { expect, it } from 'vitest'
import { decodeMutations } from './decode.cases.ts'

it(
  '100,000 texts that are changed at random are taken or refused, and nothing is thrown',
  { timeout: 120_000 },
  () => expect(decodeMutations(100_000, 'more mutations').refused).toBeGreaterThan(50_000),
)
