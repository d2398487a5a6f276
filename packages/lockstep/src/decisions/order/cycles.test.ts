/** Contradictions are named: the shortest circle, with the reason of each edge. */
import { expect, it } from 'vitest'
import { graphOf, manifest, refusalOf } from '../../../../../test/order.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const DEPENDS = 'lockstep.dev/depends-on'
const cycle = (text: string): string =>
  `CycleDetected: order has a cycle: ${text}; remove one of these dependencies`

it('a wave and a need that contradict each other', () => {
  const bundle = [
    manifest('batch/v1 Job app/seed', { [WAVE]: '5', [DEPENDS]: 'apps/namespaces/app/Deployment/api' }),
    manifest('v1 ConfigMap app/between', { [WAVE]: '7' }),
    manifest('apps/v1 Deployment app/api', { [WAVE]: '10' }),
  ]
  expect(refusalOf(bundle)).toBe(
    cycle(
      'apps/Deployment app/api -(lockstep.dev/depends-on, Healthy)-> batch/Job app/seed -(argocd.argoproj.io/sync-wave 5 before 10)-> apps/Deployment app/api',
    ),
  )
})

it('a phase and a need', () => {
  const bundle = [
    manifest('batch/v1 Job app/seed', {
      'lockstep.dev/hook': 'PreSync',
      [DEPENDS]: 'apps/namespaces/app/Deployment/api',
    }),
    manifest('apps/v1 Deployment app/api'),
  ]
  expect(refusalOf(bundle)).toBe(
    cycle(
      'apps/Deployment app/api -(lockstep.dev/depends-on, Healthy)-> batch/Job app/seed -(PreSync before Sync)-> apps/Deployment app/api',
    ),
  )
})

it('the shortest one, though 50 objects hang on it and a longer one is there', () => {
  const on = (name: string, ...targets: string[]) =>
    manifest(`v1 ConfigMap app/${name}`, {
      'config.kubernetes.io/depends-on': targets.map((t) => `/namespaces/app/ConfigMap/${t}`).join(','),
    })
  const hanging = Array.from({ length: 50 }, (_, i) => on(`h${i}`, i % 2 === 0 ? 'x' : 'b'))
  const bundle = [...hanging, on('x', 'y'), on('y', 'x'), on('a', 'b'), on('b', 'c'), on('c', 'a')]
  expect(refusalOf(bundle)).toBe(
    cycle(
      'ConfigMap app/x -(config.kubernetes.io/depends-on, Healthy)-> ConfigMap app/y -(config.kubernetes.io/depends-on, Healthy)-> ConfigMap app/x',
    ),
  )
})

it('of two equally short ones, that of the least identity; an object alone', () => {
  const on = (name: string, target: string) =>
    manifest(`v1 ConfigMap app/${name}`, { [DEPENDS]: `/namespaces/app/ConfigMap/${target}=Applied` })
  expect(refusalOf([on('d', 'c'), on('c', 'd'), on('b', 'a'), on('a', 'b')])).toBe(
    cycle(
      'ConfigMap app/a -(lockstep.dev/depends-on, Applied)-> ConfigMap app/b -(lockstep.dev/depends-on, Applied)-> ConfigMap app/a',
    ),
  )
  expect(refusalOf([on('a', 'a')])).toBe(
    cycle('ConfigMap app/a -(lockstep.dev/depends-on, Applied)-> ConfigMap app/a'),
  )
})

it('what is only implied gives way', () => {
  const pod = { spec: { serviceAccountName: 'api', containers: [] } }
  const bundle = [
    manifest('v1 ServiceAccount app/api', { [DEPENDS]: '/namespaces/app/Pod/first' }),
    manifest('v1 Pod app/first', undefined, pod),
  ]
  expect(
    graphOf(bundle)
      .needs.flat()
      .map((e) => e.why),
  ).toEqual([DEPENDS])
})

it('a Namespace does not', () => {
  const bundle = [
    manifest('v1 Namespace app', { [DEPENDS]: '/namespaces/app/ConfigMap/a' }),
    manifest('v1 ConfigMap app/a'),
  ]
  expect(refusalOf(bundle)).toBe(
    cycle(
      'ConfigMap app/a -(lockstep.dev/depends-on, Healthy)-> Namespace app -(namespace, Applied)-> ConfigMap app/a',
    ),
  )
})
