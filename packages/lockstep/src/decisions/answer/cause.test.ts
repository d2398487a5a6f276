import { expect, it } from 'vitest'
import { type Cause, rootsOf } from './cause.ts'

const cause = (reason: string, since?: string): Cause => ({
  label: reason,
  reason,
  text: '',
  since,
  module: 'certs',
  cluster: 'a',
  isRoot: true,
  children: [],
})

it('root causes: a Hold before all others, then the oldest', () => {
  const causes = [
    cause('Unknown'),
    cause('OwnedByAnother', '2026-01-01T00:00:00Z'),
    cause('ApplyFailed', '2025-01-01T00:00:00Z'),
    cause('Held', '2026-06-01T00:00:00Z'),
  ]
  expect(rootsOf(causes).map((c) => c.reason)).toEqual(['Held', 'ApplyFailed', 'OwnedByAnother', 'Unknown'])
})
