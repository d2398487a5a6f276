import { describe, expect, it } from 'vitest'
import { edgesOf, graphOf, manifest } from '../../../../../test/order.ts'
import type { OrderGraph } from '../../decisions/order/ordergraph.ts'
import { lastOfCompletedWaves } from './completedwaves.ts'
import type { Evaluation } from './unitinput.ts'

const WAVE = 'argocd.argoproj.io/sync-wave'
const HOOK = 'argocd.argoproj.io/hook'
const at = (name: string, wave: string, more: Readonly<Record<string, string>> = {}) =>
  manifest(`v1 ConfigMap app/${name}`, { [WAVE]: wave, ...more })

/** As far as those barriers, by their names; `former`: runs of another content are not over. */
function stands(graph: OrderGraph, passed: readonly string[], more: Partial<Evaluation> = {}) {
  const unmet = new Map(
    graph.nodes.flatMap((node, n) =>
      node.type === 'barrier' && !passed.includes(node.id) ? [[n, graph.needs[n]![0]!] as const] : [],
    ),
  )
  return { unmet, former: [], synced: false, ...more }
}

describe('waves of a unit that are done', () => {
  const graph = graphOf([at('a', '-5'), at('b', '0'), at('c', '10'), at('d', '0', { [HOOK]: 'PreSync' })])

  it.each([
    [[], undefined],
    [['PreSync wave 0'], -5],
    [['PreSync wave 0', 'wave -5'], 0],
    [['PreSync wave 0', 'wave -5', 'wave 0'], 10],
    [['PreSync wave 0', 'wave -5', 'wave 0', 'wave 10'], 11],
  ] as const)('after %s', (passed, expected) => {
    expect(edgesOf(graph).join()).toContain('wave 10')
    expect(lastOfCompletedWaves(graph, stands(graph, passed), [11, -5, 0, 10, 7])).toBe(expected)
  })

  it('are said of those that somebody asks for', () => {
    const all = stands(graph, ['PreSync wave 0', 'wave -5', 'wave 0'])
    expect(lastOfCompletedWaves(graph, all, [])).toBeUndefined()
    expect(lastOfCompletedWaves(graph, all, [3])).toBe(3)
    expect(lastOfCompletedWaves(graph, all, [11])).toBeUndefined()
  })

  it('are none while runs of an earlier content go on', () => {
    const former = [{}] as unknown as Evaluation['former']
    expect(
      lastOfCompletedWaves(graph, stands(graph, ['PreSync wave 0', 'wave -5'], { former }), [0]),
    ).toBeUndefined()
  })

  it('what comes after all of them is in none', () => {
    const later = graphOf([at('a', '0'), at('b', '0', { [HOOK]: 'PostSync' })])
    expect(lastOfCompletedWaves(later, stands(later, ['wave 0']), [100])).toBe(100)
  })

  it('where nothing is in a wave, all is in wave 0, and nothing before it', () => {
    const plain = graphOf([manifest('v1 ConfigMap app/a'), manifest('v1 Secret app/b')])
    expect(lastOfCompletedWaves(plain, stands(plain, []), [0, 1])).toBe(0)
    expect(lastOfCompletedWaves(plain, stands(plain, [], { synced: true }), [0, 1])).toBe(1)
    const hooks = graphOf([
      manifest('v1 ConfigMap app/a', { 'helm.sh/hook': 'pre-install,pre-upgrade' }),
      manifest('v1 Secret app/b'),
    ])
    expect(lastOfCompletedWaves(hooks, stands(hooks, []), [0])).toBeUndefined()
    expect(lastOfCompletedWaves(hooks, stands(hooks, ['PreSync']), [0, 1])).toBe(0)
  })

  it('of a unit without objects nothing is said', () => {
    const none = graphOf([])
    expect(lastOfCompletedWaves(none, stands(none, [], { synced: true }), [0, 5])).toBeUndefined()
  })
})
