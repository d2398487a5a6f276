/** Failures of hosts and repositories as blockers of promotions. */
import { blocked, type NewBlocker } from '../../api/blocker.ts'
import type { WaitRefOf } from '../../api/reasons/index.ts'
import {
  externalRef,
  type FailureCategory,
  failureCategoryOf,
  MERGE_WAIT_MS,
  moduleRef,
  promotedModuleText,
  reasonOf,
  WAIT_MS,
} from '../../decisions/promotion/index.ts'
import type { GitProviderFailure } from '../../gitproviders/gitprovider.ts'
import type { RepoFailure } from '../../gitproviders/gitrepository.ts'
import type { HubObjectFailure } from './hubfailure.ts'

/** `hasBegun`: some of it is done already, so that it is not given up half done. */
export type GitProviderError = (GitProviderFailure | RepoFailure | HubObjectFailure) & {
  readonly hasBegun?: boolean
}

/** Facts of a failed request to a Git host, a repository or the hub. */
export const failureFacts = (f: GitProviderError) => ({
  request: f.request,
  ...('status' in f && f.status !== undefined ? { status: f.status } : {}),
  error: f.message.slice(0, MOST_ERROR),
})

/** Characters of an answer that a blocker repeats. */
const MOST_ERROR = 800

/** The Module or repository that the request was about. */
export const failedAt = (where: string, f: GitProviderError): WaitRefOf<'External'> | WaitRefOf<'Object'> =>
  'module' in f ? moduleRef(f.module) : externalRef(where === '' ? f.request : where)

/** `asker`: the Pipeline or Promotion that sent the request. */
export function providerFailureBlocker(
  asker: WaitRefOf<'Object'>,
  where: string,
  f: GitProviderError,
): NewBlocker {
  if ('refusal' in f && f.refusal) return f.refusal
  const reason = reasonOf(f.kind)
  const on = [failedAt(where, f)] as const
  switch (reason) {
    case 'HostRefused':
      return 'refused' in f && f.refused
        ? blocked('HostRefused', on, f.refused)
        : blocked('HostRejected', on, failureFacts(f))
    case 'HostRateLimited':
    case 'HostUnreachable':
    case 'HostRejected':
    case 'RepositoryNotFound':
      return blocked(reason, on, failureFacts(f))
    case 'MergeBlocked':
      return blocked('MergeBlocked', on, { because: 'Rejected', error: failureFacts(f).error })
    case 'FieldOwned':
      return 'module' in f ? fieldOwned(f) : blocked('HostRejected', on, failureFacts(f))
    case 'ToolMissing':
      return blocked('ToolMissing', [asker], { tool: 'git', field: where })
    case 'Forbidden':
      return blocked('Forbidden', [asker], { action: 'Apply', error: errorText(where, f) })
    case 'InvalidObject':
      return blocked('InvalidObject', [asker], { problem: errorText(where, f) })
    default: {
      const credential = 'credential' in f ? f.credential : undefined
      return blocked('CredentialsRejected', on, { error: errorText(where, f), credential })
    }
  }
}

/** Fields of a Module with other field managers. */
export const fieldOwned = ({ module, managers = [] }: HubObjectFailure): NewBlocker =>
  blocked('FieldOwned', [moduleRef(module)], {
    fields: managers.map(({ field }) => field.replace(/^\./, '')),
    managers: [...new Set(managers.map((m) => m.manager))],
  })

/** The error of a server, with the request or the object that it is about. */
function errorText(where: string, f: GitProviderError): string {
  const { request, status, error } = failureFacts(f)
  const place = 'module' in f ? promotedModuleText(f.module) : where
  const answer = status === undefined ? error : `${status} ${error}`
  return [place, request, answer].filter((t) => t !== '').join(': ')
}

export interface FailureReaction {
  readonly class: FailureCategory
  /** Of `Wait`: milliseconds. */
  readonly waitMs: number
}

export function reactionTo(f: GitProviderError): FailureReaction {
  const usual = f.kind === 'NotYet' ? MERGE_WAIT_MS : WAIT_MS
  return { class: failureCategoryOf(f.kind), waitMs: f.retryAfterMs ?? usual }
}
