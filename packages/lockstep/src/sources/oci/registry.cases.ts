/** Charts of OCI registries, one table for the simulated network and for sockets. */
import { expect } from 'vitest'
import { chartArchive } from '../../../../../test/charts/archive.ts'
import { answer, CHART_LAYER, TestRegistry } from '../../../../../test/charts/chartservers.ts'
import {
  basic,
  type ChartCase,
  type ChartSetting,
  TestRequester,
} from '../../../../../test/charts/testrequester.ts'
import type { HelmSource } from '../../api/kinds/module/sourcespec.ts'
import type { ResolvedChart } from '../helmrepository/resolvedchart.ts'

async function withRegistry(
  s: ChartSetting,
  work: (o: {
    registry: TestRegistry
    asker: TestRequester
    helm: HelmSource
    origin: string
  }) => Promise<void>,
): Promise<void> {
  const registry = new TestRegistry()
  for (const version of ['1.2.3', '1.2.4', '1.2.4+build.7', '2.0.0-rc.1'])
    registry.push('charts/web', version)
  registry.put('charts/web', 'latest', { layers: [] })
  const origin = await s.serve(registry.handler)
  const helm = { repository: `oci://${new URL(origin).host}/charts`, chart: 'web', version: '1.2.3' }
  await work({ registry, asker: new TestRequester(s), helm, origin })
}

const HEX = 'a'.repeat(64)

