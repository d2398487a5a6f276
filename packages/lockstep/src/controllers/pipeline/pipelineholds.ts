/** Holds on pipelines: those of people, and those that are made where a revision did not stay. */

import type { RequestError } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import { canonicalJson, parseTimestampMs, type Stored } from '@lockstep/kube/object'
import { GROUP, VERSION } from '../../api/apiversion.ts'
import { type Approval, approvalKind, type Hold, holdKind, type Pipeline } from '../../api/kinds/index.ts'
import { AUTOMATIC_LABEL, MANAGER } from '../../api/labels.ts'
import {
  type AutomaticHold,
  type EnvironmentHold,
  epochOfHold,
  type ObservedApproval,
  ownHoldName,
} from '../../decisions/promotion/index.ts'
import type { HubCaches } from '../cache/index.ts'
import type { PipelineDeps } from './pipelinedeps.ts'

const isOf =
  ({ metadata: { namespace, name } }: Stored<Pipeline>) =>
  (o: Stored<Hold | Approval>): boolean =>
    o.spec.targetRef.kind === 'Pipeline' &&
    o.spec.targetRef.name === name &&
    o.metadata.namespace === namespace &&
    o.metadata.deletionTimestamp === undefined

const holdView = ({ metadata, spec }: Stored<Hold>): EnvironmentHold => ({
  name: metadata.name,
  reason: spec.reason,
  environments: spec.environments,
  passedBy: spec.passedBy,
  untilMs: spec.until === undefined ? undefined : parseTimestampMs(spec.until),
})

const inForce =
  (nowMs: number) =>
  ({ untilMs }: EnvironmentHold): boolean =>
    untilMs === undefined || untilMs > nowMs

export interface PipelineHolds {
  readonly holds: readonly EnvironmentHold[]
  readonly approvals: readonly Stored<Approval>[]
}

/** As caches have them. */
export const cachedPipelineHolds = (
  hub: Pick<HubCaches, 'holds' | 'approvals'>,
  pipeline: Stored<Pipeline>,
  nowMs: number,
): PipelineHolds => consents([...hub.holds.store.all()], [...hub.approvals.store.all()], pipeline, nowMs)

/** As they are now: what was taken back a moment ago does not count. */
export async function livePipelineHolds(
  { hub }: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  nowMs: number,
): Promise<Result<PipelineHolds, RequestError>> {
  const { namespace = '' } = pipeline.metadata
  const o = { namespace, purpose: 'admission' } as const
  const [holds, approvals] = await Promise.all([hub.own.list(holdKind, o), hub.own.list(approvalKind, o)])
  if (!holds.ok) return err(holds.error)
  if (!approvals.ok) return err(approvals.error)
  return ok(consents(holds.value.items, approvals.value.items, pipeline, nowMs))
}

const consents = (
  holds: readonly Stored<Hold>[],
  approvals: readonly Stored<Approval>[],
  pipeline: Stored<Pipeline>,
  nowMs: number,
): PipelineHolds => ({
  holds: holds
    .filter(isOf(pipeline))
    .map(holdView)
    .filter(inForce(nowMs))
    .sort((a, b) => (a.name < b.name ? -1 : 1)),
  approvals: approvals.filter(isOf(pipeline)),
})

export const approvalsFor = ({ approvals }: PipelineHolds, environment: string): ObservedApproval[] =>
  approvals
    .filter(({ spec }) => spec.stage === environment)
    .map(({ metadata, spec }) => ({ name: metadata.name, key: spec.revisionHash }))

const WRITE = { purpose: 'admission', manager: MANAGER } as const

/**
 * Its name says what was left, and not for what: one that is there already says what is so now, and holds, whatever somebody has
 * written into it since. Where that one is about something else, it stays as it is, and this one has a name of its own.
 */
