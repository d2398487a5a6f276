/** Charts of repositories with an index, one table for the simulated network and for sockets. */
import { expect } from 'vitest'
import { chartArchive, tgzOf } from '../../../../../test/charts/archive.ts'
import { answer, sha256, TestChartRepository } from '../../../../../test/charts/chartservers.ts'
import {
  basic,
  type ChartCase,
  type ChartSetting,
  TestRequester,
} from '../../../../../test/charts/testrequester.ts'
import type { HelmSource } from '../../api/kinds/module/sourcespec.ts'
import { registryCases } from '../oci/registry.cases.ts'
import type { ResolvedChart } from './resolvedchart.ts'

/** With a repository that has web 1.2.3, 1.2.4 and 2.0.0-rc.1. */
async function withRepository(
  s: ChartSetting,
  work: (o: {
    repository: TestChartRepository
    asker: TestRequester
    helm: HelmSource
    origin: string
  }) => Promise<void>,
): Promise<void> {
  const repository = new TestChartRepository()
  for (const version of ['1.2.3', '1.2.4', '2.0.0-rc.1'])
    repository.add('web', version, { files: { 'templates/a.yaml': `version: ${version}` } })
  repository.add('api', '0.1.0')
  const origin = await s.serve(repository.handler)
  const helm = { repository: `${origin}/charts`, chart: 'web', version: '^1.2' }
  await work({ repository, asker: new TestRequester(s), helm, origin })
}

const HEX = 'a'.repeat(64)

