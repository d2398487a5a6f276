/** The image of the controller. Its inputs come from registries; without them the tests are skipped. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buildInCopy, type ImageBuild, WITHOUT } from './imagebuild.ts'
import type { ImageLayout } from './imagelayout.ts'
import { canUnpack, IMAGE_USER, UnpackedImage, unpackLayers } from './unpackedimage.ts'

const { readElf } = await import(resolve('scripts/image/elf.js'))

const MOST_BYTES = 130 * 2 ** 20
const PLATFORMS = ['linux/amd64', 'linux/arm64']

let folder: string
let builds: ImageBuild[]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lockstep-image-'))
  builds = await Promise.all([
    buildInCopy(folder, 'Pacific/Auckland', '022'),
    buildInCopy(folder, 'America/Lima', '077'),
  ])
  for (const b of builds) if ('refused' in b) console.warn(`image: skipped, ${b.refused}`)
}, 1_200_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))
beforeEach(({ skip }) => {
  if (builds.some((b) => 'refused' in b)) skip('the inputs of the image are absent')
})

const layoutOf = (i: number): ImageLayout => (builds[i] as { layout: ImageLayout }).layout

it('builds in two folders and time zones give one digest for each platform', () => {
  const digests = builds.map((_, i) => [...layoutOf(i).platforms].map(([p, { digest }]) => [p, digest]))
  expect(digests[0]!.map(([platform]) => platform)).toEqual(PLATFORMS)
  expect(digests[1]).toEqual(digests[0])
  expect(layoutOf(0).wrongBlobs()).toEqual([])
})

describe.each(PLATFORMS)('%s', (platform) => {
  it('has four layers of at most 130 MiB, and an unprivileged user', () => {
    const { layers, config } = layoutOf(0).image(platform)
    expect(layers.length).toBe(4)
    expect(config.rootfs.diff_ids.length).toBe(4)
    expect(layers.reduce((sum, l) => sum + l.size, 0)).toBeLessThanOrEqual(MOST_BYTES)
    expect(config).toMatchObject({
      architecture: platform.split('/')[1],
      config: { User: `${IMAGE_USER}:${IMAGE_USER}`, Entrypoint: ['/usr/bin/lockstep'] },
    })
  })

  it('has sorted files of root at time 0, none setuid; only /tmp is writable', () => {
    const layout = layoutOf(0)
    for (const layer of layout.image(platform).layers) {
      const args = ['tzvf', layout.blob(layer), '--numeric-owner', '--full-time']
      const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' }
      const lines = execFileSync('tar', args, { encoding: 'utf8', env, maxBuffer: 2 ** 26 })
        .trim()
        .split('\n')
      expect(lines.filter((l) => !/^\S+ 0\/0 +\d+ 1970-01-01 00:00:00 /.test(l))).toEqual([])
      expect(lines.filter((l) => /^...[sS]|^......[sS]/.test(l))).toEqual([])
      const writable = lines.filter((l) => /^[^l].{7}w/.test(l)).map((l) => l.split('00:00:00 ')[1])
      expect(writable.filter((path) => path !== 'tmp/')).toEqual([])
      const paths = lines.map((l) =>
        l
          .split('00:00:00 ')[1]!
          .replace(/( -> | link to ).*/, '')
          .replace(/\/$/, ''),
      )
      expect(paths).toEqual([...paths].sort())
    }
  })

  it('has programs of its platform, and every library that they load', () => {
    const root = join(folder, platform.replace('/', '-'))
    unpackLayers(layoutOf(0), platform, root)
    const files = (readdirSync(root, { recursive: true }) as string[]).filter((f) =>
      statIsFile(join(root, f)),
    )
    const names = new Set(files.map((f) => f.split('/').at(-1)!))
    const elves = files.flatMap((path) => {
      const elf = readElf(readFileSync(join(root, path)))
      return elf ? [{ path, elf }] : []
    })
    const programs = ['node', 'git', 'ssh', 'dash', ...(WITHOUT === '' ? ['helm', 'kustomize'] : [])]
    for (const name of programs) expect(elves.map((e) => e.path)).toContain(`usr/bin/${name}`)
    expect(elves.filter((e) => e.elf.platform !== platform)).toEqual([])
    const absent = elves.flatMap(({ path, elf }) =>
      elf.needed.filter((n: string) => !names.has(n)).map((n: string) => `${path}: ${n}`),
    )
    expect(absent).toEqual([])
    expect(files.filter((f) => /perl|\/apt$|\/dpkg$/.test(f) && !f.includes('share/doc'))).toEqual([])
  })
})

/** Follows links inside the tree only: absolute links are of the image. */
function statIsFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

if (!canUnpack) console.warn('image: chroot is for root; running from the image is not tested')

describe.skipIf(!canUnpack)('unpacked, as its user, with files of root', () => {
  let image: UnpackedImage
  beforeAll(() => {
    if (builds.every((b) => 'layout' in b)) image = new UnpackedImage(layoutOf(0), join(folder, 'root'))
  })

  it('runs version', () => {
    expect(image.run('/usr/bin/lockstep', 'version')).toMatch(/^lockstep \d+\.\d+\.\d+ \(.*, node 24\./)
  })

  it.skipIf(WITHOUT !== '')('check finds the four programs', () => {
    const found = JSON.parse(image.run('/usr/bin/lockstep', 'check', '-o', 'json')).findings as {
      name: string
      state: string
      found: string
    }[]
    const tools = found.filter(({ name }) => /^(git|ssh|helm|kustomize or kubectl)$/.test(name))
    expect(tools.map((t) => t.state)).toEqual(['ok', 'ok', 'ok', 'ok'])
    for (const tool of tools) expect(tool.found).toMatch(/\d+\.\d+/)
  })

  it('git clones, and its https helper loads its libraries', () => {
    image.run('/usr/bin/git', 'init', '--bare', '-q', '/tmp/origin')
    image.run('/usr/bin/git', 'clone', '-q', '/tmp/origin', '/tmp/copy')
    // No server listens there: the helper has run, and names the connection.
    expect(() => image.run('/usr/bin/git', 'ls-remote', 'https://127.0.0.1:1/x')).toThrow(/127\.0\.0\.1/)
  })

  it('has the certificates of the public authorities', () => {
    const bundle = readFileSync(join(image.root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')
    expect(bundle.split('BEGIN CERTIFICATE').length).toBeGreaterThan(100)
  })
})
