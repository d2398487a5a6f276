import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decidesAlike } from '../../../../test/arbitrary/decision.ts'
import { liveObjects } from '../../../../test/arbitrary/manifests.ts'
import { parseApiVersion } from '../../../kube/src/object/index.ts'
import { expressionProblems, expressionRules, ruleFor } from './expressionrule.ts'
import { healthOf } from './health.ts'
import type { HealthExpression } from './healthexpression.ts'

const text = fc.constantFrom(
  'true',
  'false',
  'status.ready',
  "status.phase == 'Running'",
  "object.status.conditions.exists(c, c.type == 'Ready' && c.status == 'True')",
  'has(object.spec) && metadata.generation > 1',
  "metadata.name.matches('^(a+)+$')",
  'spec.replicas / status.replicas > 0',
  'broken(',
  'nobody',
)
const optional = fc.option(text, { nil: undefined })
const entry: fc.Arbitrary<HealthExpression> = fc.record(
  {
    apiVersion: fc.constantFrom('v1', 'apps/v1', 'batch/v2', 'example.com/v1'),
    kind: fc.constantFrom('Deployment', 'Job', 'ConfigMap', undefined),
    inProgress: optional,
    failed: optional,
    current: text,
    minCount: fc.constant(1),
    settleSeconds: fc.constant(0),
  },
  { requiredKeys: ['apiVersion', 'current', 'minCount', 'settleSeconds'] },
)

/** A few hundred lists of entries: compiling takes longer than all the rest, and is done once for each list. */
const lists = fc.sample(fc.array(entry, { maxLength: 4 }), { numRuns: 300, seed: 1 })

it('health by expressions is told, whatever they are and whatever an object says of itself', () => {
  decidesAlike(
    fc.tuple(fc.constantFrom(...lists), liveObjects),
    ([entries, o]) => {
      const rule = ruleFor(expressionRules(entries), o)
      return { path: rule?.path, health: healthOf(o, 0, rule), problems: expressionProblems(entries) }
    },
    {
      'by an entry of its group, if there is one': ([entries, o], { path }) => {
        const { group } = parseApiVersion(o.apiVersion)
        const about = entries.filter(
          (e) => parseApiVersion(e.apiVersion).group === group && (e.kind === undefined || e.kind === o.kind),
        )
        expect(path !== undefined).toBe(about.length > 0)
      },
      'Unknown names the field that is at fault': (_, { health }) => {
        if (health.state === 'Unknown')
          expect(health.message).toMatch(/^spec\.health\.expressions\[\d\]\.(inProgress|failed|current):? /)
      },
      'what does not compile is found before': ([entries], { problems }) => {
        const bad = entries.flatMap((e) => [e.inProgress, e.failed, e.current])
        expect(problems.length).toBe(bad.filter((t) => t === 'broken(' || t === 'nobody').length)
      },
    },
  )
})
