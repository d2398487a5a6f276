import { err, ok, type Result } from '@lockstep/kube/env'
import type { ServedKind } from '../resources/servedkind.ts'
import { forbidden, invalid as invalidValue, notSupported } from '../schema/invalidfield.ts'
import type { FieldError } from '../schema/schematypes.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import { badRequest, internal } from '../status/apifailure.ts'
import { invalidOptions } from '../status/invalid.ts'
import type { StoredObject } from '../store/storedobject.ts'
import { parseFieldSelector } from './fieldselector.ts'
import { parseLabelSelector } from './parselabelselector.ts'

export interface RequestListOptions {
  readonly matches: (s: StoredObject) => boolean
  /** A selector other than on the namespace was given: what is left is not counted. */
  readonly selective: boolean
  /** Undefined: none given. */
  readonly version: number | undefined
  readonly match: '' | 'Exact' | 'NotOlderThan'
  readonly limit: number
  readonly resume: string
  readonly watch: boolean
  readonly bookmarks: boolean
  readonly sendInitialEvents: boolean | undefined
  readonly timeoutSeconds: number | undefined
}

/** ListOptions of a query, checked as apimachinery pkg/apis/internalversion/validation does. */
export function parseListOptions(
  kind: ServedKind,
  q: URLSearchParams,
  name: string,
): Result<RequestListOptions, ApiFailure> {
  const labels = parseLabelSelector(q.get('labelSelector') ?? '')
  if (!labels.ok) return labels
  const fields = parseFieldSelector(kind, q.get('fieldSelector') ?? '')
  if (!fields.ok) return fields
  const isWatch = isTrue(q.get('watch'))
  const version = parseVersion(q.get('resourceVersion') ?? '', isWatch)
  if (!version.ok) return version
  const refused = check(q, isWatch)
  if (refused.length > 0) return err(invalidOptions('ListOptions', refused))
  const hasLabels = (q.get('labelSelector') ?? '') !== ''
  const hasFields = (q.get('fieldSelector') ?? '') !== ''
  const matches = (s: StoredObject): boolean =>
    (!hasLabels || labels.value(s.object.metadata.labels)) &&
    (!hasFields || fields.value(s.object)) &&
    (name === '' || s.object.metadata.name === name)
  const initial = q.get('sendInitialEvents')
  return ok({
    matches,
    selective: hasLabels || hasFields,
    version: version.value,
    match: (q.get('resourceVersionMatch') ?? '') as RequestListOptions['match'],
    limit: Math.max(0, Number.parseInt(q.get('limit') ?? '0', 10) || 0),
    resume: q.get('continue') ?? '',
    watch: isWatch,
    bookmarks: isTrue(q.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    timeoutSeconds:
      q.get('timeoutSeconds') === null ? undefined : Number(q.get('timeoutSeconds')) || undefined,
  })
}

export const isTrue = (v: string | null): boolean => v !== null && v !== 'false' && v !== '0'

function parseVersion(text: string, isWatch: boolean): Result<number | undefined, ApiFailure> {
  if (text === '') return ok(undefined)
  if (/^\d+$/.test(text) && text.length <= 20) return ok(Number(text))
  const e = invalidValue(
    'resourceVersion',
    text,
    `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
  )
  const why = `${e.field}: ${e.message}`
  return err(isWatch ? internal(why) : badRequest(`invalid resource version: ${why}`))
}

function check(q: URLSearchParams, isWatch: boolean): FieldError[] {
  const match = q.get('resourceVersionMatch') ?? ''
  const version = q.get('resourceVersion') ?? ''
  const initial = q.get('sendInitialEvents')
  const path = 'resourceVersionMatch'
  if (initial !== null) {
    if (!isWatch) return [forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list')]
    if (match !== 'NotOlderThan')
      return [forbidden(path, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan')]
    return []
  }
  if (match === '') return []
  if (isWatch)
    return [
      forbidden(path, 'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided'),
    ]
  if (version === '')
    return [forbidden(path, 'resourceVersionMatch is forbidden unless resourceVersion is provided')]
  if ((q.get('continue') ?? '') !== '')
    return [forbidden(path, 'resourceVersionMatch is forbidden when continue is provided')]
  if (match !== 'Exact' && match !== 'NotOlderThan')
    return [notSupported(path, match, ['Exact', 'NotOlderThan', ''])]
  if (match === 'Exact' && version === '0')
    return [forbidden(path, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"')]
  return []
}
