/** Where a promotion by pull request or push is done: a host, and a repository, with the credentials of now. */

import type { Result } from '@lockstep/kube/env'
import type { Secret } from '@lockstep/kube/kinds'
import type { PromotionSettings } from '../api/kinds/index.ts'
import type { GitProvider } from './gitprovider.ts'
import type { GitRepository } from './gitrepository.ts'
import type { RepositorySnapshots } from './limits/repositorysnapshot.ts'

export interface GitAccess {
  /** Of a push there is none. */
  readonly host: GitProvider | undefined
  readonly repository: GitRepository
  /** What is open there, for all who wait for something of it; of a push there is none. */
  readonly poll: RepositorySnapshots | undefined
  /** `o/r@main`, for messages. */
  readonly where: string
}

export interface GitAccessOpener {
  /** The problem is for people, and names what is wrong: a field, or a key of the Secret. Nothing is sent yet. */
  open(settings: PromotionSettings, secret: Secret): Promise<Result<GitAccess, string>>
  close(): Promise<void>
}
