/** The keys for digests over secrets: makes the first one, and another one when somebody asks for it. */

import { type KubeResult, type RequestError, requestErrorText } from '@lockstep/kube/client'
import { type Env, ProblemLog, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { bytesToBase64, type Digest, type Digester, type JsonValue, type Stored } from '@lockstep/kube/object'
import type { ReconcileResult } from '@lockstep/kube/workqueue'
import type { Module } from '../../api/kinds/index.ts'
import {
  KEY_SECRET,
  MANAGER,
  REHASH_ANNOTATION,
  ROTATE_ANNOTATION,
  ROTATED_ANNOTATION,
  SYSTEM_NAMESPACE,
} from '../../api/labels.ts'
import { records } from '../../api/records.ts'
import {
  digesterOf,
  hasKeyOf,
  hmacKeysOf,
  type SourceFailure,
  type StoredDigests,
} from '../../sources/intake/index.ts'
import {
  all,
  type Controller,
  changed,
  defineController,
  failed,
  type ObjectKey,
  objectKey,
  on,
  type Predicate,
  type Request,
  requestOf,
  requeueAfter,
} from '../runtime/index.ts'
import type { HubInformers } from './hubcaches.ts'
import { allReferences } from './references.ts'

const KEY_CONTROLLER = 'key'
const KEY = { namespace: SYSTEM_NAMESPACE, name: KEY_SECRET }
export const KEY_REQUEST: Request = requestOf(KEY_CONTROLLER, objectKey.of(KEY))

const WRITE = { purpose: 'publish', manager: MANAGER } as const
/** A key that is missing is looked for again after so long: what names it may be gone. */
const AGAIN_MS = 5 * 60_000

export class DigestKeys {
  private readonly env: Env
  private readonly hub: HubInformers
  private readonly problems: ProblemLog
  /** Stored digests name a key, and the Secret does not exist. */
  private isLost = false

  constructor(env: Env, hub: HubInformers) {
    this.env = env
    this.problems = new ProblemLog(env)
    this.hub = hub
  }

  get secret(): Stored<Secret> | undefined {
    return this.hub.keys.store.get(KEY)
  }

  /** One key a namespace for bundles: equal secrets in two places look unequal. */
  bundleDigester(namespace: string, stored: StoredDigests): Result<Digester, SourceFailure> {
    return this.digester(`bundle/${namespace}`, stored)
  }

  /** One key for the applied objects of a cluster. */
  contentDigester(
    namespace: string,
    clusterUid: string,
    stored: StoredDigests,
  ): Result<Digester, SourceFailure> {
    return this.digester(`content/${namespace}/${clusterUid}`, stored)
  }

  /** For one place; an error where a key is needed and not to be had. */
  private digester(info: string, stored: StoredDigests): Result<Digester, SourceFailure> {
    const { secret } = this
    const ring = secret && hmacKeysOf(secret)
    return ring && !ring.ok ? ring : digesterOf(ring?.value, info, stored, this.isLost)
  }

  /** Whether the key of a digest is there. */
  has(digest: Digest): boolean {
    const ring = this.secret && hmacKeysOf(this.secret)
    return hasKeyOf(ring?.ok ? ring.value : undefined, digest)
  }

  async reconcile(): Promise<ReconcileResult> {
    const { secret } = this
    if (secret) {
      this.problems.end('key', 'HmacKeyRead', `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET} can be read again`)
      return this.rotate(secret)
    }
    // A new key would make every digest of the lost one look like a change of what it was made of.
    const named = await allReferences(this.hub)
    if (!named.ok) return this.failed(named.error)
    this.isLost = named.value.kids.size > 0 && !this.isGivenUp()
    if (this.isLost) {
      this.problems.begin(
        'key',
        'HmacKeyMissing',
        `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET} is missing; restore it from a backup, or see lockstep reconcile --rebuild-digests`,
        { named: [...named.value.kids].join(' ') },
      )
      return requeueAfter(AGAIN_MS)
    }
    return this.create()
  }

  /** Somebody says of a module that there is no backup. */
  private isGivenUp(): boolean {
    const { modules, bootstrapModules } = this.hub
    return [...modules.store.all(), ...bootstrapModules.store.all()].some(isRehashRequested)
  }

  /** Two processes at once: the first create wins, the other one's event brings the key. */
  private async create(): Promise<ReconcileResult> {
    const body = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...KEY },
      type: 'Opaque',
      data: this.newKey(`hmac ${this.env.clock.now()}`),
    }
    let made = await this.hub.own.create(records.keys, body, WRITE)
    if (!made.ok && made.error.kind === 'NotFound') {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: SYSTEM_NAMESPACE } }
      const there = await this.hub.own.create(records.namespace, namespace, WRITE)
      if (!there.ok && there.error.kind !== 'AlreadyExists') return this.failed(there.error)
      made = await this.hub.own.create(records.keys, body, WRITE)
    }
    if (made.ok) this.hub.keys.observeWrite(made.value)
    return made.ok || made.error.kind === 'AlreadyExists' ? { ok: true } : this.failed(made.error)
  }

  private async rotate(secret: Stored<Secret>): Promise<ReconcileResult> {
    const { annotations } = secret.metadata
    const asked = annotations?.[ROTATE_ANNOTATION]
    if (asked === undefined || asked === annotations?.[ROTATED_ANNOTATION]) return { ok: true }
    const patch = {
      metadata: { annotations: { [ROTATED_ANNOTATION]: asked } },
      data: this.newKey(`hmac ${asked}`),
    }
    const done = await this.write(secret, patch)
    return done.ok ? { ok: true } : this.failed(done.error)
  }

  /** On the version that was read. */
  async write(secret: Stored<Secret>, patch: JsonValue): Promise<KubeResult<Stored<Secret>>> {
    const { uid, resourceVersion } = secret.metadata
    const precondition = { uid, resourceVersion }
    const done = await this.hub.own.patch(records.keys, KEY, patch, { ...WRITE, precondition })
    if (done.ok) this.hub.keys.observeWrite(done.value)
    return done
  }

  private newKey(name: string): Record<string, string> {
    const random = this.env.random.fork(name)
    const kid = [...random.bytes(4)].map((b) => b.toString(16).padStart(2, '0')).join('')
    return {
      current: bytesToBase64(new TextEncoder().encode(kid)),
      [kid]: bytesToBase64(random.bytes(32)),
    }
  }

  private failed(error: RequestError): ReconcileResult {
    const key = `Secret ${SYSTEM_NAMESPACE}/${KEY_SECRET}`
    this.problems.begin('key', 'HmacKeyUnreadable', `${key} cannot be read`, { err: requestErrorText(error) })
    return failed(error)
  }
}

/** Asked for, and not done yet: lost keys that digests of the module name are given up. */
export const isRehashRequested = ({ metadata, status }: Stored<Module>): boolean => {
  const asked = metadata.annotations?.[REHASH_ANNOTATION]
  return asked !== undefined && asked !== status?.lastHandledRehashAt
}

const rehashRequested: Predicate<Stored<Module>> = all<Stored<Module>>(changed, (before, after) => {
  const module = after ?? before
  return module !== undefined && isRehashRequested(module)
})

export const keyController = (keys: DigestKeys): Controller<ObjectKey> =>
  defineController({
    name: KEY_CONTROLLER,
    key: objectKey,
    for: on('keys', changed, () => [objectKey.of(KEY)]),
    watches: [
      on('modules', rehashRequested, () => [objectKey.of(KEY)]),
      on('bootstrapModules', rehashRequested, () => [objectKey.of(KEY)]),
    ],
    reconcile: () => keys.reconcile(),
  })