const repositoryCases: readonly ChartCase[] = [
  {
    name: 'a range is the highest version of the index, its digest that of the archive, its files those of the chart',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const digest = repository.add('web', '1.3.0')
        expect(await asker.pick(helm)).toEqual({ version: '1.3.0', digest, urls: ['web-1.3.0.tgz'] })
        expect(await asker.files({ ...helm, version: '~1.2.3' })).toEqual(['Chart.yaml', 'templates/a.yaml'])
      }),
  },
  {
    name: 'an index that is unchanged is not sent again, for any of its charts',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const statuses: number[] = []
        const { handler } = repository
        const origin = await s.serve(async (r) => {
          const a = await handler(r)
          statuses.push(a.status)
          return a
        })
        const web = { ...helm, repository: `${origin}/charts` }
        const api = { ...web, chart: 'api', version: '*' }
        await asker.pick(web)
        // Nobody wanted it before.
        await asker.pick(api)
        await asker.pick(web)
        expect(statuses).toEqual([200, 200, 304])
        repository.add('web', '1.9.0')
        repository.add('api', '0.2.0')
        expect(await asker.pick(web)).toMatchObject({ version: '1.9.0' })
        expect(await asker.pick(api)).toMatchObject({ version: '0.2.0' })
        expect(statuses).toEqual([200, 200, 304, 200, 304])
      }),
  },
  {
    name: 'what is not there is told with its neighbours',
    run: (s) =>
      withRepository(s, async ({ asker, helm }) => {
        expect(await asker.pick({ ...helm, version: '1.2.5' })).toBe(
          `RefNotFound: helm ${helm.repository}: no version 1.2.5 of chart web; nearest: 2.0.0-rc.1, 1.2.4, 1.2.3`,
        )
        expect(await asker.pick({ ...helm, version: '^3' })).toMatch(
          /^RefNotFound: .* no version of chart web matches \^3; nearest: /,
        )
        expect(await asker.pick({ ...helm, chart: 'none' })).toMatch(
          /^RefNotFound: .* no versions of chart none$/,
        )
        expect(await asker.pick({ ...helm, repository: `${helm.repository}/other` })).toMatch(
          /^SourceUnreachable: .* status 404: no Helm repository at this URL$/,
        )
      }),
  },
  {
    name: 'an archive with another digest, name or version is refused',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const exactly = (version: string) => ({ ...helm, version })
        const is = repository.add('web', '3.0.0', { digest: HEX })
        expect(await asker.files(exactly('3.0.0'))).toBe(
          `ArchiveRefused: helm ${helm.repository}: version 3.0.0: digest is ${is}, expected sha256:${HEX}`,
        )
        repository.add('web', '3.0.1', { archive: chartArchive('other', '3.0.1') })
        expect(await asker.files(exactly('3.0.1'))).toMatch(
          /^ArchiveRefused: .*Chart.yaml: has name other, requested was web$/,
        )
        repository.add('web', '3.0.2', { archive: chartArchive('web', '3.0.3') })
        expect(await asker.files(exactly('3.0.2'))).toMatch(
          /^ArchiveRefused: .* has version 3.0.3, requested was 3.0.2$/,
        )
        repository.add('web', '3.0.4', { digest: 'md5:12' })
        expect(await asker.files(exactly('3.0.4'))).toMatch(
          /^ArchiveRefused: .* digest "md5:12", which is not SHA-256$/,
        )
        repository.add('web', '3.0.5', { archive: tgzOf([{ name: 'web/l', type: '2' }]) })
        expect(await asker.files(exactly('3.0.5'))).toMatch(
          /^ArchiveRefused: .*chart web 3.0.5: entry 1 web\/l: is a symbolic link/,
        )
      }),
  },
  {
    name: 'an index without digests: they are those of what comes, and a pin is compared with them',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const digest = repository.add('web', '3.0.0', { digest: undefined })
        const exact = { ...helm, version: '3.0.0' }
        expect(await asker.pick(exact)).toMatchObject({ version: '3.0.0', digest })
        expect(await asker.files({ ...exact, digest })).toEqual(['Chart.yaml'])
        expect(await asker.pick({ ...exact, digest: `sha256:${HEX}` })).toBe(
          `RefMoved: helm ${helm.repository}: version 3.0.0 is ${digest}, pinned to sha256:${HEX}`,
        )
      }),
  },
  {
    name: 'an archive is fetched once, also by who comes later; one that is damaged on disk is fetched again',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const fetched = () => repository.urls.filter((u) => u.endsWith('.tgz')).length
        const picked = (await asker.pick(helm)) as ResolvedChart
        await asker.files(helm)
        await new TestRequester(s).files(helm)
        expect(fetched()).toBe(1)
        const path = `${s.root}/charts/${picked.digest.slice('sha256:'.length)}.tgz`
        await s.env.files.writeAtomic(path, 'damaged')
        expect(await asker.files(helm)).toEqual(['Chart.yaml', 'templates/a.yaml'])
        expect(fetched()).toBe(2)
        const again = await s.env.files.read(path)
        expect(again.ok && `sha256:${sha256(again.value)}`).toBe(picked.digest)
      }),
  },
  {
    name: 'what was fetched with credentials is not on disk for others',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const secretRef = asker.secret('login', { username: 'me', password: 'secret' })
        await asker.files({ ...helm, secretRef })
        repository.wants = basic('me:secret')
        const picked = (await asker.pick({ ...helm, secretRef })) as ResolvedChart
        expect(await asker.tree(helm, picked)).toMatch(
          /^SourceAuthFailed: .* status 401; give credentials in secretRef, or check them$/,
        )
      }),
  },
  {
    name: '401 and 403 name the Secret, and nothing of what is in it',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        repository.wants = basic('me:right')
        const secretRef = asker.secret('login', { username: 'me', password: 'wrong' })
        expect(await asker.pick(helm)).toBe(
          `SourceAuthFailed: helm ${helm.repository}: ${helm.repository}/index.yaml: status 401; give credentials in secretRef, or check them`,
        )
        expect(await asker.pick({ ...helm, secretRef })).toMatch(
          /status 401 with Secret platform\/login \(username\); check the credentials$/,
        )
        asker.secret('login', { username: 'me', password: 'right' })
        expect(await asker.files({ ...helm, secretRef })).toEqual(['Chart.yaml', 'templates/a.yaml'])
        repository.intercept = () => answer(403)
        expect(await asker.pick({ ...helm, secretRef })).toMatch(
          /status 403 with Secret platform\/login \(username\); the credentials may not/,
        )
        expect(await asker.pick({ ...helm, secretRef: { name: 'none' } })).toBe(
          'ResourceNotFound: spec.source.helm.secretRef: Secret platform/none does not exist',
        )
      }),
  },
  {
    name: 'credentials go to another host of the index only where that is said',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        const cdn = new TestChartRepository()
        const other = await s.serve(cdn.handler)
        cdn.add('web', '3.0.0')
        repository.add('web', '3.0.0', { urls: [`${other}/charts/web-3.0.0.tgz`] })
        repository.wants = basic('me:secret')
        const secretRef = asker.secret('login', { username: 'me', password: 'secret' })
        const away = { ...helm, version: '3.0.0', secretRef }
        expect(await asker.files(away)).toEqual(['Chart.yaml'])
        expect(cdn.seen.map((r) => r.authorization)).toEqual([undefined])
        expect(repository.seen.at(-1)?.authorization).toBe(repository.wants)
        cdn.wants = repository.wants
        cdn.add('web', '3.0.1')
        repository.add('web', '3.0.1', { urls: [`${other}/charts/web-3.0.1.tgz`] })
        const closed = { ...away, version: '3.0.1' }
        expect(await asker.files(closed)).toMatch(
          /status 401; Secret platform\/login \(username\) is not sent to this host unless passCredentials/,
        )
        expect(await asker.files({ ...closed, passCredentials: true })).toEqual(['Chart.yaml'])
        expect(cdn.seen.at(-1)?.authorization).toBe(repository.wants)
      }),
  },
  {
    name: 'redirects are followed three times, without credentials where they leave the host',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm, origin }) => {
        const store = new TestChartRepository()
        const other = await s.serve(store.handler)
        const digest = store.add('web', '3.0.0')
        repository.add('web', '3.0.0')
        const secretRef = asker.secret('login', { username: 'me', password: 'secret' })
        const hops = [`${origin}/charts/one`, '/charts/two', `${other}/charts/web-3.0.0.tgz`]
        repository.intercept = ({ url }) => {
          const hop = ['/charts/web-3.0.0.tgz', '/charts/one', '/charts/two'].indexOf(url)
          return hop < 0 ? undefined : answer(307, { location: hops[hop]! })
        }
        const away = { ...helm, version: '3.0.0', secretRef, passCredentials: true }
        expect(await asker.pick(away)).toMatchObject({ digest })
        expect(await asker.files(away)).toEqual(['Chart.yaml'])
        expect(repository.seen.every((r) => r.authorization === basic('me:secret'))).toBe(true)
        expect(store.seen.map((r) => r.authorization)).toEqual([undefined])
        repository.intercept = ({ url }) => answer(302, { location: `${url}x` })
        expect(await asker.pick(helm)).toMatch(/^RedirectRefused: .*\/index.yaml: more than 3 redirects$/)
        for (const location of ['http://192.0.2.1/index.yaml', 'file:///etc/passwd']) {
          repository.intercept = () => answer(302, { location })
          expect(await asker.pick(helm), location).toMatch(/^RedirectRefused: .*: redirect to /)
        }
        repository.intercept = () => answer(302, { location: 'https://169.254.169.254/latest' })
        expect(await asker.pick(helm)).toBe('HostRefused: 169.254.169.254 is link-local: --allow-host')
      }),
  },
  {
    name: 'a URL of the index that leads to nowhere is passed over for the next; none at all is said',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        repository.add('web', '3.0.0', { urls: ['ftp://x/y', 'gone.tgz', 'web-3.0.0.tgz'] })
        expect(await asker.files({ ...helm, version: '3.0.0' })).toEqual(['Chart.yaml'])
        repository.add('web', '3.0.1', { urls: ['ftp://x/y'] })
        expect(await asker.files({ ...helm, version: '3.0.1' })).toMatch(
          /^ArchiveRefused: .* ftp:\/\/ is not supported$/,
        )
        repository.add('web', '3.0.2', { urls: ['gone.tgz'] })
        expect(await asker.files({ ...helm, version: '3.0.2' })).toMatch(
          /^SourceUnreachable: .*gone.tgz: status 404$/,
        )
      }),
  },
  {
    name: 'an answer that breaks off, or is none, is said; an index that is cut off is not half of one',
    run: (s) =>
      withRepository(s, async ({ repository, asker, helm }) => {
        repository.intercept = () => ({ ...answer(200, {}, repository.index), cut: 'half' })
        expect(await asker.pick(helm)).toMatch(/^SourceUnreachable: /)
        repository.intercept = () => ({ ...answer(200, {}, repository.index), cut: 'unsent' })
        expect(await asker.pick(helm)).toMatch(/^SourceUnreachable: /)
        repository.intercept = () => answer(200, {}, '<html>Sign in</html>')
        expect(await asker.pick(helm)).toMatch(/^ArchiveRefused: .* no entries: not an index/)
        repository.intercept = () => answer(200, { 'content-encoding': 'gzip' }, repository.index)
        expect(await asker.pick(helm)).toMatch(/encoded as gzip, which was not requested$/)
        repository.intercept = () => answer(502)
        expect(await asker.pick(helm)).toMatch(/^SourceUnreachable: .* status 502$/)
        repository.intercept = undefined
        expect(await asker.files(helm)).toEqual(['Chart.yaml', 'templates/a.yaml'])
      }),
  },
  {
    name: 'a chart that no registry and no repository has is refused before anything is asked',
    run: async (s) => {
      const asker = new TestRequester(s)
      const helm = { chart: 'web', version: '1.0.0' }
      const said = async (repository: string) => asker.pick({ ...helm, repository })
      expect(await said('charts.example.com')).toMatch(
        /^InvalidSpec: spec.source.helm.repository: "charts.example.com" is not a URL/,
      )
      expect(await said('http://192.0.2.7/x')).toMatch(
        /^InvalidSpec: .* http:\/\/ is not encrypted; write https:\/\/$/,
      )
      expect(await said('file:///charts')).toMatch(
        /^InvalidSpec: .* file:\/\/ is not supported; write https:\/\/ or oci:\/\/$/,
      )
      expect(await said('https://me:secret@x.example.com/')).toMatch(
        /^InvalidSpec: .* holds credentials; put them into a Secret/,
      )
      expect(await said('https://x.example.com/?token=1')).toMatch(
        /^InvalidSpec: .* has a query or a fragment/,
      )
      expect(await said('https://169.254.169.254/latest')).toMatch(
        /^HostRefused: 169\.254\.169\.254 is link-local: --allow-host$/,
      )
      expect(await said('oci://x.example.com/charts:1.0')).toMatch(
        /^InvalidSpec: .* "charts:1.0" is not a part of a repository name/,
      )
      expect(await said('oci:///charts')).toMatch(/^InvalidSpec: .* names no host/)
      expect(await asker.pick({ ...helm, repository: 'oci://x.example.com/charts', chart: 'Web' })).toMatch(
        /^InvalidSpec: spec.source.helm.chart: "Web" is not a name in a registry/,
      )
      const broken = asker.secret('broken', { username: 'me' })
      expect(await asker.pick({ ...helm, repository: 'https://x.example.com', secretRef: broken })).toBe(
        'SourceAuthFailed: spec.source.helm.secretRef: Secret platform/broken has username and no password',
      )
    },
  },
]

export const chartCases: readonly ChartCase[] = [...repositoryCases, ...registryCases]
