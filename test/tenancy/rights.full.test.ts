/** `lockstep rights` over the examples: the printed Role is enough to deploy them to the hub, and no rule of it is too much. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { KubeObject } from '../../packages/kube/src/object/index.ts'
import { encodeYaml, parseYamlStream } from '../../packages/kube/src/object/index.ts'
import type { Module } from '../../packages/lockstep/src/api/kinds/module/columns.ts'
import { type DemoFleet, startDemoFleet } from '../../packages/lockstep/src/cli/commands/demo/demofleet.ts'
import { isReady } from '../../packages/lockstep/src/cli/commands/demo/demostory.ts'
import { accountManifest } from '../../packages/lockstep/src/cli/kit/install/installmanifests.ts'
import { sit } from '../e2e/person.ts'
import { rowsOfTier } from '../tier.ts'

const NAMESPACE = 'platform'
const PLATFORM = ['cluster-base', 'certs', 'ingress', 'monitoring'].map((n) => `platform/v1/${n}`)

/** Examples that are deployed together. That of checkpoints needs kinds of Cluster API. */
const EXAMPLES = [PLATFORM, ['rollouts/careful'], ['waits/registry']] as const

interface Rule {
  readonly resources: readonly string[]
}
interface Role extends KubeObject {
  readonly rules: readonly Rule[]
}

/** An example with its Modules deployed to the hub, each as an account of its own. */
function onHub(name: string): KubeObject[] {
  const all = parseYamlStream(readFileSync(`examples/${name}.yaml`, 'utf8')) as unknown as KubeObject[]
  return all
    .filter((o) => o.kind !== 'DisruptionBudget')
    .map((o) => {
      if (o.kind !== 'Module') return o
      const { rollout: _, ...spec } = o.spec as Record<string, unknown>
      return { ...o, spec: { ...spec, targets: { hub: true }, serviceAccountName: o.metadata.name } }
    }) as KubeObject[]
}

let folder: string
const grantsOf = new Map<string, readonly KubeObject[]>()

/** As a person has them: without a hub. Namespaces that Modules create come first, with their roles. */
async function printedGrants(names: readonly string[]): Promise<readonly KubeObject[]> {
  const id = names.join()
  const known = grantsOf.get(id)
  if (known) return known
  const files = names.map((name) => {
    const file = join(folder, `${name.replaceAll('/', '-')}.yaml`)
    const text = onHub(name).map((o) => encodeYaml(o))
    writeFileSync(file, text.join('---\n'))
    return ['-f', file]
  })
  const ran = await sit(['rights', ...files.flat(), '-o', 'yaml'], {})
  expect([ran.code, ran.err]).toEqual([0, ''])
  const grants = parseYamlStream(ran.out) as unknown as KubeObject[]
  grantsOf.set(id, grants)
  return grants
}

/** Objects that the examples wait for. */
const BROUGHT: readonly object[] = [
  {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name: 'block' },
    provisioner: 'example.com/block',
  },
  {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'site', namespace: 'kube-public' },
    data: { domain: 'example.com' },
  },
]

/** A hub with the examples, and all roles but `without`. */
async function hubWith(
  names: readonly string[],
  without?: { role: string; rule: number },
): Promise<DemoFleet> {
  const fleet = await startDemoFleet('rights', [])
  const put = (o: object): void => {
    const made = fleet.local.hub.local.create(o as KubeObject, 'test')
    if (!made.ok) throw new Error(JSON.stringify(made.error))
  }
  for (const o of BROUGHT) put(o)
  const objects = names.flatMap(onHub)
  for (const { kind, metadata } of objects)
    if (kind === 'Module') put(accountManifest({ name: metadata.name!, namespace: NAMESPACE }))
  for (const o of await printedGrants(names)) {
    const isKept = (_: Rule, i: number): boolean => idOf(o) !== without?.role || i !== without.rule
    const { rules } = o as Role
    put(rules ? { ...o, rules: rules.filter(isKept) } : o)
  }
  for (const o of objects) put(o)
  return fleet
}

const modulesOf = (fleet: DemoFleet): Module[] =>
  fleet.local.hub.local.list('modules.lockstep.dev', NAMESPACE) as unknown as Module[]

const refusalsOf = (fleet: DemoFleet, name: string): string[] => {
  const module = modulesOf(fleet).find((m) => m.metadata.name === name)
  // An unreadable source is a condition: nothing is published that could be blocked.
  const open = module?.status?.conditions?.filter((c) => c.status === 'False') ?? []
  return [...(module?.status?.blockers ?? []), ...open].map((b) => `${b.reason}: ${b.message}`)
}

const idOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.namespace}/${metadata.name}`

/** Each rule of each printed role. */
async function rulesOf(names: readonly string[]) {
  return (await printedGrants(names)).flatMap((o) =>
    ((o as Role).rules ?? []).map(({ resources }, rule) => {
      const module = o.metadata.name!.split(':').at(-1)!
      return { role: idOf(o), module, rule, resources }
    }),
  )
}

describe('lockstep rights', () => {
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'lockstep-rights-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(EXAMPLES)('the roles are enough for %s', async (...names) => {
    const fleet = await hubWith(names)
    const isDone = () => modulesOf(fleet).every((m) => isReady(m as never))
    await fleet.env.clock.run(isDone, 300_000)
    const open = modulesOf(fleet).filter((m) => !isReady(m as never))
    fleet.stop()
    expect(open.map((m) => [m.metadata.name, refusalsOf(fleet, m.metadata.name!)])).toEqual([])
    expect(modulesOf(fleet).length).toBeGreaterThan(0)
  })

  it.each(EXAMPLES)('each rule is needed by %s', { timeout: 120_000 }, async (...names) => {
    const rows = rowsOfTier(await rulesOf(names), (r) => r.module)
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) {
      const fleet = await hubWith(names, row)
      const isRefused = () =>
        refusalsOf(fleet, row.module).some(
          (b) => /cannot|forbidden/i.test(b) && row.resources.some((r) => b.includes(r)),
        )
      await fleet.env.clock.run(isRefused, 120_000)
      const refusals = refusalsOf(fleet, row.module)
      fleet.stop()
      expect(isRefused() || refusals, `${row.role} without rule ${row.rule}, ${row.resources}`).toBe(true)
    }
  })
})
