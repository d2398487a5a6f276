// Writes an image as an OCI layout: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
import { createHash } from 'node:crypto'
import { createWriteStream, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { tarBlocks } from './tararchive.js'

const TYPE = 'application/vnd.oci.image'
const LEVEL = 6

export class OciLayout {
  #blobs

  /** A layout in an empty folder. */
  constructor(folder) {
    this.folder = folder
    this.#blobs = join(folder, 'blobs/sha256')
    mkdirSync(this.#blobs, { recursive: true })
    writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}')
  }

  /** Writes a layer; its descriptor, and the digest of the archive before compression. */
  async layer(tree) {
    const [plain, packed] = [createHash('sha256'), createHash('sha256')]
    let size = 0
    const fresh = join(this.#blobs, 'layer.tmp')
    await pipeline(
      Readable.from(tarBlocks(tree)),
      passing((bytes) => plain.update(bytes)),
      createGzip({ level: LEVEL }),
      passing((bytes) => {
        packed.update(bytes)
        size += bytes.length
      }),
      createWriteStream(fresh),
    )
    const sha256 = packed.digest('hex')
    renameSync(fresh, join(this.#blobs, sha256))
    const descriptor = { mediaType: `${TYPE}.layer.v1.tar+gzip`, digest: `sha256:${sha256}`, size }
    return { descriptor, diffId: `sha256:${plain.digest('hex')}` }
  }

  /** Writes the manifest of one platform; its descriptor. */
  manifest(platform, config, layers) {
    const [os, architecture] = platform.split('/')
    const rootfs = { type: 'layers', diff_ids: layers.map((l) => l.diffId) }
    const image = { created: new Date(0).toISOString(), architecture, os, config, rootfs }
    const body = {
      schemaVersion: 2,
      mediaType: `${TYPE}.manifest.v1+json`,
      config: this.#json(`${TYPE}.config.v1+json`, image),
      layers: layers.map((l) => l.descriptor),
    }
    return { ...this.#json(`${TYPE}.manifest.v1+json`, body), platform: { architecture, os } }
  }

  /** Ends the layout: one image for all platforms, under the name `tag`. */
  index(tag, manifests) {
    const image = this.#json(`${TYPE}.index.v1+json`, indexOf(manifests))
    const named = { ...image, annotations: { 'org.opencontainers.image.ref.name': tag } }
    writeFileSync(join(this.folder, 'index.json'), JSON.stringify(indexOf([named])))
    return image
  }

  #json(mediaType, value) {
    const bytes = Buffer.from(JSON.stringify(value))
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    writeFileSync(join(this.#blobs, sha256), bytes)
    return { mediaType, digest: `sha256:${sha256}`, size: bytes.length }
  }
}

const indexOf = (manifests) => ({ schemaVersion: 2, mediaType: `${TYPE}.index.v1+json`, manifests })

const passing = (see) =>
  new Transform({
    transform(bytes, _encoding, done) {
      see(bytes)
      done(undefined, bytes)
    },
  })
