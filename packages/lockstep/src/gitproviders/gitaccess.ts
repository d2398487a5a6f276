/** Where a promotion by pull request or push is done: a host, and a repository, with the credentials of now. */

import type { Secret } from '../../../kube/src/kinds/types.ts'
import type { PromotionSettings } from '../api/kinds/promotion/promotionsettings.ts'
import type { Result } from '../../../kube/src/env/result.ts'
import type { GitHost } from './gitprovider.ts'
import type { Poll } from './limits/repositorysnapshot.ts'
import type { Repository } from './gitrepository.ts'

export interface Forge {
  /** Of a push there is none. */
  readonly host: GitHost | undefined
  readonly repository: Repository
  /** What is open there, for all who wait for something of it; of a push there is none. */
  readonly poll: Poll | undefined
  /** `o/r@main`, for messages. */
  readonly where: string
}

export interface Forges {
  /** The problem is for people, and names what is wrong: a field, or a key of the Secret. Nothing is sent yet. */
  open(settings: PromotionSettings, secret: Secret): Promise<Result<Forge, string>>
  close(): Promise<void>
}
