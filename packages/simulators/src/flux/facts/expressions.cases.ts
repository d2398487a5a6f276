/** `readyExpr`: what it replaces, how it fails, and when the documented one is true though it should not be. */
import { expect } from 'vitest'
import { charts, config, git, type Playground, release, unit } from '../playground.cases.ts'
import { type Fact, isReady, publish, readyMessage } from './fact.cases.ts'

const TERMINAL = 'Reconciliation failed terminally due to configuration error: '

/** As Flux's documentation has it for an upgrade in lockstep. */
export const DOCUMENTED =
  "dep.metadata.labels['app/version'] == self.metadata.labels['app/version'] && " +
  "dep.status.conditions.filter(e, e.type == 'Ready').all(e, e.status == 'True') && " +
  'dep.metadata.generation == dep.status.observedGeneration'

const edge = (readyExpr: string) => ({ dependsOn: [{ name: 'a', readyExpr }] })
const version = (v: string) => ({ labels: { 'app/version': v } })

/** `a`, which nobody looks at, with a status; then `b` with an expression. */
async function withExpression(p: Playground, readyExpr: string, status: object, label = 'n'): Promise<void> {
  publish(p, '1')
  p.start()
  p.apply(git(), unit('a', { suspend: true }, version(label)))
  await p.pass(1000)
  p.pretend('Kustomization', 'a', status)
  p.apply(unit('b', edge(readyExpr), version('n')))
  await p.pass(2000)
}

const ready = (status: string) => ({
  observedGeneration: 1,
  conditions: [
    { type: 'Ready', status, reason: 'Told', message: 'told', lastTransitionTime: '2026-01-01T00:00:00Z' },
  ],
})

