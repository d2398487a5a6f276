import { canonicalJson, encodeJson, type KubeObject } from '@lockstep/kube/object'

/** How an object is written: built-in kinds in the order of their members, custom resources with sorted keys. */
export type Encoding = 'ordered' | 'sorted'

/**
 * One version of one object: a frozen value whose text is made at most once, whoever reads it
 * (get, list, each watcher).
 */
export class StoredObject {
  readonly key: string
  readonly object: KubeObject
  /** The resourceVersion as a number. */
  readonly version: number
  private readonly encoding: Encoding
  private encoded: string | undefined
  private others: Map<string, StoredObject> | undefined

  constructor(key: string, object: KubeObject, version: number, encoding: Encoding) {
    this.key = key
    this.object = object
    this.version = version
    this.encoding = encoding
  }

  /** JSON, whole. */
  get text(): string {
    if (this.encoded === undefined)
      this.encoded =
        this.encoding === 'sorted' ? canonicalJson(this.object) : encodeJson(headFirst(this.object))
    return this.encoded
  }

  /** As an element of a list: built-in kinds say neither kind nor version there. */
  get itemText(): string {
    if (this.encoding === 'sorted') return this.text
    return `{${this.text.slice(headLength(this.object))}`
  }

  /** The same version seen otherwise (another API version), made at most once per `name`. */
  seenAs(name: string, make: (object: KubeObject) => KubeObject): StoredObject {
    const known = this.others?.get(name)
    if (known) return known
    const made = new StoredObject(this.key, make(this.object), this.version, this.encoding)
    this.others ??= new Map()
    this.others.set(name, made)
    return made
  }

  /** The content under a later version: what a watcher sees last. */
  at(version: number): StoredObject {
    const object = {
      ...this.object,
      metadata: { ...this.object.metadata, resourceVersion: String(version) },
    }
    return new StoredObject(this.key, object, version, this.encoding)
  }
}

function headFirst(o: KubeObject): object {
  const { kind, apiVersion, ...rest } = o
  return { kind, apiVersion, ...rest }
}

const headLength = (o: KubeObject): number =>
  `{"kind":${JSON.stringify(o.kind)},"apiVersion":${JSON.stringify(o.apiVersion)},`.length
