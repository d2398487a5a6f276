import type { ServerRequest } from '../../env/net.ts'
import type { Result } from '../../env/result.ts'
import { ok } from '../../env/result.ts'
import type { Caller } from '../auth/access.ts'
import type { Cluster } from '../cluster.ts'
import type { Kind } from '../resources/kind.ts'
import type { ApiFailure } from '../status/failure.ts'
import type { FieldValidation, WriteOptions } from '../write/options.ts'
import { checkWriteQuery, managerOf } from '../write/options.ts'
import { isTrue } from './listoptions.ts'
import type { Route } from './route.ts'

/** One request for a resource that is served. */
export interface Ask extends Caller {
  readonly cluster: Cluster
  readonly kind: Kind
  readonly route: Route
  readonly query: URLSearchParams
  readonly request: ServerRequest
  readonly warnings: string[]
}

/** Adds a warning once; the header must stay small (apiserver pkg/warning: 4,096, then 256 runes each). */
export function warnTo(warnings: string[]): (text: string) => void {
  return (text) => {
    const used = warnings.reduce((n, w) => n + w.length, 0)
    const short = used > 4096 && text.length > 256 ? text.slice(0, 256) : text
    if (!warnings.includes(short)) warnings.push(short)
  }
}

/** Options of a write from its query and user agent. */
export function writeOptions(
  ask: Ask,
  optionsKind: string,
  isApply = false,
): Result<WriteOptions, ApiFailure> {
  const { query } = ask
  const fieldManager = query.get('fieldManager') ?? ''
  const force = query.get('force')
  const dryRun = query.getAll('dryRun').filter((d) => d !== '')
  const fieldValidation = query.get('fieldValidation') ?? ''
  const checked = checkWriteQuery(
    optionsKind,
    { fieldManager, dryRun, fieldValidation, force: force === null ? undefined : isTrue(force) },
    isApply,
  )
  if (!checked.ok) return checked
  const { subresource } = ask.route
  return ok({
    manager: managerOf(fieldManager, ask.request.headers['user-agent'] ?? ''),
    agent: ask.request.headers['user-agent'],
    user: ask.user,
    dryRun: dryRun.length > 0,
    validation: (fieldValidation || 'Warn') as FieldValidation,
    force: isTrue(force),
    subresource: subresource === '' ? undefined : (subresource as WriteOptions['subresource']),
    warn: warnTo(ask.warnings),
  })
}
