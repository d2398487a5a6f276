import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { TestChartRepository, TestRegistry } from '../../../../../test/charts/chartservers.ts'
import { type ChartSetting, TestRequester } from '../../../../../test/charts/testrequester.ts'
import { loopbackEnv } from '../../../../../test/kube/loopbackenv.ts'
import type { Listening, ListenOptions } from '../../../../kube/src/env/net.ts'
import { createSimEnv } from '../../../../kube/src/env/sim/simenv.ts'
import { chartCases } from './chartclient.cases.ts'

describe('charts in the simulated network', () => {
  it.each(chartCases.map((c) => [c.name, c] as const))('%s', async (_, c) => {
    const env = createSimEnv('charts')
    let servers = 0
    await c.run({
      env,
      isLocal: false,
      root: '/cache',
      async serve(handler) {
        const url = `https://s${++servers}.example.com`
        env.net.serve(url, handler)
        return url
      },
    })
  })
})

describe('charts over sockets', () => {
  const tls = join('test', 'git', 'tls')
  const cert = readFileSync(join(tls, 'cert.pem'), 'utf8')
  const secure = { cert, key: readFileSync(join(tls, 'key.pem'), 'utf8') }

  async function during(work: (s: ChartSetting) => Promise<void>, tls?: ListenOptions['tls']): Promise<void> {
    const env = loopbackEnv()
    const root = mkdtempSync(join(tmpdir(), 'lockstep-charts-'))
    const open: Listening[] = []
    try {
      await work({
        env,
        isLocal: true,
        root,
        async serve(handler) {
          const listening = await env.net.listen(
            { host: '127.0.0.1', port: 0, ...(tls ? { tls } : {}) },
            handler,
          )
          if (!listening.ok) throw new Error(listening.error.detail)
          open.push(listening.value)
          return listening.value.url.replace('127.0.0.1', tls ? 'localhost' : '127.0.0.1')
        },
      })
    } finally {
      for (const listening of open) await listening.close()
      rmSync(root, { recursive: true, force: true })
    }
  }

  it.each(chartCases.map((c) => [c.name, c] as const))('%s', (_, c) => during((s) => c.run(s)))

  it('a certificate is trusted by the CA of certSecretRef, and by nothing else', () =>
    during(async (s) => {
      const repository = new TestChartRepository()
      repository.add('web', '1.0.0')
      const registry = new TestRegistry()
      registry.push('charts/web', '1.0.0')
      const asker = new TestRequester(s)
      const certSecretRef = asker.secret('ca', { 'ca.crt': cert })
      const helm = {
        repository: `${await s.serve(repository.handler)}/charts`,
        chart: 'web',
        version: '1.0.0',
      }
      expect(await asker.files(helm)).toMatch(/certificate not trusted .* of certSecretRef as ca.crt$/)
      expect(repository.seen).toEqual([])
      expect(await asker.files({ ...helm, certSecretRef })).toEqual(['Chart.yaml'])
      const { host } = new URL(await s.serve(registry.handler))
      expect(await asker.files({ ...helm, repository: `oci://${host}/charts`, certSecretRef })).toEqual([
        'Chart.yaml',
      ])
    }, secure))

  it('a server that does not go on is given up', () =>
    during(async (s) => {
      const repository = new TestChartRepository()
      repository.intercept = () => ({
        status: 200,
        headers: {},
        body: (async function* () {
          yield 'entries:\n'
          await new Promise(() => {})
        })(),
      })
      const helm = {
        repository: `${await s.serve(repository.handler)}/charts`,
        chart: 'web',
        version: '1.0.0',
      }
      const asking = { namespace: 'platform', intervalMs: 300_000, timeoutMs: 200 }
      const found = await new TestRequester(s).charts.pick(helm, asking)
      expect(!found.ok && found.error).toMatchObject({
        reason: 'SourceUnreachable',
        message: `helm ${helm.repository}: ${helm.repository}/index.yaml: no complete answer within 0.2s`,
        transient: true,
      })
    }))
})
