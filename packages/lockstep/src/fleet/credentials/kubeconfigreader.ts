import { type Env, err, type NetFailure, ok, type Result } from '@lockstep/kube/env'
import { type JsonValue, jsonEqual } from '@lockstep/kube/object'
import { kubeconfigFailureText } from '../kubeconfig/kubeconfigfailure.ts'
import { type KubeconfigTarget, kubeconfigTarget } from '../kubeconfig/kubeconfigtarget.ts'
import { loadKubeconfigs } from '../kubeconfig/loadkubeconfigs.ts'
import { mergeKubeconfigs } from '../kubeconfig/mergekubeconfigs.ts'
import type { DirectSource, KubeconfigSource } from './credentialsource.ts'
import {
  type CredentialRefusal,
  noCredential,
  REREAD_MS,
  type ReaderOptions,
  type SourceReader,
  type SourceReading,
} from './sourcereader.ts'

/** Reads kubeconfig files every 10 s, and what their context names. One that cannot be used keeps the last one. */
export class KubeconfigReader implements SourceReader {
  private readonly env: Env
  private readonly source: KubeconfigSource
  private readonly o: ReaderOptions
  private readonly open: (source: DirectSource) => SourceReader
  private named: { readonly source: DirectSource; readonly reader: SourceReader } | undefined
  private problem: string | undefined
  private readAt = Number.NEGATIVE_INFINITY

  constructor(
    env: Env,
    source: KubeconfigSource,
    o: ReaderOptions,
    open: (source: DirectSource) => SourceReader,
  ) {
    this.env = env
    this.source = source
    this.o = o
    this.open = open
  }

  async read(refusal?: CredentialRefusal): Promise<Result<SourceReading, NetFailure>> {
    const now = this.env.clock.steady()
    if (!this.named || refusal !== undefined || now >= this.readAt + REREAD_MS) {
      const target = await this.target()
      this.readAt = now
      const moved = target.ok ? this.take(target.value) : undefined
      if (moved) return err(moved)
      this.problem = target.ok ? undefined : target.error
      if (!this.named) return err(noCredential(this.problem ?? ''))
    }
    const read = await this.named.reader.read(refusal)
    return read.ok && this.problem !== undefined ? ok({ ...read.value, problem: this.problem }) : read
  }

  private async target(): Promise<Result<KubeconfigTarget, string>> {
    const texts = await loadKubeconfigs(this.env, this.source.paths)
    const merged = texts.ok ? mergeKubeconfigs(texts.value) : texts
    const target = merged.ok ? kubeconfigTarget(merged.value, this.source.selection) : merged
    if (target.ok) return target
    const { path = this.source.paths.join(':') } = target.error
    return err(`${path}: ${kubeconfigFailureText(target.error)}`)
  }

  /** Decisions for one server are never sent to another one. */
  private take({ source, context }: KubeconfigTarget): NetFailure | undefined {
    const before = this.named?.source
    if (before && before.endpoint.url !== source.endpoint.url) {
      const problem = `context ${context} names ${source.endpoint.url} now, ${before.endpoint.url} before`
      this.o.moved(problem)
      return noCredential(problem)
    }
    if (!before || !jsonEqual(before as unknown as JsonValue, source as unknown as JsonValue))
      this.named = { source, reader: this.open(source) }
    return undefined
  }
}
