/** Whoever asks for charts in tests, with its Secrets. */

import type { Env } from '../../packages/kube/src/env/env.ts'
import type { Handler } from '../../packages/kube/src/env/net.ts'
import { ok, type Result } from '../../packages/kube/src/env/result.ts'
import type { Secret } from '../../packages/kube/src/kinds/types.ts'
import { bytesToBase64 } from '../../packages/kube/src/object/index.ts'
import type { HelmSource } from '../../packages/lockstep/src/api/kinds/module/sourcespec.ts'
import { ChartClient } from '../../packages/lockstep/src/sources/helmrepository/chartclient.ts'
import type { ResolvedChart } from '../../packages/lockstep/src/sources/helmrepository/resolvedchart.ts'
import type { SourceFailure } from '../../packages/lockstep/src/sources/intake/sourcefailure.ts'
import type { SecretReader } from '../../packages/lockstep/src/sources/intake/sourcesecret.ts'
import type { SourceTree } from '../../packages/lockstep/src/sources/intake/sourcetree.ts'

/** Where servers are for the time of a case. */
export interface ChartSetting {
  readonly env: Env
  readonly isLocal: boolean
  /** Origin of the server: `https://one.example.com`, `http://127.0.0.1:40001`. */
  serve(handler: Handler): Promise<string>
  /** A fresh directory. */
  readonly root: string
}

export interface ChartCase {
  readonly name: string
  run(s: ChartSetting): Promise<void>
}

type Got<T> = Promise<T | string>

const encoder = new TextEncoder()
export const basic = (pair: string): string => `Basic ${bytesToBase64(encoder.encode(pair))}`

/** Whoever asks, with its Secrets. */
export class TestRequester {
  readonly charts: ChartClient
  private readonly secrets = new Map<string, Secret>()

  constructor(s: ChartSetting) {
    const hub: SecretReader = {
      list: async (_kind, o) => {
        const found = this.secrets.get(String(o.fieldSelector).replace('metadata.name=', ''))
        return ok({ items: found ? [found] : [], resourceVersion: '1' }) as never
      },
    }
    this.charts = new ChartClient(s.env, hub, {
      isLocal: s.isLocal,
      root: async () => ok(s.root),
      scopeOf: () => '',
    })
  }

  secret(name: string, data: Readonly<Record<string, string>>): { readonly name: string } {
    const encoded = Object.entries(data).map(([k, v]) => [k, bytesToBase64(encoder.encode(v))])
    const metadata = { name, namespace: 'platform', uid: name, resourceVersion: '1' }
    const made = { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(encoded) }
    this.secrets.set(name, made as unknown as Secret)
    return { name }
  }

  /** `1.2.3@sha256:…`, or why there is none. */
  async pick(helm: HelmSource): Got<ResolvedChart> {
    return told(await this.charts.pick(helm, ASKING))
  }

  async tree(helm: HelmSource, picked: ResolvedChart): Got<SourceTree> {
    return told(await this.charts.tree(helm, picked, ASKING))
  }

  /** Paths of the files, or why there are none. */
  async files(helm: HelmSource): Got<string[]> {
    const picked = await this.pick(helm)
    if (typeof picked === 'string') return picked
    const tree = await this.tree(helm, picked)
    return typeof tree === 'string' ? tree : tree.files.map((f) => f.path)
  }
}

export const ASKING = { namespace: 'platform', intervalMs: 300_000, timeoutMs: 60_000 }

const told = <T>(r: Result<T, SourceFailure>): T | string =>
  r.ok ? r.value : `${r.error.reason}: ${r.error.message}`