export const registryCases: readonly ChartCase[] = [
  {
    name: 'a tag of a registry is its manifest, and the manifest names the archive',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        const digest = registry.tags.get('charts/web')!.get('1.2.3')
        expect(await asker.pick(helm)).toEqual({ version: '1.2.3', digest })
        expect(await asker.files(helm)).toEqual(['Chart.yaml'])
        // What is only looked at is no pull, and what is named in full needs no list.
        expect(registry.urls.slice(0, 2)).toEqual([
          'HEAD /v2/charts/web/manifests/1.2.3',
          'HEAD /v2/charts/web/manifests/1.2.3',
        ])
        expect(registry.urls.some((u) => u.includes('/tags/'))).toBe(false)
        expect(await asker.pick({ ...helm, digest: `sha256:${HEX}` })).toMatch(
          /^RefMoved: .* version 1.2.3 is sha256:/,
        )
      }),
  },
  {
    name: 'a range is the highest of all tags, over all pages; _ is +',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        registry.pageSize = 2
        expect(await asker.pick({ ...helm, version: '^1.2' })).toMatchObject({ version: '1.2.4+build.7' })
        expect(await asker.pick({ ...helm, version: '>=2.0.0-0' })).toMatchObject({ version: '2.0.0-rc.1' })
        expect(await asker.files({ ...helm, version: '1.2.4+build.7' })).toEqual(['Chart.yaml'])
        expect(registry.urls.filter((u) => u.includes('tags/list'))).toHaveLength(6)
        expect(await asker.pick({ ...helm, version: '1.2.5' })).toMatch(
          /^RefNotFound: .* no version 1.2.5 of chart web; nearest: 2.0.0-rc.1, 1.2.4\+build.7, 1.2.4$/,
        )
        expect(await asker.pick({ ...helm, version: '^3' })).toMatch(/^RefNotFound: .* matches \^3/)
        expect(await asker.pick({ ...helm, chart: 'none' })).toMatch(
          /^RefNotFound: .* no chart charts\/none, or not visible/,
        )
      }),
  },
  {
    name: 'a registry that has tokens is asked with one, by whoever may have it',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm, origin }) => {
        const tokens = new TestRegistry()
        const realm = `${await s.serve(tokens.handler)}/token`
        registry.token = { realm, login: undefined }
        tokens.token = registry.token
        expect(await asker.files(helm)).toEqual(['Chart.yaml'])
        const asked = new URL(tokens.seen[0]!.url, origin).searchParams
        expect([asked.get('service'), asked.get('scope')]).toEqual(['registry', 'repository:charts/web:pull'])
        tokens.token = { realm, login: basic('me:secret') }
        expect(await asker.pick(helm)).toMatch(
          /^SourceAuthFailed: .*\/token: status 401; give credentials in secretRef, or check them$/,
        )
        const secretRef = asker.secret('login', { username: 'me', password: 'secret' })
        expect(await asker.files({ ...helm, secretRef })).toEqual(['Chart.yaml'])
        // The password is for who gives tokens; the registry sees tokens only.
        expect(registry.seen.filter((r) => r.authorization?.startsWith('Basic'))).toEqual([])
        const host = new URL(origin).host
        const docker = JSON.stringify({ auths: { [`https://${host}/v1/`]: { auth: btoa('me:secret') } } })
        const config = asker.secret('docker', { '.dockerconfigjson': docker })
        expect(await asker.files({ ...helm, secretRef: config })).toEqual(['Chart.yaml'])
      }),
  },
  {
    name: 'a registry may want a password or a token itself',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        registry.wants = basic('me:secret')
        expect(await asker.pick(helm)).toMatch(
          /^SourceAuthFailed: .* status 401; give credentials in secretRef, or check them$/,
        )
        const secretRef = asker.secret('login', { username: 'me', password: 'secret' })
        expect(await asker.files({ ...helm, secretRef })).toEqual(['Chart.yaml'])
        registry.wants = 'Bearer t0ken'
        expect(await asker.pick({ ...helm, secretRef })).toMatch(
          /status 401 with Secret platform\/login \(username\); check the credentials$/,
        )
        const bearer = asker.secret('bearer', { bearerToken: 't0ken\n' })
        expect(await asker.files({ ...helm, secretRef: bearer })).toEqual(['Chart.yaml'])
      }),
  },
  {
    name: 'bodies of a registry that are not what their digests say are refused',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        const wrong = (kind: string, change: object | string) => {
          registry.intercept = ({ method, url }) => {
            if (method !== 'GET' || !url.includes(`/${kind}/sha256`)) return undefined
            return typeof change === 'string'
              ? answer(200, {}, change)
              : answer(200, { ...change }, registry.manifests.get(url.split('/').at(-1)!))
          }
        }
        const picked = (await asker.pick(helm)) as ResolvedChart
        wrong('manifests', '{"layers":[]}')
        expect(await asker.tree(helm, picked)).toMatch(/^ArchiveRefused: .*: digest is sha256:/)
        wrong('manifests', { 'docker-content-digest': `sha256:${HEX}` })
        expect(await asker.tree(helm, picked)).toMatch(
          /^ArchiveRefused: .*: digest is sha256:a+, expected sha256:/,
        )
        wrong('blobs', 'x')
        expect(await asker.tree(helm, picked)).toMatch(/^ArchiveRefused: .*\/blobs\/.*: digest is sha256:/)
        registry.intercept = undefined
        registry.push('charts/web', '4.0.0', { layer: { size: 7 } })
        expect(await asker.files({ ...helm, version: '4.0.0' })).toMatch(
          /^ArchiveRefused: .*: size is \d+ bytes, expected 7$/,
        )
      }),
  },
  {
    name: 'a registry that says no digest is asked for the manifest',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        const digest = registry.tags.get('charts/web')!.get('1.2.3')!
        registry.intercept = ({ method, url }) => {
          if (!url.includes('/manifests/')) return undefined
          return method === 'HEAD' ? answer(405) : answer(200, {}, registry.manifests.get(digest)!)
        }
        expect(await asker.pick(helm)).toEqual({ version: '1.2.3', digest })
        expect(await asker.files(helm)).toEqual(['Chart.yaml'])
      }),
  },
  {
    name: 'what is no chart is refused: another layer, an index of four; an index of one is that one',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        const layer = {
          mediaType: 'application/vnd.oci.image.layer.v1.tar',
          digest: `sha256:${HEX}`,
          size: 1,
        }
        registry.put('charts/web', '5.0.0', { layers: [layer] })
        expect(await asker.files({ ...helm, version: '5.0.0' })).toMatch(
          /^ArchiveRefused: .* not a chart: no layer of type application\/vnd.cncf.helm.chart.content.v1.tar\+gzip; layers: application\/vnd.oci.image.layer.v1.tar$/,
        )
        const one = { digest: registry.push('charts/web', '5.0.1') }
        registry.put('charts/web', '5.0.1', { manifests: [one] })
        expect(await asker.files({ ...helm, version: '5.0.1' })).toEqual(['Chart.yaml'])
        registry.put('charts/web', '5.0.2', { manifests: [one, one, one, one] })
        expect(await asker.files({ ...helm, version: '5.0.2' })).toMatch(
          /^ArchiveRefused: .*: an index with 4 manifests/,
        )
        registry.put('charts/web', '5.0.3', { layers: [{ mediaType: CHART_LAYER }] })
        expect(await asker.files({ ...helm, version: '5.0.3' })).toMatch(/the layer has no digest or size$/)
      }),
  },
  {
    name: 'a blob that is elsewhere is fetched there, without the token',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm, origin }) => {
        const store = await s.serve(async ({ headers }) =>
          answer(200, { seen: String(headers.authorization) }, chartArchive('web', '1.2.3')),
        )
        const seen: (string | undefined)[] = []
        const spy = await s.serve(async ({ headers }) => {
          seen.push(headers.authorization)
          return answer(302, { location: store })
        })
        registry.token = { realm: `${origin}/token`, login: undefined }
        registry.intercept = ({ url, headers }) =>
          url.includes('/blobs/') && headers.authorization
            ? answer(307, { location: `${spy}/x?signature=1` })
            : undefined
        expect(await asker.files(helm)).toEqual(['Chart.yaml'])
        expect(seen).toEqual([undefined])
      }),
  },
  {
    name: 'lists of tags end, and lead nowhere else',
    run: (s) =>
      withRegistry(s, async ({ registry, asker, helm }) => {
        const other = new TestRegistry()
        const away = await s.serve(other.handler)
        const body = JSON.stringify({ tags: ['1.0.0'] })
        registry.intercept = ({ url }) =>
          url.includes('tags/list') ? answer(200, { link: `<${away}/v2/x>; rel="next"` }, body) : undefined
        await asker.pick({ ...helm, version: '^1' })
        expect(other.seen).toEqual([])
        registry.intercept = ({ url }) =>
          url.includes('tags/list') ? answer(200, { link: `<${url}>; rel="next"` }, body) : undefined
        expect(await asker.pick({ ...helm, version: '^1' })).toMatch(
          /^SourceTooLarge: .* more than 100 pages of tags$/,
        )
      }),
  },
]
