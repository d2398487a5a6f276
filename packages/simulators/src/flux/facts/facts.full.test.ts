import { describe, it } from 'vitest'
import { playground } from '../playground.cases.ts'
import { blindFacts } from './blind.cases.ts'
import { compareFacts } from './compare.cases.ts'
import { expressionFacts } from './expressions.cases.ts'
import type { Fact } from './fact.cases.ts'
import { helmFacts } from './helm.cases.ts'
import { releaseFacts } from './releases.cases.ts'
import { removalFacts } from './removal.cases.ts'
import { statusFacts } from './status.cases.ts'
import { stepFacts } from './steps.cases.ts'
import { triggerFacts } from './triggers.cases.ts'

const facts: readonly Fact[] = [
  ...stepFacts,
  ...compareFacts,
  ...blindFacts,
  ...expressionFacts,
  ...statusFacts,
  ...triggerFacts,
  ...removalFacts,
  ...releaseFacts,
  ...helmFacts,
]

describe('the simulated Flux does as Flux does', () => {
  for (const { row, holds, options, play } of facts) it(`${row}: ${holds}`, () => play(playground(options)))
})
