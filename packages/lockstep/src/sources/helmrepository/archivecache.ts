/**
 * Archives on disk, by the digest of their bytes. What is read is hashed again; what is damaged, or cannot be written, is as if it
 * were not there. What was fetched with credentials is found only with them.
 */
import type { Env } from '@lockstep/kube/env'
import { sha256Hex } from '@lockstep/kube/object'

export class ArchiveCache {
  private readonly env: Env
  private readonly root: string
  private readonly owner: string

  /** `owner`: digest of who may see it; empty: anybody. */
  constructor(env: Env, root: string, owner: string) {
    this.env = env
    this.root = root
    this.owner = owner
  }

  async read(digest: string): Promise<Uint8Array | undefined> {
    const path = this.path(digest)
    const found = await this.env.files.read(path)
    if (!found.ok) return undefined
    if (`sha256:${sha256Hex(found.value)}` === digest) return found.value
    this.env.log.warn('a chart in the cache is damaged and is fetched again', {
      reason: 'CacheDamaged',
      path,
    })
    await this.env.files.remove(path)
    return undefined
  }

  async write(digest: string, bytes: Uint8Array): Promise<void> {
    const done = await this.env.files.writeAtomic(this.path(digest), bytes)
    if (!done.ok)
      this.env.log.warn('a chart is not kept in the cache', {
        reason: 'CacheUnwritable',
        err: done.error.message,
      })
  }

  private path(digest: string): string {
    const owner = this.owner === '' ? '' : `${this.owner}/`
    return `${this.root}/charts/${owner}${digest.slice('sha256:'.length)}.tgz`
  }
}
