/** When what was there: read off every write to the cluster; pure. */
import { at, type KubeObject } from '@lockstep/kube/object'
import { CLASS_NAME, STORAGE, VIRTUALIZATION } from './raceplayers.ts'

/** A write to the cluster, whoever did it. */
export interface ObservedWrite {
  readonly atMs: number
  readonly old: KubeObject | undefined
  readonly next: KubeObject | undefined
}

/** Milliseconds since the group was written; absent: it never came to that. */
export interface Milestones {
  readonly storageSubscribedMs?: number
  readonly storageHealthyMs?: number
  readonly classMs?: number
  readonly virtualizationSubscribedMs?: number
  readonly podsRun: number
  readonly jobsMade: number
}

export const MILESTONES = [
  'storageSubscribedMs',
  'storageHealthyMs',
  'classMs',
  'virtualizationSubscribedMs',
] as const
export type Milestone = (typeof MILESTONES)[number]

type MilestoneTest = (o: KubeObject) => boolean

const isA =
  (kind: string, name: string): MilestoneTest =>
  (o) =>
    o.kind === kind && o.metadata.name === name
/** Operator Lifecycle Manager has installed what it found for it. */
const isInstalled: MilestoneTest = (o) => at(o, 'status', 'state') === 'AtLatestKnown'

const TESTS: Readonly<Record<Milestone, MilestoneTest>> = {
  storageSubscribedMs: isA('Subscription', STORAGE.name),
  storageHealthyMs: (o) => isA('Subscription', STORAGE.name)(o) && isInstalled(o),
  classMs: isA('StorageClass', CLASS_NAME),
  virtualizationSubscribedMs: isA('Subscription', VIRTUALIZATION.name),
}

export function milestonesOf(writes: readonly ObservedWrite[], begunMs: number): Milestones {
  const first = MILESTONES.flatMap((m) => {
    const write = writes.find(({ next }) => next && TESTS[m](next))
    return write ? [[m, write.atMs - begunMs] as const] : []
  })
  const isMade =
    (kind: string) =>
    ({ old, next }: ObservedWrite): boolean =>
      old === undefined && next?.kind === kind
  const isRunning = (o: KubeObject | undefined): boolean =>
    o?.kind === 'Pod' && at(o, 'status', 'phase') === 'Running'
  return {
    ...Object.fromEntries(first),
    podsRun: writes.filter(({ old, next }) => isRunning(next) && !isRunning(old)).length,
    jobsMade: writes.filter(isMade('Job')).length,
  }
}

/** Milliseconds from the class to the subscription that needs it; negative: that was too early. Undefined: not both came. */
export const lagOf = ({ classMs, virtualizationSubscribedMs }: Milestones): number | undefined =>
  classMs === undefined || virtualizationSubscribedMs === undefined
    ? undefined
    : virtualizationSubscribedMs - classMs

/** A wait is over at once: one request on its way to the cluster, and no poll. */
const AT_ONCE_MS = 50

/** What is wrong with a run whose waits are native, for people; none: nothing. */
export function faultsOf(m: Milestones): readonly string[] {
  const lag = lagOf(m)
  const faults: readonly (readonly [isSo: boolean, text: string])[] = [
    [m.classMs === undefined, `StorageClass ${CLASS_NAME} was never created`],
    [m.virtualizationSubscribedMs === undefined, `${VIRTUALIZATION.name} was never subscribed`],
    [isBefore(m), `${VIRTUALIZATION.name} was subscribed before its StorageClass existed`],
    [
      lag !== undefined && lag >= AT_ONCE_MS,
      `it took ${Math.round(lag ?? 0)} ms instead of less than ${AT_ONCE_MS}`,
    ],
    [m.podsRun > 0, 'a pod ran'],
    [m.jobsMade > 0, 'a Job was created'],
  ]
  return faults.flatMap(([isSo, text]) => (isSo ? [text] : []))
}

/** Also where the class never came. */
const isBefore = ({ classMs, virtualizationSubscribedMs }: Milestones): boolean =>
  virtualizationSubscribedMs !== undefined &&
  virtualizationSubscribedMs < (classMs ?? Number.POSITIVE_INFINITY)
