import { describe, expect, it } from 'vitest'
import type { KubeObject } from '../../../../../../kube/src/object/index.ts'
import { faultsOf, lagOf, type Milestones, milestonesOf, type ObservedWrite } from './milestones.ts'
import { CLASS_NAME, JOB_NAME, STORAGE, VIRTUALIZATION } from './raceplayers.ts'

const BEGUN = 10_000
const object = (kind: string, name: string, status?: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name }, ...(status ? { status } : {}) }) as KubeObject
/** Created, or changed where `old` is given; undefined for `next`: deleted. */
const wrote = (afterMs: number, next: KubeObject | undefined, old?: KubeObject): ObservedWrite => ({
  atMs: BEGUN + afterMs,
  next,
  old,
})

const odf = (state?: string) => object('Subscription', STORAGE.name, state ? { state } : undefined)
const virt = object('Subscription', VIRTUALIZATION.name)
const storageClass = object('StorageClass', CLASS_NAME)
const job = object('Job', JOB_NAME)
const pod = (phase: string) => object('Pod', `${JOB_NAME}-1`, { phase })

describe('milestones', () => {
  it('are the first write of each, counted from when the group is written', () => {
    const writes = [
      wrote(100, odf()),
      wrote(200, odf('UpgradePending'), odf()),
      wrote(300, odf('AtLatestKnown'), odf('UpgradePending')),
      wrote(350, odf('AtLatestKnown'), odf('AtLatestKnown')),
      wrote(400, object('StorageClass', 'another')),
      wrote(500, storageClass),
      wrote(600, virt),
      wrote(700, virt, virt),
    ]
    expect(milestonesOf(writes, BEGUN)).toEqual({
      storageSubscribedMs: 100,
      storageHealthyMs: 300,
      classMs: 500,
      virtualizationSubscribedMs: 600,
      podsRun: 0,
      jobsMade: 0,
    })
  })
  it('that never came are absent', () => {
    expect(milestonesOf([wrote(0, odf())], BEGUN)).toEqual({
      storageSubscribedMs: 0,
      podsRun: 0,
      jobsMade: 0,
    })
  })
  it('count a Job when it is made, and a pod when it begins to run, once', () => {
    const writes = [
      wrote(0, job),
      wrote(1, job, job),
      wrote(2, pod('Pending')),
      wrote(3, pod('Running'), pod('Pending')),
      wrote(4, pod('Running'), pod('Running')),
      wrote(5, pod('Succeeded'), pod('Running')),
      wrote(6, undefined, job),
    ]
    expect(milestonesOf(writes, BEGUN)).toMatchObject({ podsRun: 1, jobsMade: 1 })
  })
})

describe('a run whose waits are native', () => {
  const good: Milestones = { classMs: 5000, virtualizationSubscribedMs: 5049, podsRun: 0, jobsMade: 0 }
  const without = (...names: readonly (keyof Milestones)[]): Milestones =>
    Object.fromEntries(Object.entries(good).filter(([k]) => !names.includes(k as never))) as never
  it.each<readonly [what: string, Milestones, faults: readonly string[]]>([
    ['49 ms after the class', good, []],
    ['in the same millisecond', { ...good, virtualizationSubscribedMs: 5000 }, []],
    [
      '50 ms after it',
      { ...good, virtualizationSubscribedMs: 5050 },
      ['it took 50 ms instead of less than 50'],
    ],
    [
      'before it',
      { ...good, virtualizationSubscribedMs: 4999 },
      ['kubevirt-hyperconverged was subscribed before its StorageClass existed'],
    ],
    [
      'without it',
      without('classMs'),
      [
        'StorageClass ocs-storagecluster-ceph-rbd was never created',
        'kubevirt-hyperconverged was subscribed before its StorageClass existed',
      ],
    ],
    [
      'that ends before',
      without('virtualizationSubscribedMs'),
      ['kubevirt-hyperconverged was never subscribed'],
    ],
    ['with a pod', { ...good, podsRun: 1 }, ['a pod ran']],
    ['with a Job', { ...good, jobsMade: 2 }, ['a Job was created']],
  ])('%s', (_, milestones, faults) => {
    expect(faultsOf(milestones)).toEqual(faults)
  })
  it('has a lag once both are there', () => {
    expect([lagOf(good), lagOf(without('classMs'))]).toEqual([49, undefined])
  })
})
