import { gunzipSync } from 'node:zlib'
import {
  at,
  base64ToBytes,
  bytesToBase64,
  encodeJson,
  isArray,
  isObject,
  isString,
  type JsonObject,
  type JsonValue,
  type KubeObject,
} from '@lockstep/kube/object'
import { type ClusterHistory, HUB, text } from './clusterhistory.ts'

/** The manifests of bundles, read from the hub's Secrets by code of the oracle's own. */
export class Bundles {
  private readonly history: ClusterHistory
  private readonly known = new Map<string, readonly KubeObject[]>()

  constructor(history: ClusterHistory) {
    this.history = history
  }

  /** What an Inventory admits: the manifests of its bundle, with its values in them. */
  admitted(inventory: KubeObject): readonly KubeObject[] | undefined {
    const namespace = inventory.metadata.namespace ?? ''
    const bundle = this.get(namespace, text(inventory, 'spec', 'admitted', 'bundle'))
    const digest = text(inventory, 'spec', 'admitted', 'values')
    const values = digest === '' ? undefined : this.get(namespace, digest)?.[0]?.values
    if (!bundle || !isObject(values)) return digest === '' ? bundle : undefined
    return bundle.map((o) => boundTo(o as unknown as JsonValue, values) as unknown as KubeObject)
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

/** Every text with its mentions replaced; of a Secret what its data stands for. */
function boundTo(value: JsonValue, values: JsonObject, isData = false): JsonValue {
  if (isString(value)) return isData ? reencoded(value, values) : boundText(value, values)
  if (isArray(value)) return value.map((v) => boundTo(v, values))
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([k, v]) => {
    const isEncoded = isData || (k === 'data' && value.kind === 'Secret' && value.apiVersion === 'v1')
    return [k, v === undefined ? v : boundTo(v, values, isEncoded)]
  })
  return Object.fromEntries(entries) as JsonObject
}

function boundText(value: string, values: JsonObject): JsonValue {
  const whole = /^\$\((\w+)\)$/.exec(value)?.[1]
  const found = whole === undefined ? undefined : at(values, whole, 'value')
  if (found !== undefined) return found
  return value.replace(/(\$?)\$\((\w+)\)/g, (mention: string, dollar: string, name: string) => {
    const v = at(values, name, 'value')
    if (v === undefined) return mention
    return dollar === '$' ? mention.slice(1) : isString(v) ? v : encodeJson(v)
  })
}

function reencoded(value: string, values: JsonObject): string {
  const decoded = new TextDecoder().decode(base64ToBytes(value))
  const next = boundText(decoded, values)
  return next === decoded ? value : bytesToBase64(new TextEncoder().encode(String(next)))
}
