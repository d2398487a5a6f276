import { err, ok, type Result } from '@lockstep/kube/env'
import type { ApiFailure } from '../status/apifailure.ts'
import { notAcceptable } from '../status/apifailure.ts'

/** The form of an answer (apiserver pkg/endpoints/handlers/negotiation). */
export interface Media {
  readonly format: 'json' | 'yaml'
  readonly as: 'object' | 'Table' | 'PartialObjectMetadata' | 'discovery'
  /** Version of the transformed form: `v1` or `v1beta1`. */
  readonly version: string
}

const OFFERED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const
const PLAIN: Media = { format: 'json', as: 'object', version: 'v1' }

/** The first acceptable of what the client takes. Protobuf is passed over: this version does not write it. */
export function negotiate(accept: string | undefined): Result<Media, ApiFailure> {
  if (accept === undefined || accept.trim() === '') return ok(PLAIN)
  for (const clause of accept.split(',')) {
    const media = mediaOf(clause)
    if (media) return ok(media)
  }
  return err(notAcceptable(OFFERED))
}

function mediaOf(clause: string): Media | undefined {
  const [type = '', ...rest] = clause.split(';').map((s) => s.trim())
  const params = new Map(rest.map((p) => p.split('=', 2) as [string, string]))
  const format = formatOf(type)
  if (!format) return undefined
  const as = params.get('as')
  if (as === undefined) return { ...PLAIN, format }
  const group = params.get('g')
  const version = params.get('v') ?? ''
  if (as === 'APIGroupDiscoveryList')
    return group === 'apidiscovery.k8s.io' && version === 'v2'
      ? { format, as: 'discovery', version }
      : undefined
  if (group !== 'meta.k8s.io' || (version !== 'v1' && version !== 'v1beta1')) return undefined
  if (as === 'Table') return { format, as: 'Table', version }
  if (as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList')
    return { format, as: 'PartialObjectMetadata', version }
  return undefined
}

function formatOf(type: string): Media['format'] | undefined {
  if (['application/json', '*/*', 'application/*', ''].includes(type)) return 'json'
  return type === 'application/yaml' || type === 'text/yaml' ? 'yaml' : undefined
}
