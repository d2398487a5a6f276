import { err, ok, type Result } from '@lockstep/kube/env'
import { isObject } from '@lockstep/kube/object'

/** Where a list goes on: the version of its first page, and the first key, relative to the listed path. */
export interface Continuation {
  /** −1: consistency was lost, go on with what there is. */
  readonly version: number
  readonly start: string
}

/** Unpadded base64url of `{"v","rv","start"}` (apiserver pkg/storage/continue.go). */
export function encodeContinue(c: Continuation): string {
  const text = JSON.stringify({ v: 'meta.k8s.io/v1', rv: c.version, start: `/${c.start}` })
  return Buffer.from(text, 'utf8').toString('base64url')
}

/** The error is the detail of kube-apiserver's 400. */
export function decodeContinue(token: string): Result<Continuation, string> {
  const text = Buffer.from(token, 'base64url').toString('latin1')
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'))
  } catch {
    const c = text[0] ?? ''
    const shown = c < ' ' || c > '~' ? `\\u${(text.charCodeAt(0) || 0).toString(16).padStart(4, '0')}` : c
    return err(`continue key is not valid: invalid character '${shown}' looking for beginning of value`)
  }
  if (!isObject(value)) return err('continue key is not valid: not an object')
  const { v, rv, start } = value
  if (v !== 'meta.k8s.io/v1')
    return err(`continue key is not valid: server does not recognize this encoded version "${String(v)}"`)
  if (typeof rv !== 'number' || rv === 0)
    return err('continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)')
  if (typeof start !== 'string' || start === '')
    return err('continue key is not valid: encoded start key empty (version meta.k8s.io/v1)')
  if (!start.startsWith('/') || start.split('/').includes('..'))
    return err(`continue key is not valid: invalid continue key: "${start}"`)
  return ok({ version: rv, start: start.slice(1) })
}
