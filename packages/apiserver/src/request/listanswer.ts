import { err, ok, type Result } from '@lockstep/kube/env'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, expired, timedOut } from '../status/apifailure.ts'
import { decodeContinue, encodeContinue } from '../store/encodecontinue.ts'
import { listPage } from '../store/listpage.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { seen } from '../write/writeresult.ts'
import type { RequestListOptions } from './listoptions.ts'

export interface ListAnswer {
  readonly items: readonly StoredObject[]
  readonly version: number
  readonly resume: string
  readonly remaining: number | undefined
}

/** A list as of now, of a version, or of the snapshot that a token goes on with. */
export function list(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  o: RequestListOptions,
): Result<ListAnswer, ApiFailure> {
  const where = startOf(cluster, kind, namespace, o)
  if (!where.ok) return where
  const { start, version } = where.value
  const page = listPage(kind.table, {
    namespace,
    matches: o.matches,
    start,
    limit: o.limit,
    version: version === cluster.store.version ? undefined : version,
    counting: !o.selective,
  })
  if (page === 'expired') return err(expired('The resourceVersion for the provided list is too old.'))
  const prefix = namespace === '' ? '' : `${namespace}/`
  return ok({
    items: page.items.map((s) => seen(kind, s)),
    version,
    resume: page.next === undefined ? '' : encodeContinue({ version, start: page.next.slice(prefix.length) }),
    remaining: page.remaining,
  })
}

function startOf(
  cluster: EmbeddedCluster,
  kind: ServedKind,
  namespace: string,
  o: RequestListOptions,
): Result<{ start: string; version: number }, ApiFailure> {
  const now = cluster.store.version
  const prefix = namespace === '' ? '' : `${namespace}/`
  if (o.resume !== '') {
    if (o.version !== undefined && o.version !== 0)
      return err(badRequest('specifying resource version is not allowed when using continue'))
    return resume(kind, prefix, o.resume, now)
  }
  const wanted = o.version ?? 0
  if (wanted > now) return err(timedOut(String(wanted), now))
  const isExact = o.match === 'Exact' || (o.match === '' && wanted > 0 && o.limit > 0)
  return ok({ start: prefix, version: isExact ? wanted : now })
}

/** A token past the history says so, and how to go on without consistency (apiserver `etcd3/errors.go`). */
function resume(
  kind: ServedKind,
  prefix: string,
  token: string,
  now: number,
): Result<{ start: string; version: number }, ApiFailure> {
  const c = decodeContinue(token)
  if (!c.ok) return err(badRequest(`invalid continue token: ${c.error}`))
  const start = prefix + c.value.start
  if (c.value.version < 0) return ok({ start, version: now })
  if (c.value.version > now) return err(timedOut(String(c.value.version), now))
  if (c.value.version < kind.table.history.floor)
    return err(
      expired(
        'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.',
        encodeContinue({ version: -1, start: c.value.start }),
      ),
    )
  return ok({ start, version: c.value.version })
}
