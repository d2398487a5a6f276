import type { Result } from '@lockstep/kube/env'
import type { ConfigMap, Secret } from '@lockstep/kube/kinds'
import type { Digester } from '@lockstep/kube/object'
import type { ResolvedInput } from '../../decisions/revision/index.ts'
import type { SourceManifest } from './renderplain.ts'
import type { SourceFailure } from './sourcefailure.ts'

/** What a module's source is at this moment. */
export interface ResolvedSource {
  readonly inputs: readonly ResolvedInput[]
  /** What people call it: `configMaps@sha256:…`, `inline@sha256:…`. */
  readonly sourceRevision: string
  /** Made of Secrets: whatever comes out of it is one. */
  readonly sensitive?: true
  /** Parts of it that cannot be read: published without them where they never were, kept as it is where they were. */
  readonly lacking?: readonly MissingInput[]
  /** `warn` hears what people should know of them. */
  manifests(warn?: (line: string) => void): Result<SourceManifest[], SourceFailure>
}

export interface MissingInput {
  /** Of the input that it would be. */
  readonly path: string
  readonly failure: SourceFailure
}

/** What a module reads on the hub by name. */
export interface NamedInput {
  readonly kind: 'ConfigMap' | 'Secret'
  readonly name: string
}

/** How a module's source reads what is beside it on the hub. */
export interface HubReader {
  /** Of the module. */
  readonly namespace: string
  readonly name: string
  /** An object of that namespace; undefined: there is none. */
  find(input: NamedInput): Result<ConfigMap | Secret | undefined, SourceFailure>
  /** Told of each object that had to be parsed. */
  parsed?(): void
  /** For digests over secrets; an error where their key is not to be had. */
  keyed(): Result<Digester, SourceFailure>
}
