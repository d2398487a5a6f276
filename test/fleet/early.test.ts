/** Objects that leave before others are applied: rules of kapp between deletions and applies. */
import { describe, expect, it } from 'vitest'
import { configMapKind } from '../../packages/kube/src/kinds/types.ts'
import { must } from './simfleet.ts'
import { dataOf, edge, KEY, listed, liveOf, publish, ready, reasons, USER } from './single.ts'
import type { ModuleOptions } from './steps.ts'
import { configManifest, Story } from './steps.ts'

const RULE = 'kapp.k14s.io/change-rule'
const GROUP = 'kapp.k14s.io/change-group'

/** A ConfigMap with annotations and finalizers. */
const config = (
  name: string,
  value: string,
  annotations: Readonly<Record<string, string>> = {},
  finalizers: readonly string[] = [],
): string =>
  `${JSON.stringify({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', annotations, finalizers },
    data: { value },
  })}\n`

async function delivered(name: string, texts: readonly string[], more: ModuleOptions = {}): Promise<Story> {
  const story = await Story.begin(name, ['edge'])
  await publish(story, texts, more)
  await ready(story)
  return story
}

/** Who was written or gone, in order: `apply x`, `delete y`. */
const told = (story: Story, from: number): string[] =>
  story.writes('edge', from).map((line) => line.replace(/configmaps default\//, ''))

describe('what is applied after something is gone', () => {
  it.each([
    ['its own rule', { [RULE]: 'upsert after deleting g' }, { [GROUP]: 'g' }],
    ['the rule of what leaves', { [GROUP]: 'g' }, { [RULE]: 'delete before upserting g' }],
  ])('by %s: that leaves first, all else last', async (what, stays, leaves) => {
    const story = await delivered(`early ${what}`, [
      config('x', '1', stays),
      config('old', '1', leaves),
      config('other', '1'),
      config('yy', '1'),
    ])
    const from = story.fleet.commits.length
    await publish(story, [config('x', '2', stays), config('yy', '2')])
    await ready(story)
    await story.pass(5)
    expect(told(story, from).filter((line) => /x$|old$/.test(line))).toEqual(['delete old', 'apply x'])
    expect(told(story, from).at(-1)).toBe('delete other')
    expect(listed(story)).toEqual(['x', 'yy'])
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('waits with a blocker as long as it is there, while the rest is delivered', async () => {
    const story = await delivered('early held', [
      config('x', '1', { [RULE]: 'upsert after deleting g' }),
      config('old', '1', { [GROUP]: 'g' }, ['example.com/keep']),
      config('yy', '1'),
    ])
    await publish(story, [config('x', '2', { [RULE]: 'upsert after deleting g' }), config('yy', '2')])
    expect(await story.until(() => dataOf(story, 'yy') !== undefined && reasons(story).length > 1, 20)).toBe(
      true,
    )
    expect(dataOf(story)).toEqual({ value: '1' })
    expect(dataOf(story, 'yy')).toEqual({ value: '2' })
    expect(reasons(story)).toEqual([
      'WaitingForObject: ConfigMap default/x waits for ConfigMap default/old to be deleted (kapp.k14s.io/change-rule upsert after deleting g)',
      'FinalizerPending: ConfigMap default/old is terminating: example.com/keep',
    ])
    must(
      await story.during(
        edge(story).patch(configMapKind, { ...KEY, name: 'old' }, { metadata: { finalizers: null } }, USER),
      ),
    )
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '2' })
  })

  it('is not held up when it has not changed, nor where nothing is pruned', async () => {
    const rule = { [RULE]: 'upsert after deleting g' }
    const story = await delivered('early same', [
      config('x', '1', rule),
      config('old', '1', { [GROUP]: 'g' }, ['example.com/keep']),
      config('yy', '1'),
    ])
    await publish(story, [config('x', '1', rule), config('yy', '2')])
    expect(await story.until(() => (dataOf(story, 'yy') as { value: string }).value === '2', 20)).toBe(true)
    await publish(story, [config('x', '3', rule), config('yy', '2')], { apply: { prune: false } })
    await ready(story)
    expect(dataOf(story)).toEqual({ value: '3' })
    expect(liveOf(story, 'old')).toBeDefined()
  })

  it('with an order among what leaves, also after a restart', async () => {
    const story = await delivered('early chain', [
      config('x', '1', { [RULE]: 'upsert after deleting g' }),
      config('old', '1', { [GROUP]: 'g' }),
      config('first', '1', { [RULE]: 'delete before deleting g' }),
    ])
    const from = story.fleet.commits.length
    story.manager.stop()
    story.manager = story.fleet.startController()
    await publish(story, [config('x', '2', { [RULE]: 'upsert after deleting g' })])
    await ready(story)
    expect(told(story, from)).toEqual(['delete first', 'delete old', 'apply x'])
  })

  it('of a Config of kapp, which says it of what leaves too', async () => {
    const bindings = (rules: readonly string[]): string =>
      `${JSON.stringify({
        apiVersion: 'kapp.k14s.io/v1alpha1',
        kind: 'Config',
        metadata: { name: 'rules' },
        changeGroupBindings: [
          {
            name: 'legacy',
            resourceMatchers: [
              { kindNamespaceNameMatcher: { kind: 'ConfigMap', namespace: 'default', name: 'old' } },
            ],
          },
        ],
        changeRuleBindings: [
          {
            rules,
            resourceMatchers: [
              { kindNamespaceNameMatcher: { kind: 'ConfigMap', namespace: 'default', name: 'x' } },
            ],
          },
        ],
      })}\n`
    const story = await delivered('early config', [config('x', '1'), config('old', '1'), config('yy', '1')])
    const from = story.fleet.commits.length
    await publish(story, [bindings(['upsert after deleting legacy']), config('x', '2'), config('yy', '1')])
    await ready(story)
    expect(told(story, from)).toEqual(['delete old', 'apply x'])
  })

  it('a cycle is said, and nothing is written', async () => {
    const story = await delivered('early cycle', [
      config('x', '1', { [RULE]: 'upsert after deleting g', [GROUP]: 'h' }),
      config('old', '1', { [GROUP]: 'g', [RULE]: 'delete after upserting h' }),
      configManifest('z', '1'),
    ])
    const from = story.fleet.commits.length
    await publish(story, [
      config('x', '2', { [RULE]: 'upsert after deleting g', [GROUP]: 'h' }),
      configManifest('z', '2'),
    ])
    await story.pass(10)
    expect(told(story, from)).toEqual([])
    expect(reasons(story)).toEqual([
      'CycleDetected: order has a cycle: ConfigMap default/x -(kapp.k14s.io/change-rule delete after upserting h, Healthy)-> deletion of ConfigMap default/old -(kapp.k14s.io/change-rule upsert after deleting g, Gone)-> ConfigMap default/x; remove one of these dependencies',
    ])
  })
})
