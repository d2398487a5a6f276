/** The same sets, merged by kubectl where it is installed. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { MERGE_CASES } from './mergekubeconfigs.cases.ts'

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0

interface View {
  readonly 'current-context': string
  readonly clusters: readonly { name: string; cluster: { server: string } }[] | null
  readonly users: readonly { name: string; user: { token: string } }[] | null
  readonly contexts: readonly { name: string; context: Record<string, string> }[] | null
}

it.skipIf(!hasKubectl).each(MERGE_CASES)('kubectl config view: $name', ({ texts, merged }) => {
  const folder = mkdtempSync(join(tmpdir(), 'lockstep-kubeconfig-'))
  const paths = texts.map((text, i) => {
    const path = join(folder, `${i}`)
    if (text !== undefined) writeFileSync(path, text)
    return path
  })
  const env = { PATH: process.env.PATH, HOME: folder, KUBECONFIG: paths.join(':') }
  const ran = spawnSync('kubectl', ['config', 'view', '--raw', '-o', 'json'], { env, encoding: 'utf8' })
  rmSync(folder, { recursive: true })
  expect([ran.status, ran.stderr]).toEqual([0, ''])
  const view: View = JSON.parse(ran.stdout)
  expect({
    current: view['current-context'],
    clusters: Object.fromEntries((view.clusters ?? []).map((c) => [c.name, c.cluster.server])),
    users: Object.fromEntries((view.users ?? []).map((u) => [u.name, u.user.token])),
    contexts: Object.fromEntries(
      (view.contexts ?? []).map(({ name, context: c }) => [
        name,
        `${c.cluster}/${c.user}/${c.namespace ?? ''}`,
      ]),
    ),
  }).toEqual(merged)
})
