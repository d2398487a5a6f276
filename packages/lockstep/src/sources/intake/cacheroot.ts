import { type Env, type FileFailure, ok, type Result } from '@lockstep/kube/env'

/** What backups leave out (Cache Directory Tagging Specification, https://bford.info/cachedir/). */
const TAG_FILE = 'CACHEDIR.TAG'
const TAG = `Signature: 8a477f597d28d172789f06886806bc55
# Sources that are fetched again if this folder is removed.
`

/** Creates the folder of fetched sources. Fails where it cannot be written. */
export const createCache = (files: Env['files'], dir: string): Promise<Result<void, FileFailure>> =>
  files.writeAtomic(`${dir}/${TAG_FILE}`, TAG)

/** The folder of what was fetched; where it cannot be written, or none is named, a temporary one of this process alone. */
export class CacheRoot {
  private readonly env: Env
  private readonly dir: string | undefined
  private opening: Promise<Result<string, FileFailure>> | undefined
  private own: string | undefined

  constructor(env: Env, dir: string | undefined) {
    this.env = env
    this.dir = dir
  }

  /** Its path. Asked anew after a failure: a disk that is full has room again at some time. */
  async path(): Promise<Result<string, FileFailure>> {
    this.opening ??= this.open()
    const opened = await this.opening
    if (!opened.ok) this.opening = undefined
    return opened
  }

  /** Removes what only this process used. */
  async close(): Promise<void> {
    await this.opening
    if (this.own !== undefined) await this.env.files.removeTree(this.own)
  }

  private async open(): Promise<Result<string, FileFailure>> {
    const { files, log } = this.env
    if (this.dir !== undefined) {
      const created = await createCache(files, this.dir)
      if (created.ok) return ok(this.dir)
      log.warn(
        'the cache of sources cannot be written, so that a temporary folder is used until this process ends: set XDG_CACHE_HOME to a folder that can be written',
        { reason: 'CacheUnwritable', cache: this.dir, err: created.error.message },
      )
    }
    const made = await files.tempDir('lockstep-sources-')
    if (made.ok) this.own = made.value
    return made
  }
}
