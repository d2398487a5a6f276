/** Reasons of failed requests to Git hosts, repositories, and Modules that a promotion writes. */
import { shortDuration } from '@lockstep/kube/object'
import { listText, named, nameOf } from './nameof.ts'
import { number, reason, text, texts } from './reason.ts'
import { oneOrMore, type WaitRefOf } from './waitref.ts'

const host: WaitRefOf<'External'> = { kind: 'External', name: 'o/r@main' }

/** `request`: without host, query or credential; `error`: what the host answered. */
const failure = { request: text, status: number.optional(), error: text }

interface RequestFailure {
  readonly on: readonly { readonly name: string }[]
  readonly request: string
  readonly status?: number | undefined
  readonly error: string
}

const placeOf = ({ on }: RequestFailure): string => on[0]?.name ?? ''
const errorText = ({ request, status, error }: RequestFailure): string =>
  [request, [status, error].filter((t) => t !== undefined && t !== '').join(' ')]
    .filter((t) => t !== '')
    .join(': ')

const AGAIN = 'lockstep promote PIPELINE --to ENVIRONMENT'

export const gitHostReasons = {
  HostRateLimited: reason({
    actor: 'none',
    on: oneOrMore('External', 'Object'),
    facts: failure,
    message: (f) => `rate limit of ${placeOf(f)} is reached: ${errorText(f)}`,
    meaning:
      'The Git host asks to wait, or the credential reached 60 writes a minute or 400 an hour, or a tenth of the limit of the host is left.',
    advice: () => 'no action needed: requests continue when the limit resets; no attempt is counted',
    examples: [{ on: [host], request: 'GET /repos/o/r/pulls', status: 429, error: 'Too Many Requests' }],
  }),
  HostUnreachable: reason({
    actor: 'platform',
    on: oneOrMore('External', 'Object'),
    facts: failure,
    message: (f) => `${placeOf(f)} is unreachable: ${errorText(f)}`,
    meaning: 'The Git host or the repository does not answer, or answers with a server error.',
    advice: (f) => `restore the connection to ${placeOf(f)}; requests are retried with promotion.retryPolicy`,
    examples: [{ on: [host], request: 'POST /repos/o/r/pulls', status: 502, error: 'Bad Gateway' }],
  }),
  HostRejected: reason({
    actor: 'platform',
    on: oneOrMore('External', 'Object'),
    facts: failure,
    message: (f) => `${placeOf(f)} rejected the request: ${errorText(f)}`,
    meaning:
      'The Git host rejects the request permanently: the repository is archived, the merge method is not allowed, or a hook rejects the push.',
    advice: () => `correct the cause in the error of the host, then promote again: ${AGAIN}`,
    examples: [{ on: [host], request: 'git push', error: 'pre-receive hook declined' }],
  }),
  RepositoryNotFound: reason({
    actor: 'platform',
    on: oneOrMore('External', 'Object'),
    facts: failure,
    message: (f) => `repository or branch ${placeOf(f)} not found: ${errorText(f)}`,
    meaning: 'The repository or its base branch does not exist, or the credential cannot read it.',
    advice: () => `correct url, branch or permissions, then promote again: ${AGAIN}`,
    examples: [{ on: [host], request: 'git ls-remote', error: 'branch main not found' }],
  }),
  RetriesExhausted: reason({
    actor: 'platform',
    on: oneOrMore('External', 'Object'),
    facts: { attempts: number, tookMs: number, request: text, status: number.optional(), error: text },
    message: (f) => `${f.attempts} attempts failed in ${shortDuration(f.tookMs)}: ${errorText(f)}`,
    meaning: 'The attempts of promotion.retryPolicy failed in one phase of a promotion.',
    advice: (f) => `repair ${placeOf(f)}, then promote again: ${AGAIN}`,
    examples: [
      {
        on: [host],
        attempts: 5,
        tookMs: 150_000,
        request: 'POST /repos/o/r/pulls',
        status: 502,
        error: 'Bad Gateway',
      },
    ],
  }),
  FieldOwned: reason({
    actor: 'owner',
    on: oneOrMore('Object'),
    facts: { fields: texts, managers: texts },
    message: (f) =>
      `${named(f)}: ${listText(f.fields)} managed by ${listText(f.managers)}; change it in Git or use pull-request`,
    meaning: 'A field that a promotion of strategy module writes is managed by another field manager.',
    advice: (f) =>
      `change the field in Git, or set the strategy pull-request: ${f.on[0] ? nameOf(f.on[0]) : 'the Module'} is managed by ${listText(f.managers)}`,
    examples: [
      {
        on: [
          {
            kind: 'Object',
            name: 'podinfo',
            namespace: 'prod',
            object: { apiVersion: 'lockstep.dev/v1alpha1', kind: 'Module' },
          },
        ],
        fields: ['spec.release'],
        managers: ['kustomize-controller'],
      },
    ],
  }),
} as const
