/** Where bundles are kept and found again. */
import { secretKind } from '../api/kinds/foreign.ts'
import { BUNDLE_LABEL, MANAGER } from '../api/labels.ts'
import { err, ok, type Result } from '../env/result.ts'
import type { KubeClient } from '../kube/client.ts'
import { isTransient, kubeErrorText } from '../kube/error.ts'
import type { Digest } from '../object/object.ts'
import { type Bundle, bundleFromSecrets, bundleLabel, bundleSecrets } from './bundle.ts'
import { fault, type SourceFailure } from './failure.ts'

/** Objects of bundles kept in memory; the oldest go first. */
const CACHE_OBJECTS = 200_000

export class BundleStore {
  private readonly hub: KubeClient
  private readonly cache = new Map<Digest, Bundle>()
  private readonly loading = new Map<string, Promise<Result<Bundle, SourceFailure>>>()
  private held = 0

  constructor(hub: KubeClient) {
    this.hub = hub
  }

  /** Stores it; the index comes last. What is there already is compared, never overwritten. */
  async put(namespace: string, bundle: Bundle): Promise<Result<void, SourceFailure>> {
    const secrets = bundleSecrets(bundle, namespace)
    if (!secrets.ok) return secrets
    for (const secret of secrets.value) {
      const done = await this.hub.create(secretKind, secret, { why: 'publish', manager: MANAGER })
      if (done.ok) continue
      if (done.error.kind === 'AlreadyExists') return this.compare(namespace, bundle)
      return err(fault('HubUnreachable', kubeErrorText(done.error), isTransient(done.error)))
    }
    this.keep(bundle)
    return ok(undefined)
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

  peek(digest: Digest): Bundle | undefined {
    return this.cache.get(digest)
  }

  private async read(namespace: string, digest: Digest): Promise<Result<Bundle, SourceFailure>> {
    const found = await this.hub.list(secretKind, {
      namespace,
      labelSelector: `${BUNDLE_LABEL}=${bundleLabel(digest)}`,
      why: 'sync',
    })
    if (!found.ok) return err(fault('HubUnreachable', kubeErrorText(found.error), true))
    const bundle = bundleFromSecrets(digest, found.value.items)
    if (bundle.ok) this.keep(bundle.value)
    return bundle
  }

  /** A shard is there: from a run that was cut off (the rest is created), or from the same content. */
  private async compare(namespace: string, bundle: Bundle): Promise<Result<void, SourceFailure>> {
    const secrets = bundleSecrets(bundle, namespace)
    if (!secrets.ok) return secrets
    for (const secret of secrets.value) {
      const done = await this.hub.create(secretKind, secret, { why: 'publish', manager: MANAGER })
      if (!done.ok && done.error.kind !== 'AlreadyExists')
        return err(fault('HubUnreachable', kubeErrorText(done.error), true))
    }
    const stored = await this.read(namespace, bundle.digest)
    if (stored.ok) return ok(undefined)
    // Not read is not different: it is looked at again.
    return err(stored.error.transient ? stored.error : fault('BundleConflict', stored.error.message))
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
