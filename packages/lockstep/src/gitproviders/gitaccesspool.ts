/** Forges that are open: one for a repository, a base and the credentials of now, for all promotions that have them. */

import { type Cancel, type Env, err, ok, type Provenance, type Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import { sha256Hex } from '@lockstep/kube/object'
import type { PromotionSettings } from '../api/kinds/index.ts'
import { LISTS_BEHIND_MS } from '../decisions/promotion/index.ts'
import { type GitCredentials, type GitUrl, gitCredentials } from '../sources/git/index.ts'
import { parseRemote } from './api/address.ts'
import { providerCredentials, secretsOfPush } from './api/credentials.ts'
import type { GitAccess, GitAccessOpener } from './gitaccess.ts'
import type { GitRepository } from './gitrepository.ts'
import { type PacedOptions, pacedProvider, pacedRepository } from './limits/pacedprovider.ts'
import { readYourWrites } from './limits/readyourwrites.ts'
import { RepositorySnapshots } from './limits/repositorysnapshot.ts'
import { CredentialTraffics } from './limits/requestpace.ts'
import { connectGitProvider } from './registry.ts'

export interface RepositoryAccess {
  /** The namespace of the Promotion and its Secret. */
  readonly by: Provenance
  readonly url: GitUrl
  readonly credentials: GitCredentials
  /** What no message may hold. */
  readonly secrets: readonly string[]
}

export type OpenRepository = (env: Env, access: RepositoryAccess) => Promise<Result<GitRepository, string>>

/** What nobody has used for so long is closed, in milliseconds: a connection, and a directory with what was fetched. */
const IDLE_MS = 600_000

interface OpenedAccess {
  readonly forge: Promise<Result<GitAccess, string>>
  readonly version: string
  /** By the steady clock. */
  usedAtMs: number
}

export class GitAccessPool implements GitAccessOpener {
  private readonly env: Env
  private readonly openRepository: OpenRepository
  /** By place and Secret: another version of that takes the place of the one before. */
  private readonly opened = new Map<string, OpenedAccess>()
  private readonly traffics: CredentialTraffics
  /** By repository and credential, whoever has them. */
  private readonly polls = new Map<string, RepositorySnapshots>()
  private timer: Cancel | undefined

  constructor(env: Env, openRepository: OpenRepository) {
    this.env = env
    this.traffics = new CredentialTraffics(env.clock)
    this.openRepository = openRepository
  }

  async open(settings: PromotionSettings, secret: Secret): Promise<Result<GitAccess, string>> {
    const { uid = '', resourceVersion = '' } = secret.metadata as { uid?: string; resourceVersion?: string }
    const key = JSON.stringify([settings.strategy, settings.pullRequest, settings.push, uid])
    const known = this.opened.get(key)
    if (known?.version === resourceVersion) {
      this.used(known)
      return known.forge
    }
    const made = this.begin(settings, secret, resourceVersion)
    this.opened.set(key, made)
    this.arm()
    if (known) void closed(known)
    const forge = await made.forge
    // What is wrong may be put right without another Secret.
    if (!forge.ok && this.opened.get(key) === made) this.opened.delete(key)
    return forge
  }

  private begin(settings: PromotionSettings, secret: Secret, version: string): OpenedAccess {
    const forge = Promise.resolve().then(() => this.make(settings, secret, () => this.used(made)))
    const made: OpenedAccess = { forge, version, usedAtMs: this.env.clock.steady() }
    return made
  }

  private used(open: OpenedAccess): void {
    open.usedAtMs = this.env.clock.steady()
  }

  /** Until the first of them may have been idle for long enough. */
  private arm(): void {
    const { clock } = this.env
    this.timer?.()
    this.timer = undefined
    if (this.opened.size === 0) return
    const oldest = Math.min(...[...this.opened.values()].map((o) => o.usedAtMs))
    this.timer = clock.at(oldest + IDLE_MS, () => this.closeIdle())
  }

  private closeIdle(): void {
    const now = this.env.clock.steady()
    for (const [key, open] of this.opened) {
      if (open.usedAtMs + IDLE_MS > now) continue
      this.opened.delete(key)
      void closed(open)
    }
    for (const [key, poll] of this.polls) if (poll.usedAtMs + IDLE_MS <= now) this.polls.delete(key)
    this.arm()
  }

  async close(): Promise<void> {
    this.timer?.()
    const all = [...this.opened.values()]
    this.opened.clear()
    await Promise.all(all.map(closed))
  }

  private async make(
    settings: PromotionSettings,
    secret: Secret,
    used: () => void,
  ): Promise<Result<GitAccess, string>> {
    const { pullRequest, push } = settings
    if (pullRequest) {
      const url = parseRemote(pullRequest.url)
      if (!url.ok) return err(`pullRequest.url: ${url.error}`)
      const credentials = providerCredentials(pullRequest.provider, secret)
      if (!credentials.ok) return credentials
      const host = connectGitProvider(this.env, pullRequest, secret)
      if (!host.ok) return host
      const { git, secrets } = credentials.value
      const repository = await this.openRepository(this.env, {
        by: { namespace: secret.metadata.namespace ?? '' },
        url: url.value,
        credentials: git,
        secrets,
      })
      if (!repository.ok) {
        await host.value.close()
        return repository
      }
      const { authorization, key } = credentials.value
      const paced = this.paced(pullRequest.url, authorization, { secret, key }, used)
      return ok({
        poll: this.poll(pullRequest.url, authorization, paced),
        host: readYourWrites(pacedProvider(host.value, paced), this.env.clock, LISTS_BEHIND_MS),
        repository: pacedRepository(repository.value, paced),
        where: host.value.where,
      })
    }
    if (!push) return err('neither pullRequest nor push is set')
    const url = parseRemote(push.url)
    if (!url.ok) return err(`push.url: ${url.error}`)
    const credentials = gitCredentials(url.value, secret)
    if (!credentials.ok) return credentials
    const header = credentials.value.type === 'header' ? credentials.value.value : ''
    const secrets = header === '' ? [] : secretsOfPush(secret, header)
    const repository = await this.openRepository(this.env, {
      by: { namespace: secret.metadata.namespace ?? '' },
      url: url.value,
      credentials: credentials.value,
      secrets,
    })
    const where = `${new URL(push.url).pathname.replace(/^\/|\.git$/g, '')}@${push.branch}`
    if (!repository.ok) return repository
    const key = secret.data?.bearerToken === undefined ? 'password' : 'bearerToken'
    const paced = this.paced(push.url, header, { secret, key }, used)
    return ok({
      host: undefined,
      poll: undefined,
      repository: pacedRepository(repository.value, paced),
      where,
    })
  }

  private paced(url: string, value: string, { secret, key }: KeyOfSecret, used: () => void): PacedOptions {
    const { namespace = '', name } = secret.metadata
    // Of the host it is one, in whichever header it is sent: a token as a bearer's, and as the password of a push.
    const credential = secret.data?.[key] ?? value
    const traffic = this.traffics.of(new URL(url).origin, sha256Hex(credential))
    const named = `Secret ${namespace}/${name}, key ${key}`
    return { clock: this.env.clock, traffic, namespace, credential: named, used }
  }

  private poll(url: string, credential: string, { clock, traffic }: PacedOptions): RepositorySnapshots {
    const name = url.replace(/\/+$|\.git$/g, '')
    const key = `${name} ${sha256Hex(credential)}`
    const known = this.polls.get(key) ?? new RepositorySnapshots(clock, traffic.polls, name)
    this.polls.set(key, known)
    return known
  }
}

interface KeyOfSecret {
  readonly secret: Secret
  readonly key: string
}

async function closed({ forge }: OpenedAccess): Promise<void> {
  const found = await forge
  if (!found.ok) return
  await found.value.host?.close()
  await found.value.repository.close()
}
