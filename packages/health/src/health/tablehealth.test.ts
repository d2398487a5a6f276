import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PER_CALL_LIMIT } from '../../../cel/src/program/celprogram.ts'
import type { KubeObject } from '../../../kube/src/object/index.ts'
import { kindRules } from '../rules/kindrules.ts'
import { compileRule } from './compiledexpression.ts'
import { healthOf } from './health.ts'
import { messagePieces } from './messagepieces.ts'
import { conditionParts, rulesFor, tableHealth } from './tablehealth.ts'

const STATES = ['Healthy', 'Progressing', 'Degraded', 'Suspended', 'Missing', 'Unknown']
const FOLDER = new URL('../rules/', import.meta.url)

const all = kindRules.flatMap((entry) =>
  entry.rules.map((rule, i) => ({ name: `${entry.group}/${entry.kinds} ${i + 1}`, rule })),
)
const expressions = all.flatMap(({ name, rule }) => [
  ...(rule.when?.cel === undefined ? [] : [{ name, text: rule.when.cel }]),
  ...messagePieces(rule.message ?? '').flatMap((p) => ('cel' in p ? [{ name, text: p.cel }] : [])),
])

describe('every rule', () => {
  it('is data', () => {
    expect(all.length).toBeGreaterThan(500)
    expect(JSON.parse(JSON.stringify(kindRules))).toEqual(kindRules)
  })
  it('says a state that there is', () => {
    expect(all.filter(({ rule }) => !STATES.includes(rule.state))).toEqual([])
  })
  it('compiles, and may cost no more than one call', () => {
    const problems = expressions.flatMap(({ name, text }) => {
      const program = compileRule(text)
      if (!program.ok) return [`${name}: ${text}: ${program.error.map((p) => p.message).join()}`]
      return program.value.estimate().min > BigInt(PER_CALL_LIMIT) ? [`${name}: ${text}: is too dear`] : []
    })
    expect(problems).toEqual([])
    expect(expressions.length).toBeGreaterThan(50)
  })
  it('names conditions in its notation', () => {
    const bad = all.filter(({ rule }) =>
      conditionParts(rule.when?.conditions ?? 'Ready=True').some(
        (p) => p.type === '' || (!p.isAbsent && !p.isAny && p.status === ''),
      ),
    )
    expect(bad).toEqual([])
  })
  it('is asked for one thing at least, or is the last of its kinds', () => {
    const early = kindRules.flatMap((e) => e.rules.slice(0, -1).filter((r) => r.when === undefined))
    expect(early).toEqual([])
    expect(all.filter(({ rule }) => rule.when && Object.keys(rule.when).length === 0)).toEqual([])
  })
  it('contains no Lua', () => {
    for (const file of readdirSync(FOLDER)) {
      expect(file).toMatch(/\.ts$/)
      const text = readFileSync(new URL(file, FOLDER), 'utf8')
      expect(text, file).not.toMatch(/\bhs\.|\bobj\.|\blocal \w|\bthen\b\s*$|~=|\bipairs\b|\blua\b/im)
    }
  })
})

describe('the reference', () => {
  it('lists every group and kind that has rules', () => {
    const text = readFileSync(new URL('../../../../docs/reference/health.md', import.meta.url), 'utf8')
    const lines = text.split('\n')
    for (const { group, kinds, profile } of kindRules) {
      if (profile === 'Argo') continue
      const line = lines.find((l) => l.startsWith(`| \`${group}\` |`))
      expect(line, group).toBeDefined()
      if (kinds === '*') expect(line).toMatch(/\ball\b/)
      else for (const kind of kinds) expect(line, group).toMatch(new RegExp(`\\b${kind}\\b`))
    }
  })
})

const object = (apiVersion: string, kind: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata: { name: 'x', ...metadata }, ...more }) as KubeObject

describe('which entries are asked', () => {
  const groups = (group: string, kind: string) => rulesFor(group, kind).map((e) => e.group)
  it('the most exact first, then those of the group, then patterns', () => {
    expect(groups('core.humio.com', 'HumioCluster')).toEqual(['core.humio.com', 'core.humio.com'])
    expect(groups('pkg.crossplane.io', 'Provider')).toEqual(['pkg.crossplane.io', '*.crossplane.io'])
    expect(groups('cloudfront.aws.crossplane.io', 'Distribution')).toEqual(['*.crossplane.io'])
    expect(groups('crossplane.io', 'Thing')).toEqual(['*.crossplane.io'])
    expect(groups('notcrossplane.io', 'Thing')).toEqual([])
    expect(groups('example.com', 'Widget')).toEqual([])
  })
  it('only those of the profile', () => {
    const app = object('argoproj.io/v1alpha1', 'Application', { status: { health: { status: 'Degraded' } } })
    expect(tableHealth(app, 'Lockstep')?.state).toBe('Degraded')
    expect(tableHealth(app, 'Argo')).toBeUndefined()
  })
})

/** Groups of which every kind is known to report, so that one without a status is waited for. */
const ALL_REPORT =
  /^(\*\.(cnrm|crossplane|services|toolkit|upbound)\.|core\.humio|fluxcd\.|grafana-org|coralogix|capabilities\.3scale|\w+\.k8s\.elastic)/

describe('kinds that nobody has thought of', () => {
  const groups = kindRules.filter((e) => e.kinds === '*' && !ALL_REPORT.test(e.group)).map((e) => e.group)
  it.each(groups)('of %s are not waited for without a status', (group) => {
    expect(healthOf(object(`${group.replace('*.', 'a.')}/v1`, 'Unheard'), 0).state).toBe('Healthy')
  })
})

describe('a rule', () => {
  it('that cannot be evaluated is Unknown, and says which', () => {
    const annotations = { 'rollout.argoproj.io/workload-generation': 'two' }
    const o = object('argoproj.io/v1alpha1', 'Rollout', { status: { phase: 'Healthy' } }, { annotations })
    const health = healthOf(o, 0)
    expect(health).toMatchObject({ state: 'Unknown', rule: 'argoproj.io/Rollout' })
    expect(health.message).toMatch(/^rule 4 of argoproj\.io\/Rollout: .*type conversion error/)
  })
  it('costs less than a call may on a status of 2,000 conditions', () => {
    const conditions = Array.from({ length: 2000 }, (_, i) => ({
      type: `T${i}`,
      status: 'True',
      message: 'm',
    }))
    for (const entry of kindRules) {
      const kind = entry.kinds === '*' ? 'Thing' : entry.kinds[0]!
      const o = object(`${entry.group.replace('*.', 'a.')}/v1`, kind, { status: { conditions } })
      const { state, message } = healthOf(o, 0, undefined, 'Argo')
      expect(STATES).toContain(state)
      expect(message).not.toMatch(/cost/)
    }
  })
  it('is asked once for an object as it is', () => {
    const o = object('argoproj.io/v1alpha1', 'Workflow', { status: { phase: 'Failed', message: 'no' } })
    expect(tableHealth(o, 'Lockstep')).toBe(tableHealth(o, 'Lockstep'))
    expect(tableHealth(o, 'Lockstep')).toEqual({
      state: 'Degraded',
      message: 'no',
      rule: 'argoproj.io/Workflow',
    })
  })
})
