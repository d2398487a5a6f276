import { gunzipSync } from 'node:zlib'
import { base64ToBytes, type KubeObject } from '../../../object/object.ts'
import { type History, HUB, text } from './history.ts'

/** The manifests of bundles, read from the hub's Secrets by code of the oracle's own. */
export class Bundles {
  private readonly history: History
  private readonly known = new Map<string, readonly KubeObject[]>()

  constructor(history: History) {
    this.history = history
  }

  /** Undefined: its Secrets are not (all) there. */
  get(namespace: string, digest: string): readonly KubeObject[] | undefined {
    const key = `${namespace} ${digest}`
    const known = this.known.get(key)
    if (known) return known
    const name = `lockstep-bundle-${digest.slice(digest.lastIndexOf(':') + 1).slice(0, 10)}`
    const pieces: Uint8Array[] = []
    for (let n = 0; ; n++) {
      const secret = this.history.get(HUB, 'secrets', `${namespace}/${name}-${n}`)
      if (!secret) break
      pieces.push(base64ToBytes(text(secret, 'data', 'data')))
    }
    if (pieces.length === 0) return undefined
    const lines = new TextDecoder().decode(gunzipSync(Buffer.concat(pieces))).split('\n')
    const objects = lines.filter((l) => l !== '').map((l) => JSON.parse(l) as KubeObject)
    this.known.set(key, objects)
    return objects
  }

  has(namespace: string, digest: string): boolean {
    const name = `lockstep-bundle-${digest.slice(digest.lastIndexOf(':') + 1).slice(0, 10)}-0`
    return this.history.get(HUB, 'secrets', `${namespace}/${name}`) !== undefined
  }
}
