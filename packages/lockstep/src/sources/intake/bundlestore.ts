/** Where bundles are kept and found again. */

import { type RequestError, requestErrorText } from '@lockstep/kube/client'
import { err, ok, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import type { Digest, Stored } from '@lockstep/kube/object'
import { BUNDLE_LABEL, MANAGER, UNREFERENCED_ANNOTATION } from '../../api/labels.ts'
import { type RecordClient, records } from '../../api/records.ts'
import { bindValues } from './bindvalues.ts'
import { type Bundle, bundleFromSecrets, bundleLabel, bundleSecrets } from './bundlesecrets.ts'
import { fault, type SourceFailure } from './sourcefailure.ts'

/** Objects of bundles kept in memory; the oldest go first. */
const CACHE_OBJECTS = 200_000

const WRITE = { purpose: 'publish', manager: MANAGER } as const

/** A proxy may refuse what the server accepts, and a right may return: time may help, whatever the error is. */
const hubFault = (error: RequestError): SourceFailure =>
  fault('HubUnreachable', { because: 'Error', error: requestErrorText(error) }, true)

export class BundleStore {
  private readonly hub: RecordClient
  private readonly cache = new Map<Digest, Bundle>()
  private readonly loading = new Map<string, Promise<Result<Bundle, SourceFailure>>>()
  private held = 0

  constructor(hub: RecordClient) {
    this.hub = hub
  }

  /**
   * Stores it; the index comes last. What is there already is compared, never overwritten: from a run that was cut off, from
   * the same content, or from somebody who stores it at the same time.
   */
  async put(namespace: string, bundle: Bundle): Promise<Result<void, SourceFailure>> {
    const secrets = bundleSecrets(bundle, namespace)
    if (!secrets.ok) return secrets
    for (let tries = 0; tries < 3; tries++) {
      const made = await this.createAll(secrets.value)
      if (!made.ok) return made
      const done =
        made.value === 'New' ? ok(true) : await this.takeOver(namespace, bundle.digest, secrets.value)
      if (!done.ok) return done
      if (!done.value) continue
      this.keep(bundle)
      return ok(undefined)
    }
    const place = `bundle ${bundleLabel(bundle.digest)}`
    return err(fault('HubUnreachable', { because: 'BundleRemoved', place }, true))
  }

  private async createAll(secrets: readonly Secret[]): Promise<Result<'New' | 'There', SourceFailure>> {
    let result: 'New' | 'There' = 'New'
    for (const secret of secrets) {
      const done = await this.hub.create(records.bundle, secret, WRITE)
      if (done.ok) continue
      if (done.error.kind !== 'AlreadyExists') return err(hubFault(done.error))
      result = 'There'
    }
    return ok(result)
  }

  /**
   * Some of it was there. It is as it should be, and nobody removes it any more: a mark that says so is taken off. False:
   * something went away meanwhile.
   */
  private async takeOver(
    namespace: string,
    digest: Digest,
    wanted: readonly Secret[],
  ): Promise<Result<boolean, SourceFailure>> {
    const found = await this.secretsOf(namespace, digest)
    if (!found.ok) return found
    const names = new Set(found.value.map((s) => s.metadata.name))
    if (!wanted.every((s) => names.has(s.metadata.name ?? ''))) return ok(false)
    const bundle = bundleFromSecrets(digest, found.value)
    if (!bundle.ok) {
      const { reason: error } = bundle.error
      return err(fault('BundleConflict', { bundle: bundleLabel(digest), error }))
    }
    for (const { metadata } of found.value) {
      if (metadata.annotations?.[UNREFERENCED_ANNOTATION] === undefined) continue
      const { uid, resourceVersion, name } = metadata
      const patch = { metadata: { annotations: { [UNREFERENCED_ANNOTATION]: null } } }
      const precondition = { uid, resourceVersion }
      const done = await this.hub.patch(records.bundle, { namespace, name }, patch, {
        ...WRITE,
        precondition,
      })
      if (done.ok) continue
      const { kind } = done.error
      return kind === 'NotFound' || kind === 'FenceLost' ? ok(false) : err(hubFault(done.error))
    }
    return ok(true)
  }

  /** By digest, from memory or the hub; concurrent callers share one read. */
  async get(namespace: string, digest: Digest): Promise<Result<Bundle, SourceFailure>> {
    const known = this.cache.get(digest)
    if (known) return ok(known)
    const key = `${namespace}/${digest}`
    let reading = this.loading.get(key)
    if (!reading) {
      reading = this.read(namespace, digest).finally(() => this.loading.delete(key))
      this.loading.set(key, reading)
    }
    return reading
  }

  /** What is delivered to one cluster: a bundle, with what its bindings are there. */
  async bound(
    namespace: string,
    { bundle, values }: { readonly bundle: Digest; readonly values?: Digest | undefined },
  ): Promise<Result<Bundle, SourceFailure>> {
    const found = await this.get(namespace, bundle)
    if (!found.ok || values === undefined) return found
    const known = await this.get(namespace, values)
    return known.ok ? bindValues(found.value, known.value) : known
  }

  peek(digest: Digest): Bundle | undefined {
    return this.cache.get(digest)
  }

  private async read(namespace: string, digest: Digest): Promise<Result<Bundle, SourceFailure>> {
    const found = await this.secretsOf(namespace, digest)
    if (!found.ok) return found
    const bundle = bundleFromSecrets(digest, found.value)
    if (bundle.ok) this.keep(bundle.value)
    return bundle
  }

  private async secretsOf(
    namespace: string,
    digest: Digest,
  ): Promise<Result<Stored<Secret>[], SourceFailure>> {
    const labelSelector = `${BUNDLE_LABEL}=${bundleLabel(digest)}`
    const found = await this.hub.list(records.bundle, { namespace, labelSelector, purpose: 'sync' })
    return found.ok ? ok([...found.value.items]) : err(hubFault(found.error))
  }

  private keep(bundle: Bundle): void {
    if (this.cache.has(bundle.digest)) return
    this.cache.set(bundle.digest, bundle)
    this.held += bundle.objects.length
    for (const [digest, old] of this.cache) {
      if (this.held <= CACHE_OBJECTS || digest === bundle.digest) break
      this.cache.delete(digest)
      this.held -= old.objects.length
    }
  }
}
