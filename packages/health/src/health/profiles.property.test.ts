import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hostile } from '../../../../test/arbitrary/arbitraryjson.ts'
import { decidesAlike } from '../../../../test/arbitrary/decision.ts'
import { liveObjects } from '../../../../test/arbitrary/manifests.ts'
import { type JsonValue, type KubeObject, parseApiVersion } from '../../../kube/src/object/index.ts'
import type { KindRule, KindRules } from '../rules/kindrule.ts'
import { kindRules } from '../rules/kindrules.ts'
import type { HealthProfile } from '../state/healthstate.ts'
import { healthOf } from './health.ts'
import { conditionParts, rulesFor } from './tablehealth.ts'

const STATES = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown']
const PROFILES: readonly HealthProfile[] = ['Lockstep', 'Argo', 'KStatus']

/** A status that one rule of a kind is about, with something else beside it or instead of it. */
const meant = (rule: KindRule, other: JsonValue | undefined): JsonValue => {
  const conditions = conditionParts(rule.when?.conditions ?? 'Ready=True')
    .filter((p) => !p.isAbsent)
    .map(({ type, status, reasons }) => ({ type, status, reason: reasons[0] ?? '', message: 'm' }))
  const path = rule.when?.path?.split('.') ?? []
  const word = rule.when?.in?.[0] ?? null
  const [first, ...rest] = path[0] === 'status' ? path.slice(1) : []
  const nested = rest.reduceRight<JsonValue>((inner, name) => ({ [name]: inner }), word)
  return { conditions, environments: other, ...(first === undefined ? {} : { [first]: nested }) }
}

const ofRules: fc.Arbitrary<KubeObject> = fc
  .record({
    entry: fc.constantFrom<KindRules>(...kindRules),
    base: liveObjects,
    n: fc.nat(30),
    m: fc.nat(30),
    other: hostile,
    isBroken: fc.boolean(),
  })
  .map(({ entry, base, n, m, other, isBroken }) => ({
    ...base,
    apiVersion: `${entry.group.replace('*.', 'a.')}/v1`,
    kind: entry.kinds === '*' ? 'Thing' : entry.kinds[n % entry.kinds.length]!,
    status: isBroken ? other : meant(entry.rules[m % entry.rules.length]!, other),
  }))

it('health is told in every profile, whatever an object of any kind says of itself', () => {
  decidesAlike(
    fc.oneof(liveObjects, { weight: 3, arbitrary: ofRules }),
    // Another object each time: what was said of the same one is remembered.
    (o) => PROFILES.map((p) => healthOf({ ...o }, 0, undefined, p)),
    {
      'as one of the states, with a text, by somebody': (_, said) => {
        for (const { state, message, rule } of said) {
          expect(STATES).toContain(state)
          expect(typeof message).toBe('string')
          expect(rule).toMatch(/./)
        }
      },
      'what cannot be evaluated is Unknown, and names the rule': (_, said) => {
        for (const { state, message } of said)
          if (/^rule \d+ of /.test(message)) expect(state).toBe('Unknown')
      },
      'what goes is never healthy': ({ metadata }, said) => {
        if (metadata.deletionTimestamp !== undefined)
          for (const { state } of said) expect(state).toBe('Progressing')
      },
      'a rule speaks of kinds that it is for': (o, said) => {
        const groups = rulesFor(parseApiVersion(o.apiVersion).group, o.kind).map((e) => e.group)
        for (const { rule } of said.slice(0, 2))
          if (rule?.includes('.') && rule.includes('/')) {
            const isBuiltIn = /^(argo )?[a-z0-9.]+\.k8s\.io\//.test(rule)
            expect(isBuiltIn || groups.includes(rule.split('/')[0]!)).toBe(true)
          }
      },
    },
  )
})
