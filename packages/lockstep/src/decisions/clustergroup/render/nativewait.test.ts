/** `sequencing: Native`. */
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../../../kube/src/object/index.ts'
import { files, hub, made } from '../clustergroup.cases.ts'
import { type ClusterGroupInput, renderClusterGroup } from './renderclustergroup.ts'

function native(text: string, more: Partial<ClusterGroupInput> = {}) {
  const result = renderClusterGroup({ files: files(text), sequencing: 'Native', ...more })
  if (!result.ok) throw new Error(result.error.map((p) => p.text).join('\n'))
  return result.value
}
const odf = (job: string, more = ''): string =>
  hub(`subscriptions: {odf: {name: odf${more}, sequenceJob: ${job}}}`)
const kinds = (text: string): unknown[] => native(text).objects.map((o) => o.kind)
const FAST = '{resourceType: sc, resourceName: fast}'
const wave = (n: string): string => `, annotations: {argocd.argoproj.io/sync-wave: "${n}"}`

const WAIT: JsonObject = {
  apiVersion: 'lockstep.dev/v1alpha1',
  kind: 'Wait',
  metadata: {
    name: 'odf-sequencejob',
    annotations: { 'argocd.argoproj.io/hook': 'Sync', 'argocd.argoproj.io/sync-wave': '5' },
  },
  spec: { resourceType: 'sc', resourceName: 'fast', asked: 'sequenceJob of odf' },
}

describe('a sequenceJob', () => {
  it('is a wait in its wave; all else is as the chart has it', () => {
    const text = odf(FAST, wave('5'))
    const chart = made(text).objects
    expect(native(text)).toEqual({
      objects: chart.map((o) => (o.kind === 'Job' ? WAIT : o)),
      warnings: [],
    })
  })
  it('has a wave and a phase of its own where it says so', () =>
    expect(
      native(
        odf(
          '{resourceType: sc, resourceName: fast, resourceNamespace: a, syncWave: "-1", hookType: PreSync}',
          wave('5'),
        ),
      ).objects.at(-1),
    ).toMatchObject({
      metadata: {
        annotations: { 'argocd.argoproj.io/hook': 'PreSync', 'argocd.argoproj.io/sync-wave': '-1' },
      },
      spec: { resourceNamespace: 'a' },
    }))
  it('needs neither annotations nor a wave', () =>
    expect(native(odf(FAST)).objects.at(-1)?.metadata).toEqual({
      name: 'odf-sequencejob',
      annotations: { 'argocd.argoproj.io/hook': 'Sync' },
    }))
  it('of a disabled subscription is nothing', () =>
    expect(native(odf(FAST, ', disabled: true'))).toEqual({
      objects: [],
      warnings: [
        'values.yaml: clusterGroup.subscriptions.odf.sequenceJob: sequenceJob of disabled subscription odf dropped',
      ],
    }))
  it('that is disabled is nothing', () => {
    expect(kinds(odf('{disabled: true, resourceType: sc}'))).toEqual(['Subscription'])
  })
  it('with a command of its own stays a Job, without a wave if it has none', () => {
    const [, job] = native(odf('{command: [oc, wait, sc]}')).objects
    expect(job).toMatchObject({
      kind: 'Job',
      metadata: { annotations: { 'argocd.argoproj.io/hook': 'Sync' } },
    })
    expect(Object.keys((job!.metadata as JsonObject).annotations as JsonObject)).toHaveLength(1)
  })
  it('with the command of the chart is a wait', () =>
    expect(
      kinds(
        odf(
          '{command: [/bin/sh, -c, "while [ 1 ];\\ndo\\n oc get sc x && break\\n echo a\\n sleep 1\\ndone\\necho b\\nexit 0"]}',
        ),
      ),
    ).toEqual(['Subscription', 'Wait']))
  it('of a phase in which nothing waits stays a Job', () =>
    expect(kinds(odf('{resourceType: sc, resourceName: a, hookType: SyncFail}'))).toEqual([
      'Subscription',
      'Job',
    ]))
  it('that is more than a type and a name stays a Job', () => {
    const { objects, warnings } = native(odf('{resourceType: "pods -l app=a", resourceName: a}'))
    expect(objects.map((o) => o.kind)).toEqual(['Subscription', 'Job'])
    expect(warnings[0]).toMatch(
      /sequenceJob: is more than a type, a name and a namespace, so that it stays a Job/,
    )
  })
  it('without a name waits for a list, and it is said', () => {
    const { objects, warnings } = native(odf('{resourceType: sc}'))
    expect(objects.at(-1)?.spec).toEqual({ resourceType: 'sc', asked: 'sequenceJob of odf' })
    expect(warnings).toEqual([
      'values.yaml: clusterGroup.subscriptions.odf.sequenceJob: has no resourceName, so that it waits only until sc can be listed; name one',
    ])
  })
  it('has no use for an image', () =>
    expect(native(odf('{resourceType: sc, resourceName: a, image: i}')).warnings).toEqual([
      'values.yaml: clusterGroup.subscriptions.odf.sequenceJob.image: no Pod runs, so no image is needed; remove it',
    ]))
  it('without a type and a command is refused', () => {
    const refused = renderClusterGroup({ files: files(odf('{resourceName: a}')), sequencing: 'Native' })
    expect(refused.ok ? [] : refused.error.map((p) => p.text)).toEqual([
      'values.yaml: clusterGroup.subscriptions.odf.sequenceJob requires resourceType or a command: the object to wait for is unknown',
    ])
  })
})

describe('a Job of extraObjects', () => {
  const extra = (last: string): string =>
    hub(`extraObjects:
  wait-for-class:
    apiVersion: batch/v1
    kind: Job
    metadata: {name: w, annotations: {argocd.argoproj.io/hook: Sync, argocd.argoproj.io/sync-wave: "5"}}
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers:
            - name: a
              image: i
              command: [/bin/bash, -c, "while [ 1 ];\\ndo\\noc get sc fast && break\\necho a\\nsleep 5\\ndone\\necho b\\n${last}exit 0"]`)

  it('that only waits is the same wait', () =>
    expect(native(extra('')).objects).toEqual([
      {
        ...WAIT,
        metadata: { ...(WAIT.metadata as JsonObject), name: 'w' },
        spec: { ...(WAIT.spec as JsonObject), asked: 'Job of extraObjects.wait-for-class' },
      },
    ]))
  it('that does more stays a Job', () =>
    expect(native(extra('oc label sc fast a=b\\n')).objects.map((o) => o.kind)).toEqual(['Job']))
  it('stays one where the module says so', () =>
    expect(native(extra(''), { extraObjectWaits: false }).objects.map((o) => o.kind)).toEqual(['Job']))
})