export async function createHold(
  c: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  environment: string,
  hold: AutomaticHold,
): Promise<RequestError | undefined> {
  const made = await makeNamed(c, pipeline, environment, hold)
  if (made?.kind !== 'AlreadyExists') return made
  const name = ownHoldName(hold.name, pipeline.metadata.name, environment)
  const own = await makeNamed(c, pipeline, environment, { ...hold, name })
  return own?.kind === 'AlreadyExists'
    ? inTheWay(own, `Hold ${pipeline.metadata.namespace}/${name} is about something else`)
    : own
}

/** Somebody has to do something about it, or it takes time. */
const inTheWay = (error: RequestError, message: string): RequestError => ({
  ...error,
  kind: 'Server',
  status: 409,
  message,
})

/**
 * One that is being deleted has to go first; one of that name that people have made is theirs. `AlreadyExists`: one of that name is
 * about something else.
 */
async function makeNamed(
  { hub }: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  environment: string,
  { name, reason, passedBy }: AutomaticHold,
): Promise<RequestError | undefined> {
  const { namespace = '' } = pipeline.metadata
  const hold: Hold = {
    apiVersion: `${GROUP}/${VERSION}`,
    kind: holdKind.kind,
    metadata: { name, namespace, labels: { [AUTOMATIC_LABEL]: 'true' } },
    spec: {
      targetRef: { kind: 'Pipeline', name: pipeline.metadata.name },
      action: 'Suspend',
      environments: [environment],
      ...(passedBy === undefined ? {} : { passedBy }),
      reason: reason.slice(0, 1024),
    },
  }
  const made = await hub.own.create(holdKind, hold, WRITE)
  // Nobody is to miss it who hears of it later than of what follows from it.
  if (made.ok) hub.holds.observeWrite(made.value)
  if (made.ok || made.error.kind !== 'AlreadyExists') return made.ok ? undefined : made.error
  const there = await hub.own.get(holdKind, { namespace, name }, { purpose: 'reread' })
  if (!there.ok) return there.error
  const { metadata, spec } = there.value
  if (spec.targetRef.kind !== 'Pipeline' || spec.targetRef.name !== pipeline.metadata.name) return made.error
  if (metadata.labels?.[AUTOMATIC_LABEL] === undefined) return undefined
  if (canonicalJson(spec.environments ?? []) !== canonicalJson([environment])) return made.error
  if (metadata.deletionTimestamp !== undefined)
    return inTheWay(made.error, `Hold ${namespace}/${name} is being deleted`)
  if (canonicalJson(spec) === canonicalJson(hold.spec)) return undefined
  const said = await hub.own.update(holdKind, { ...there.value, spec: hold.spec }, WRITE)
  if (said.ok) hub.holds.observeWrite(said.value)
  return said.ok ? undefined : said.error
}

/**
 * Somebody asks for a promotion: what was held before it without anybody asking is let go of. Not what was made since: it may be
 * that it is made anew. A cache may not have heard of some yet, which nobody would let go of any more.
 */
export async function deleteAutomaticHolds(
  { hub }: Pick<PipelineDeps, 'hub'>,
  pipeline: Stored<Pipeline>,
  { environment, before }: { readonly environment: string; readonly before: number },
): Promise<RequestError | undefined> {
  const { namespace = '' } = pipeline.metadata
  const all = await hub.own.list(holdKind, { namespace, purpose: 'admission' })
  if (!all.ok) return all.error
  for (const { metadata, spec } of all.value.items.filter(isOf(pipeline))) {
    if (metadata.labels?.[AUTOMATIC_LABEL] === undefined) continue
    if (spec.environments?.includes(environment) === false) continue
    const { uid, resourceVersion, name } = metadata
    if ((epochOfHold(name) ?? 0) >= before) continue
    const gone = await hub.own.delete(
      holdKind,
      { namespace, name },
      { ...WRITE, precondition: { uid, resourceVersion } },
    )
    if (!gone.ok && gone.error.kind !== 'NotFound') return gone.error
  }
  return undefined
}
