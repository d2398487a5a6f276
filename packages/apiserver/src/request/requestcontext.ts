import { ok, type Result, type ServerRequest } from '@lockstep/kube/env'
import type { Caller } from '../auth/authenticate.ts'
import type { ServedKind } from '../resources/servedkind.ts'
import type { EmbeddedCluster } from '../server/embeddedcluster.ts'
import type { ApiFailure } from '../status/apifailure.ts'
import type { FieldValidationMode, ServerWriteOptions } from '../write/writeoptions.ts'
import { checkWriteQuery, managerOf } from '../write/writeoptions.ts'
import { isTrue } from './listoptions.ts'
import type { Route } from './parseroute.ts'

/** One request for a resource that is served. */
export interface RequestContext extends Caller {
  readonly cluster: EmbeddedCluster
  readonly kind: ServedKind
  readonly route: Route
  readonly query: URLSearchParams
  readonly request: ServerRequest
  readonly warnings: string[]
}

/** In code points. */
const ALL_WARNINGS = 4096
const ONE_WARNING = 256

/**
 * Adds a warning once. The header must stay small: beyond 4,096 characters in all, each is cut to 256, those that are there
 * too, and what is beyond that again is left out (kube-apiserver, `endpoints/filters/warning.go`).
 */
export function warnTo(warnings: string[]): (text: string) => void {
  const whole = new Set(warnings)
  return (text) => {
    if (text === '' || whole.has(text)) return
    whole.add(text)
    warnings.splice(0, warnings.length, ...fitted([...whole]))
  }
}

function fitted(texts: readonly string[]): string[] {
  const sizes = texts.map((t) => [...t].length)
  if (sizes.reduce((a, b) => a + b, 0) <= ALL_WARNINGS) return [...texts]
  const out: string[] = []
  let used = 0
  for (const [i, text] of texts.entries()) {
    if (used >= ALL_WARNINGS) break
    out.push(sizes[i]! > ONE_WARNING ? [...text].slice(0, ONE_WARNING).join('') : text)
    used += Math.min(sizes[i]!, ONE_WARNING)
  }
  return out
}

/** Options of a write from its query and user agent. */
export function writeOptions(
  ask: RequestContext,
  optionsKind: string,
  isApply = false,
): Result<ServerWriteOptions, ApiFailure> {
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
    validation: (fieldValidation || 'Warn') as FieldValidationMode,
    force: isTrue(force),
    subresource: subresource === '' ? undefined : (subresource as ServerWriteOptions['subresource']),
    warn: warnTo(ask.warnings),
  })
}
