/** An immutable field differs because others made the object: before the first delivery, or instead of ours. */
import { describe, expect, it } from 'vitest'
import { defineKind, type KubeObject } from '../../packages/kube/src/object/index.ts'
import { API_VERSION } from '../../packages/lockstep/src/api/apiversion.ts'
import { SET } from '../../packages/lockstep/src/api/kinds/clusterresourceset/spec.ts'
import { holdKind } from '../../packages/lockstep/src/api/kinds/hold/columns.ts'
import { UNIT_LABEL } from '../../packages/lockstep/src/api/labels.ts'
import { jobKind } from '../integration/casemanifests.ts'
import { yaml as documents, SetStory, sources } from './setstory.ts'
import { must, NAMESPACE } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'someone', precondition: 'any' } as const
const ROLE_GROUP = 'rbac.authorization.k8s.io'
const bindingKind = defineKind({
  group: ROLE_GROUP,
  version: 'v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
})

const binding = (role: string, metadata: object = {}): KubeObject =>
  ({
    apiVersion: `${ROLE_GROUP}/v1`,
    kind: 'RoleBinding',
    metadata: { name: 'x', namespace: 'default', ...metadata },
    roleRef: { apiGroup: ROLE_GROUP, kind: 'ClusterRole', name: role },
    subjects: [{ kind: 'ServiceAccount', name: 'x', namespace: 'default' }],
  }) as unknown as KubeObject

const job = (image: string, metadata: object = {}): KubeObject =>
  ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'x', namespace: 'default', ...metadata },
    spec: {
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image }] } },
    },
  }) as unknown as KubeObject

const KINDS = [
  { name: 'RoleBinding', kind: bindingKind, resource: `rolebindings.${ROLE_GROUP}`, make: binding },
  { name: 'Job', kind: jobKind, resource: 'jobs.batch', make: job },
] as const
type Row = (typeof KINDS)[number]

const HOUR_MS = 3_600_000
const NEVER = { notice: [1, 10], start: [HOUR_MS, HOUR_MS] } as const
const KEY = { namespace: 'default', name: 'x' }
const ONCE = ({ resource }: Row) => [`delete ${resource} default/x`, `create ${resource} default/x`]

/** Deletes our object, if it exists, and creates another one. */
async function recreate(story: Story, row: Row, metadata: object = {}): Promise<string> {
  const { client } = story.fleet.clusters.get('c1')!
  if (story.live('c1', row.resource, 'x'))
    must(await story.during(client.delete(row.kind, KEY, { ...USER, propagation: 'Background' })))
  const made = must(await story.during(client.create(row.kind, row.make('theirs', metadata) as never, USER)))
  return made.metadata.uid!
}

const HOLD = { name: 'h', namespace: NAMESPACE }

async function hold(story: Story): Promise<void> {
  const targetRef = { kind: 'Module' as const, name: 'x' }
  const spec = { targetRef, action: 'Suspend' as const, reason: 'test' }
  const body = { apiVersion: API_VERSION, kind: 'Hold', metadata: HOLD, spec }
  must(await story.during(story.fleet.hub.apply(holdKind, body, { ...USER, force: true })))
  await story.pass(5)
}

async function release(story: Story): Promise<void> {
  must(await story.during(story.fleet.hub.delete(holdKind, HOLD, USER)))
}

const uidOf = (story: Story, { resource }: Row) => story.live('c1', resource, 'x')?.metadata.uid

const ours = (story: Story, from: number, { resource }: Row): string[] =>
  story.writes('c1', from).filter((w) => w.includes(resource) && !w.startsWith('patch'))

const said = (story: Story) => story.inventory('x', 'c1')?.status?.blockers?.[0]?.message

describe.each(KINDS)('a Module with a $name', (row) => {
  const manifest = JSON.stringify(row.make('ours'))
  const REPLACE = { apply: { replaceImmutable: true } }

  it.each([
    ['that was there before', false],
    ['that others recreated under a Hold', true],
  ])('%s: recreated once with the option, else one message that says what to do', async (_, isLater) => {
    // A Job that has succeeded, and is gone, is not recreated: this one runs.
    const story = await Story.begin(`recreated ${row.name} ${isLater}`, ['c1'], { delays: NEVER })
    await story.config('x', manifest)
    if (isLater) {
      await story.module('x', 'x')
      const isDelivered = () =>
        uidOf(story, row) !== undefined && story.inventory('x', 'c1')?.spec.objects !== undefined
      expect(await story.until(isDelivered)).toBe(true)
      await hold(story)
    }
    const theirs = await recreate(story, row)
    const from = story.fleet.commits.length
    if (isLater) await release(story)
    else await story.module('x', 'x')
    expect(await story.until(() => said(story)?.includes('or delete it') === true)).toBe(true)
    expect(said(story)).toMatch(
      new RegExp(`^${row.name} default/x: .*; set spec\\.apply\\.replaceImmutable, or delete it$`),
    )
    await story.pass(600)
    expect([uidOf(story, row), ours(story, from, row)]).toEqual([theirs, []])
    expect(story.live('c1', row.resource, 'x')!.metadata.labels?.[UNIT_LABEL]).toBeUndefined()
    await story.module('x', 'x', REPLACE)
    const isOurs = () => uidOf(story, row) !== undefined && uidOf(story, row) !== theirs
    expect(await story.until(isOurs)).toBe(true)
    expect(await story.until(() => !(said(story) ?? '').includes('immutable'))).toBe(true)
    await story.pass(600)
    expect(ours(story, from, row)).toEqual(ONCE(row))
    expect(story.fleet.oracles.violations).toEqual([])
  })

  it('with the marks of another unit is refused, whatever the option says', async () => {
    const story = await Story.begin(`marked ${row.name}`, ['c1'])
    const marks = {
      labels: { [UNIT_LABEL]: 'm.platform.other' },
      annotations: { 'lockstep.dev/inventory': 'another' },
    }
    const theirs = await recreate(story, row, marks)
    await story.config('x', manifest)
    await story.module('x', 'x', REPLACE)
    expect(await story.until(() => said(story) !== undefined)).toBe(true)
    await story.pass(600)
    expect(said(story)).toContain('belongs to Module platform/other')
    expect(uidOf(story, row)).toBe(theirs)
  })
})

describe.each(['Continuous', 'Reconcile'])('a %s set', (strategy) => {
  it.each(KINDS)('with a $name that was there before: recreated once with the option', async (row) => {
    const story = await SetStory.open(`sets ${strategy} ${row.name}`, ['c1'])
    const theirs = await recreate(story, row)
    const from = story.fleet.commits.length
    await story.source('a', { 'a.yaml': documents(row.make('ours') as never) })
    const replace = { [SET.replaceImmutable]: 'true' }
    await story.set('crs1', sources('a'), { strategy, annotations: replace })
    expect(await story.until(() => uidOf(story, row) !== undefined && uidOf(story, row) !== theirs)).toBe(
      true,
    )
    await story.pass(600)
    expect(ours(story, from, row)).toEqual(ONCE(row))
  })
})
