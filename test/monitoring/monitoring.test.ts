/** Rules and dashboards against the table of metrics: a renamed metric fails here. */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { METRICS } from '../../packages/kube/src/env/metrics.ts'
import { promMeters } from '../../packages/kube/src/env/node/prommeters.ts'
import { CLUSTER_STATES, MODULE_STATES, ROLLOUT_STATES } from './clusterstates.ts'
import { expressionProblems } from './expressionproblems.ts'
import { hasPromtool, promtoolProblems, promtoolProblemsOf } from './promtool.ts'

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: {
    readonly summary: string
    readonly description: string
    readonly runbook_url: string
  }
}

interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly fieldConfig: { readonly defaults: { readonly unit: string } }
  readonly targets: readonly { readonly expr: string; readonly refId: string }[]
}

interface Dashboard {
  readonly uid: string
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly name: string; readonly query: unknown }[] }
}

const RUNBOOKS = 'docs/operations/runbooks'
const groups: readonly { rules: readonly Rule[] }[] = parse(
  readFileSync('monitoring/rules.yaml', 'utf8'),
).groups
const rules = groups.flatMap((g) => g.rules)
const dashboards = ['fleet', 'rollouts', 'controller'].map((name): [string, Dashboard] => {
  return [name, JSON.parse(readFileSync(`monitoring/dashboards/${name}.json`, 'utf8'))]
})
const expressions: [name: string, expr: string][] = [
  ...rules.map((r): [string, string] => [r.alert, r.expr]),
  ...dashboards.flatMap(([name, { panels }]) =>
    panels.flatMap((p) =>
      p.targets.map((t): [string, string] => [`${name}, ${p.title}, ${t.refId}`, t.expr]),
    ),
  ),
]

/** Names that prom-client gives to the metrics of the process and of Node. */
const scrape = (await promMeters().expose?.([])) ?? ''
const others = new Set(
  [...scrape.matchAll(/^# TYPE ((?:process|nodejs)_\w+) /gm)].map(([, name = '']) => name),
)

describe('expressions', () => {
  it.each(expressions)('%s', (_, expr) => {
    expect(expressionProblems(expr, others)).toEqual([])
  })

  it.each(expressions)('%s asks for states that there are', (_, expr) => {
    const states: Readonly<Record<string, readonly string[]>> = {
      lockstep_modules: MODULE_STATES,
      lockstep_rollout_state: ROLLOUT_STATES,
      lockstep_clusters: CLUSTER_STATES,
    }
    for (const [, name = '', state] of expr.matchAll(/(\w+)\{[^}]*state="(\w+)"/g))
      if (states[name]) expect(states[name]).toContain(state)
  })

  it.each([
    ['sum(lockstep_leaders)', 'lockstep_leaders is not a metric'],
    ['lockstep_modules{module="a"}', 'lockstep_modules has no label module'],
    ['sum by (cluster) (lockstep_modules)', 'no metric of the expression has the label cluster'],
    ['rate(lockstep_reconcile_duration_seconds[5m])', 'lockstep_reconcile_duration_seconds is not a metric'],
    ['sum(lockstep_leader', 'a bracket ) is missing'],
    ['summ(lockstep_leader)', 'summ is unknown'],
    ['process_memory', 'process_memory is not a metric'],
  ])('%s is refused', (expr, problem) => {
    expect(expressionProblems(expr, others)).toContain(problem)
  })

  it('notice each metric that is renamed', () => {
    const unused = Object.keys(METRICS).filter((name) => !expressions.some(([, expr]) => expr.includes(name)))
    expect(unused).toEqual([])
  })
})

describe('alerts', () => {
  it('are unique, and have one runbook each', () => {
    const names = rules.map((r) => r.alert)
    expect(new Set(names).size).toBe(names.length)
    expect(readdirSync(RUNBOOKS).toSorted()).toEqual(names.map((n) => `${n}.md`).toSorted())
  })

  it.each(rules.map((r): [string, Rule] => [r.alert, r]))('%s', (name, { labels, annotations }) => {
    expect(['critical', 'warning', 'info']).toContain(labels.severity)
    expect(annotations.summary).not.toBe('')
    expect(annotations.description).toMatch(/\.$/)
    expect(annotations.runbook_url).toBe(`${RUNBOOKS}/${name}.md`)
    const page = readFileSync(annotations.runbook_url, 'utf8')
    expect(page.startsWith(`# ${name}\n`)).toBe(true)
    for (const heading of ['## Meaning', '## Diagnosis', '## Action']) expect(page).toContain(heading)
  })
})

describe('dashboards', () => {
  it('have unique uids', () => {
    expect(new Set(dashboards.map(([, d]) => d.uid)).size).toBe(dashboards.length)
  })

  it.each(dashboards)(
    '%s: panels have an id of their own, a title, a unit and a description',
    (_, { panels }) => {
      expect(new Set(panels.map((p) => p.id)).size).toBe(panels.length)
      expect(new Set(panels.map((p) => p.title)).size).toBe(panels.length)
      for (const { title, description, fieldConfig, targets } of panels) {
        expect([title, description, fieldConfig.defaults.unit]).not.toContain('')
        expect(targets.length).toBeGreaterThan(0)
      }
    },
  )

  it.each(dashboards)('%s: variables are declared and used', (_, { panels, templating }) => {
    const text = JSON.stringify(panels)
    const used = new Set([...text.matchAll(/\$\{?([a-z]+)\b/g)].map(([, name]) => name))
    expect(templating.list.map((v) => v.name).toSorted()).toEqual([...used].toSorted())
    for (const { query } of templating.list) {
      const [, metric, label] = /label_values\((\w+), (\w+)\)/.exec(JSON.stringify(query)) ?? []
      if (metric) expect(METRICS[metric as keyof typeof METRICS].labels).toContain(label)
    }
  })
})

describe.skipIf(!hasPromtool)('promtool', () => {
  it('accepts the rules', () => {
    expect(promtoolProblems(['check', 'rules', 'monitoring/rules.yaml'])).toBe('')
  })

  it('accepts the expressions of the dashboards as recording rules', () => {
    const recorded = expressions.map(([, expr], i) => {
      return { record: `lockstep:panel:${i}`, expr: expr.replaceAll('$__rate_interval', '5m') }
    })
    const file = { groups: [{ name: 'panels', rules: recorded }] }
    expect(promtoolProblemsOf(['check', 'rules', '--lint=none'], file)).toBe('')
  })

  it('accepts a scrape', () => {
    expect(promtoolProblems(['check', 'metrics'], scrape)).toBe('')
  })
})