export const expressionFacts: readonly Fact[] = [
  {
    row: 'readyExpr is false',
    holds: 'closed, with a message of its own',
    async play(p) {
      await withExpression(p, 'dep.metadata.generation == 7', ready('True'))
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        status: 'False',
        reason: 'DependencyNotReady',
        message: "dependency 'default/a' is not ready according to readyExpr eval",
      })
    },
  },
  {
    row: 'readyExpr is true',
    holds: 'the built-in checks are skipped: a dependency that is not ready lets go',
    async play(p) {
      await withExpression(p, "dep.metadata.name == 'a'", ready('False'))
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'readyExpr is true',
    holds: 'the revisions are not compared either',
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('a'), unit('b', edge("dep.metadata.name == 'a'")))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.apply(unit('a', { suspend: true }))
      publish(p, '2')
      await p.pass(65_000)
      expect([p.config('a'), p.config('b')]).toEqual([{ release: '1' }, { release: '2' }])
    },
  },
  {
    row: 'gate AdditiveCELDependencyCheck',
    holds: 'the built-in checks count as well',
    options: { gates: { AdditiveCELDependencyCheck: true } },
    async play(p) {
      await withExpression(p, "dep.metadata.name == 'a'", ready('False'))
      expect(readyMessage(p, 'b')).toBe("dependency 'default/a' is not ready")
    },
  },
  {
    row: 'readyExpr of a HelmRelease',
    holds: 'sees `self` and `dep`, and replaces the checks the same way',
    async play(p) {
      p.artifacts.publish('https://charts.example', '', {
        charts: [{ name: 'b', version: '1.0.0', templates: () => [config('b', {})] }],
      })
      p.start()
      const dependsOn = [{ name: 'a', readyExpr: 'self.metadata.namespace == dep.metadata.namespace' }]
      p.apply(charts(), release('a', { suspend: true }), release('b', { dependsOn }))
      await p.until('b is ready', () => p.condition('HelmRelease', 'b')?.status === 'True')
    },
  },
  {
    row: 'an expression that does not compile',
    holds: 'is terminal: Stalled, InvalidCELExpression, its generation observed, never tried again',
    async play(p) {
      await withExpression(p, 'dep.metadata.', ready('True'))
      const message = new RegExp(
        `^${TERMINAL}failed to evaluate dependency a: failed to parse the CEL expression 'dep.metadata.': ERROR: <input>:1:14: Syntax error`,
      )
      for (const type of ['Ready', 'Stalled'])
        expect(p.condition('Kustomization', 'b', type)).toMatchObject({
          reason: 'InvalidCELExpression',
          message: expect.stringMatching(message),
        })
      expect(p.status('Kustomization', 'b').observedGeneration).toBe(1)
      const before = p.writes.length
      await p.pass(5 * 60_000)
      expect(p.writes.slice(before).filter((w) => w.key === 'default/b')).toEqual([])
    },
  },
  {
    row: 'an expression that does not compile',
    holds: 'one that is no bool by its form is the same',
    async play(p) {
      await withExpression(p, 'dep.spec.suspend', ready('True'))
      expect(readyMessage(p, 'b')).toBe(
        `${TERMINAL}failed to evaluate dependency a: CEL expression output type mismatch: expected bool, got dyn`,
      )
    },
  },
  {
    row: 'an expression that fails',
    holds: 'is tried again after 30 s',
    async play(p) {
      await withExpression(p, "dep.metadata.annotations['x'] == 'y'", ready('True'))
      expect(p.condition('Kustomization', 'b')).toMatchObject({
        reason: 'DependencyNotReady',
        message: expect.stringMatching(
          /^failed to evaluate the CEL expression '.*': no such key: annotations$/,
        ),
      })
      expect(p.condition('Kustomization', 'b', 'Stalled')).toBeUndefined()
      p.apply(unit('a', { suspend: true }, { ...version('n'), annotations: { x: 'y' } }))
      await p.pass(31_000)
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'healthCheckExprs that do not compile',
    holds: 'are terminal before anything is looked at',
    async play(p) {
      p.start()
      const healthCheckExprs = [{ apiVersion: 'example.dev/v1', kind: 'Thing', current: 'status.ready ==' }]
      p.apply(unit('b', { healthCheckExprs }))
      await p.pass(2000)
      expect(readyMessage(p, 'b')).toContain(
        `${TERMINAL}failed to create custom status evaluator for healthchecks[0]: failed to parse the expression Current: `,
      )
    },
  },
  {
    row: 'the documented expression',
    holds: 'right: the label is the same, Ready is True at the generation',
    async play(p) {
      await withExpression(p, DOCUMENTED, ready('True'))
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'the documented expression',
    holds: 'right: another label, Ready=False and an older generation keep it closed',
    async play(p) {
      await withExpression(p, DOCUMENTED, ready('True'), 'n-1')
      expect(isReady(p, 'b')).toBe(false)
      p.apply(unit('a', { suspend: true }, version('n')))
      p.pretend('Kustomization', 'a', ready('False'))
      await p.pass(31_000)
      expect(isReady(p, 'b')).toBe(false)
      p.pretend('Kustomization', 'a', { ...ready('True'), observedGeneration: 0 })
      await p.pass(31_000)
      expect(readyMessage(p, 'b')).toContain('according to readyExpr eval')
    },
  },
  {
    row: 'the documented expression',
    holds: 'wrong: without a Ready condition, all of nothing is true',
    async play(p) {
      await withExpression(p, DOCUMENTED, { observedGeneration: 1, conditions: [] })
      expect(isReady(p, 'b')).toBe(true)
    },
  },
  {
    row: 'the documented expression',
    holds: "wrong: the label is n's, generation and Ready are those of n-1, for metadata moves no generation",
    async play(p) {
      publish(p, '1')
      p.start()
      p.apply(git(), unit('a', {}, version('n-1')), unit('b', edge(DOCUMENTED), version('n-1')))
      await p.until('b is ready', () => isReady(p, 'b'))
      p.apply(unit('a', {}, version('n')))
      p.apply(unit('b', { ...edge(DOCUMENTED), postBuild: { substitute: { release: 'n' } } }, version('n')))
      await p.pass(2000)
      const { lastAppliedRevision } = p.status('Kustomization', 'b')
      expect(p.status('Kustomization', 'b')).toMatchObject({ observedGeneration: 2, lastAppliedRevision })
      expect(p.get('Kustomization', 'a').metadata.generation).toBe(1)
    },
  },
  {
    row: 'the documented expression',
    holds: 'fails where there are no conditions, and is false for one that was never looked at',
    async play(p) {
      await withExpression(p, DOCUMENTED, { observedGeneration: 1 })
      expect(readyMessage(p, 'b')).toMatch(
        /^failed to evaluate the CEL expression.*: no such key: conditions$/,
      )
      p.pretend('Kustomization', 'a', { observedGeneration: -1 })
      await p.pass(31_000)
      expect(readyMessage(p, 'b')).toContain('according to readyExpr eval')
    },
  },
]
