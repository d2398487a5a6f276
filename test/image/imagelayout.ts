/** Reads an image in an OCI layout. */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
  readonly platform?: { readonly os: string; readonly architecture: string }
}

export interface PlatformImage {
  readonly layers: readonly Descriptor[]
  readonly config: {
    readonly architecture: string
    readonly config: {
      readonly User: string
      readonly Entrypoint: readonly string[]
      readonly Env: readonly string[]
    }
    readonly rootfs: { readonly diff_ids: readonly string[] }
  }
}

export class ImageLayout {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  blob = ({ digest }: Descriptor): string => join(this.folder, 'blobs/sha256', digest.replace('sha256:', ''))

  json = (of: Descriptor) => JSON.parse(readFileSync(this.blob(of), 'utf8'))

  /** Manifests by platform. */
  get platforms(): Map<string, Descriptor> {
    const [image] = JSON.parse(readFileSync(join(this.folder, 'index.json'), 'utf8'))
      .manifests as Descriptor[]
    const manifests = this.json(image!).manifests as Descriptor[]
    return new Map(manifests.map((m) => [`${m.platform!.os}/${m.platform!.architecture}`, m]))
  }

  image(platform: string): PlatformImage {
    const manifest = this.json(this.platforms.get(platform)!)
    return { layers: manifest.layers, config: this.json(manifest.config) }
  }

  /** Blobs whose name is not the digest of their content. */
  wrongBlobs(): string[] {
    const folder = join(this.folder, 'blobs/sha256')
    return readdirSync(folder).filter(
      (name) =>
        createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex') !== name,
    )
  }
}
