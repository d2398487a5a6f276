/**
 * Pipelines of weaveworks, for people who ask why nothing happens with one. While its own controller is at work nothing at all is
 * written of it (3.10 of the design): no condition, no Event, and there may be no Pipeline of ours yet that could say so. Therefore
 * it is not told by the controller but found here, by whoever asks, where the controller finds it: in the Lease.
 */

import { requestErrorText } from '@lockstep/kube/client'
import { ok, type Result } from '@lockstep/kube/env'
import { type Lease, leaseKind } from '@lockstep/kube/kinds'
import {
  at,
  isArray,
  type JsonObject,
  type KubeObject,
  parseTimestampMs,
  type Stored,
  timestamp,
  valuePathText,
} from '@lockstep/kube/object'
import { API_VERSION } from '../../../api/apiversion.ts'
import { type Blocker, blocked, keepSince, type NewBlocker } from '../../../api/blocker.ts'
import { type Pipeline, pipelineKind, SET } from '../../../api/kinds/index.ts'
import { pipelineRef } from '../../../decisions/promotion/index.ts'
import {
  previousController,
  previousLease,
  readWeavePipeline,
  WEAVE_LEASE,
  weaveIdentity,
  weaveOwner,
  weavePipelineKind,
} from '../../../decisions/weave/index.ts'
import { HUB_CLUSTER } from '../../../fleet/clusters/index.ts'
import type { HubConnection } from '../hub/index.ts'
import type { CliFailure, CommandContext } from '../index.ts'
import { followed, type LiveView } from '../snapshot/index.ts'
import { type PipelineSnapshot, pipelinesIn, readPipelines } from './pipelinesnapshot.ts'

export interface WeaveSnapshot {
  /** Undefined: there is no such kind, or it may not be read. */
  readonly pipelines: readonly KubeObject[] | undefined
  /** Why they cannot be read, if that is so. */
  readonly leases: readonly Lease[] | string
}

const NONE: WeaveSnapshot = { pipelines: undefined, leases: [] }
const LEASE = { fieldSelector: `metadata.name=${WEAVE_LEASE}` } as const

async function readWeave(c: CommandContext, { client, namespace }: HubConnection): Promise<WeaveSnapshot> {
  const o = { purpose: 'user', signal: c.signal } as const
  const pipelines = await client.list(weavePipelineKind, { ...o, namespace })
  if (!pipelines.ok) return NONE
  const leases = await client.list<Lease>(leaseKind, { ...o, ...LEASE })
  return {
    pipelines: pipelines.value.items,
    leases: leases.ok ? leases.value.items : requestErrorText(leases.error),
  }
}

/** Those of ours, and theirs that have none yet. */
export async function readAllPipelines(
  c: CommandContext,
  hub: HubConnection,
): Promise<Result<PipelineSnapshot, CliFailure>> {
  const seen = await readPipelines(c, hub)
  return seen.ok ? ok(withWeave(seen.value, await readWeave(c, hub))) : seen
}

/** The same, kept current. What is not there at first, or may not be read, is not followed. */
export async function followAllPipelines(
  c: CommandContext,
  hub: HubConnection,
  onChange: () => void,
): Promise<Result<LiveView<PipelineSnapshot>, CliFailure>> {
  const first = await readWeave(c, hub)
  return followed(c, hub, onChange, (follow) => {
    const ours = pipelinesIn(c, follow)
    if (!first.pipelines) return ours
    const theirs = follow.kind(weavePipelineKind, (o) => o)
    const { leases: unread } = first
    const leases =
      typeof unread === 'string'
        ? undefined
        : follow.kind(leaseKind, (o) => o, { ...LEASE, namespace: undefined })
    return () =>
      withWeave(ours(), { pipelines: [...theirs.all()], leases: leases ? [...leases.all()] : unread })
  })
}

/** Pure. */
export function withWeave(
  seen: PipelineSnapshot,
  { pipelines = [], leases }: WeaveSnapshot,
): PipelineSnapshot {
  const rests = restsOf(leases, seen.nowMs)
  const ours = seen.pipelines.map((p) => (weaveOwner(p) === undefined ? p : withBlockers(p, rests)))
  const there = new Set(ours.map(nameOf))
  const alone = pipelines.filter(
    (t) => !there.has(nameOf(t)) && t.metadata.annotations?.[SET.managed] !== 'false',
  )
  const now = timestamp(seen.nowMs)
  const others = alone.map((t) => {
    const read = readWeavePipeline(t as unknown as JsonObject)
    const { namespace = '' } = t.metadata
    const on = [pipelineRef({ namespace, name: nameOf(t) })] as const
    const problems = (read.ok ? [] : read.error).map(({ path, problem }) =>
      blocked('InvalidSpec', on, { field: valuePathText(path), problem }),
    )
    const unread = typeof leases === 'string' ? [unreadLeases(leases)] : []
    return standIn(t, read.ok ? read.value.spec : undefined, [
      ...rests,
      ...keepSince([...problems, ...unread], undefined, now),
    ])
  })
  return { ...seen, pipelines: [...ours, ...others] }
}

const nameOf = ({ metadata }: KubeObject): string => metadata.name ?? ''

/** The Lease shows whether the controller of weaveworks runs. */
const unreadLeases = (error: string): NewBlocker =>
  blocked('Forbidden', [{ kind: 'Cluster', name: HUB_CLUSTER }], {
    action: 'List',
    resource: 'leases',
    error,
  })

/** Why nothing is done about one of them while its own controller is at work. */
function restsOf(leases: WeaveSnapshot['leases'], nowMs: number): readonly Blocker[] {
  const lease = typeof leases === 'string' ? undefined : previousLease(leases, nowMs)
  if (!lease) return []
  const { acquireTime, renewTime = '' } = lease.spec ?? {}
  const since = timestamp(parseTimestampMs(acquireTime ?? renewTime) ?? nowMs)
  const { name = '', namespace = '' } = lease.metadata
  const object = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' }
  const active = blocked('PreviousControllerActive', [{ kind: 'Object', name, namespace, object }], {
    controller: 'Weave',
    lease: previousController([lease], nowMs) ?? 'its Lease',
  })
  return [{ ...active, since }]
}

const withBlockers = (p: Stored<Pipeline>, by: readonly Blocker[]): Stored<Pipeline> =>
  by.length === 0 ? p : { ...p, status: { ...p.status, blockers: [...by, ...(p.status?.blockers ?? [])] } }

/** What would be made of one of theirs. */
function standIn(
  theirs: KubeObject,
  spec: Pipeline['spec'] | undefined,
  blockers: readonly Blocker[],
): Stored<Pipeline> {
  const listed = at(theirs as unknown as JsonObject, 'spec', 'environments')
  const environments = (isArray(listed) ? listed : []).map((e) => ({ name: String(at(e, 'name')) }))
  const appRef = { kind: '?', name: '?' }
  const { namespace = '' } = theirs.metadata
  return {
    apiVersion: API_VERSION,
    kind: pipelineKind.kind,
    metadata: theirs.metadata,
    spec: spec ?? { identity: weaveIdentity(namespace, nameOf(theirs)), appRef, environments },
    status: blockers.length === 0 ? {} : { blockers },
  } as unknown as Stored<Pipeline>
}
