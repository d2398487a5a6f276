/** Admission: the compare-and-swap that lets a unit act on a revision. Pure; the shell reads and writes. */

import { type Digest, identityOf } from '@lockstep/kube/object'
import type {
  Admitted,
  Assignment,
  InventoryObject,
  InventorySpec,
  WriteIntent,
} from '../../api/kinds/index.ts'
import type { EdgeEvidence } from '../../decisions/gate/index.ts'
import type { DesiredObject } from '../plan/desiredstate.ts'
import { withAnnounced } from './intents.ts'

export interface AdmissionInput {
  readonly spec: InventorySpec
  readonly record: Assignment
  readonly gateDigest: Digest
  readonly evidence: readonly EdgeEvidence[]
  /** Creates that follow from it, announced in the same write (I6). */
  readonly creates: readonly DesiredObject[]
  /** Identities of what is there and will be changed. */
  readonly changes: ReadonlySet<string>
  readonly nonce: () => string
  /** Something was delivered here with success. */
  readonly isDelivered: boolean
  /** The revision is older in the module's history than the one that is admitted. */
  readonly isOlder: boolean
  /** It has hooks that run when the unit is deleted. */
  readonly hasDeleteHooks: boolean
}

/** The spec that admits a record. Everything that is delivered follows it. */
export function admittedSpec(input: AdmissionInput): InventorySpec {
  const { spec, record } = input
  const before = spec.admitted
  // What was given up with its module is taken up again: the cluster knows the serials of that.
  const { released, ...rest } = spec
  const serial = (before?.serial ?? released?.serial ?? 0) + 1
  const isSameContent =
    before !== undefined && before.bundle === record.bundle && before.values === record.values
  const admitted: Admitted = {
    revision: record.revision,
    bundle: record.bundle,
    ...(record.values === undefined ? {} : { values: record.values }),
    gateDigest: input.gateDigest,
    serial,
    contentSerial: isSameContent ? before.contentSerial : serial,
    ...(record.release === undefined ? {} : { release: record.release }),
    ...(record.apart === undefined ? {} : { apart: record.apart }),
    ...releasesOf(before, record.release),
    change: isSameContent && before.change !== undefined ? before.change : changeOf(input),
    ...(input.hasDeleteHooks ? { deleteHooks: true } : {}),
    ...(input.evidence.length === 0 ? {} : { evidence: input.evidence.map(stored) }),
  }
  const creates = input.creates.map((d) => ({ d, replaces: undefined }))
  const intents = withAnnounced(spec.intents ?? [], creates, input.nonce)
  const former = before?.bundle ?? released?.bundle
  const isNewContent = former !== undefined && !isSameContent
  return {
    ...rest,
    // A module that was made anew may have taken the unit over.
    moduleRef: { ...spec.moduleRef, uid: record.uid },
    admitted,
    ...(spec.objects && !isSameContent ? { objects: spec.objects.map((o) => changing(o, input)) } : {}),
    ...(intents.length === 0 ? {} : { intents }),
    ...(isNewContent ? { causes: [{ cause: 'RemovedFromBundle', from: former, to: record.bundle }] } : {}),
  }
}

/** Stays so until an answer is read: what is admitted next may be the content that it had before. */
const changing = (o: InventoryObject, { changes }: AdmissionInput): InventoryObject =>
  changes.has(identityOf(o)) ? { ...o, changing: true } : o

const MOST_RELEASES = 16

function releasesOf(before: Admitted | undefined, release: string | undefined): Pick<Admitted, 'releases'> {
  const known = before?.releases ?? []
  const all = release === undefined || known.includes(release) ? known : [...known, release]
  return all.length === 0 ? {} : { releases: all.slice(-MOST_RELEASES) }
}

/** What new content is to the cluster; of content that stays, what it was when it came. */
function changeOf({ isDelivered, isOlder }: AdmissionInput): NonNullable<Admitted['change']> {
  if (!isDelivered) return 'Install'
  return isOlder ? 'Rollback' : 'Upgrade'
}

function stored(e: EdgeEvidence): NonNullable<Admitted['evidence']>[number] {
  const { release, ...rest } = e
  return release === undefined ? rest : { ...rest, release }
}

/**
 * The spec once a pass is over: what is applied, without the intents that have served. The causes stay as long as something that they
 * explain is still to be deleted.
 */
export function recordedSpec(
  spec: InventorySpec,
  objects: readonly InventoryObject[],
  hasLeftovers: boolean,
  served: readonly WriteIntent[],
): InventorySpec {
  const { intents, objects: _objects, causes, ...rest } = spec
  const pending = (intents ?? []).filter((i) => !served.includes(i))
  const key = (o: InventoryObject): string => `${o.group}/${o.kind}/${o.namespace ?? ''}/${o.name}`
  const sorted = [...objects].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return {
    ...rest,
    ...(sorted.length === 0 ? {} : { objects: sorted }),
    ...(pending.length === 0 ? {} : { intents: pending }),
    ...(hasLeftovers && causes ? { causes } : {}),
  }
}
