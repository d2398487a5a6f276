/** What the cluster group of a Validated Pattern costs its cluster: requests, counted where they arrive. */
import { describe, expect, it } from 'vitest'
import { crdKind } from '../../packages/kube/src/kinds/types.ts'
import { at, type KubeObject } from '../../packages/kube/src/object/index.ts'
import type { OperatorPlans } from '../../packages/simulators/src/olm/operatorplans.ts'
import { patternDefinitions } from '../../packages/simulators/src/olm/patterndefinitions.ts'
import { FleetTraffic } from './fleettraffic.ts'
import { must } from './simfleet.ts'
import { Story } from './steps.ts'

const USER = { purpose: 'user', manager: 'somebody' } as const
const OPERATORS = Array.from({ length: 40 }, (_, i) => `op-${i}`)
/** Its channel is what changes. */
const CHANGED = 'op-7'

interface Text {
  /** So many of the subscriptions have a sequenceJob. */
  readonly jobs: number
  readonly channel?: string
  readonly image?: string
}

const values = ({ jobs, channel = 'stable', image = 'a' }: Text): string => `
global: {pattern: edge, options: {useCSV: false}}
clusterGroup:
  name: hub
  namespaces: [${OPERATORS.join(', ')}]
  subscriptions:
${OPERATORS.map((name, i) => {
  const job = `sequenceJob: {resourceType: sc, resourceName: ${name}, image: ${image}}, `
  const wave = `annotations: {argocd.argoproj.io/sync-wave: "${5 * (i % 4)}"}`
  return `    ${name}: {name: ${name}, namespace: ${name}, channel: ${name === CHANGED ? channel : 'stable'}, ${i < jobs ? job : ''}${wave}}\n`
}).join('')}`

/** Each operator makes a StorageClass some time after it is installed. */
const PLANS: OperatorPlans = Object.fromEntries(
  OPERATORS.map((name) => {
    const object = {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name },
      provisioner: 'example.com',
    } as KubeObject
    return [name, { installMs: 1000, makes: [{ afterMs: 2000, object }] }]
  }),
)

async function delivered(jobs: number): Promise<{ readonly story: Story; readonly traffic: FleetTraffic }> {
  const story = await Story.begin(`costs of ${jobs}`, ['edge'], { operators: PLANS })
  const { client } = story.fleet.clusters.get('edge')!
  for (const crd of patternDefinitions()) must(await story.during(client.create(crdKind, crd as never, USER)))
  await story.config('group', values({ jobs }))
  const clusterGroup = { valuesFiles: ['all.yaml'] }
  await story.module('group', 'group', { render: { namespace: 'openshift-operators', clusterGroup } })
  expect(await story.until(() => story.isReady('group'), 300)).toBe(true)
  await story.pass(60)
  return { story, traffic: new FleetTraffic(story.fleet) }
}

/** All that a change can cause, dry runs and watches of what is waited for, too; watches that are only renewed go on. */
const requests = ({ asked }: FleetTraffic): string[] =>
  asked.filter((a) => a.what !== 'watch').map((a) => `${a.what} ${a.path}`)

const channelOf = (story: Story) =>
  at(story.live('edge', 'subscriptions.operators.coreos.com', CHANGED, CHANGED) ?? null, 'spec', 'channel')

describe('a group of 40 subscriptions', () => {
  it.each([0, 1, 2])(
    'of which %i have a sequenceJob: one that changes costs 1.1 + 6 requests at most',
    async (jobs) => {
      const { story, traffic } = await delivered(jobs)
      const commits = story.fleet.commits.length
      await story.config('group', values({ jobs, channel: 'candidate' }))
      expect(await story.until(() => channelOf(story) === 'candidate', 30)).toBe(true)
      expect(await story.until(() => story.isReady('group'), 30)).toBe(true)
      await story.pass(60)
      expect(requests(traffic).length, requests(traffic).join('\n')).toBeLessThanOrEqual(1.1 + 6)
      expect(story.writes('edge', commits)).toEqual([
        `apply subscriptions.operators.coreos.com ${CHANGED}/${CHANGED}`,
      ])
      expect(story.fleet.oracles.violations).toEqual([])
    },
  )

  it('asks its cluster for nothing once it is delivered, nor for another image of a sequenceJob, of which no Job is made', async () => {
    const { story, traffic } = await delivered(4)
    const admitted = () => story.inventory('group', 'edge')!.spec.admitted!
    const before = admitted()
    await story.pass(600)
    await story.config('group', values({ jobs: 4, image: 'b' }))
    await story.pass(120)
    expect(requests(traffic)).toEqual([])
    expect(story.isReady('group')).toBe(true)
    // It is admitted at what it was rendered from, and is the same.
    expect(admitted().gateDigest).not.toBe(before.gateDigest)
    expect(admitted()).toMatchObject({ bundle: before.bundle, contentSerial: before.contentSerial })
  })
})
