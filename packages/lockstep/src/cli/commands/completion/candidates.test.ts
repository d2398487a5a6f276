import { expect, it } from 'vitest'
import { globalsFor } from '../../kit/globals.ts'
import { allCommands } from '../registry.ts'
import { candidatesOf, FILES } from './candidates.ts'
import type { CompletionNames } from './completionnames.ts'
import { pointOf } from './completionpoint.ts'

const commands = await allCommands()

const NAMES: Readonly<Record<string, readonly string[]>> = {
  Inventory: ['m.web.edge'],
  ClusterResourceSet: ['cni', 'shop'],
}

const names: CompletionNames = {
  of: async ({ kind }) => NAMES[kind] ?? ['web', 'shop'],
  modules: async () => ['web', 'shop', 'certs'],
  clusters: async () => ['edge', 'prod-eu'],
  namespaces: async () => ['default', 'platform'],
  contexts: async () => ['hub', 'edge'],
  environments: async (pipeline) => (pipeline === 'shop' ? ['dev', 'prod'] : []),
}

/** What is offered behind `lockstep`; `|` is the cursor at the end. */
async function offered(line: string): Promise<readonly string[] | string> {
  const words = line.replace('|', '').split(' ')
  const found = await candidatesOf(commands, pointOf(commands, words), names)
  return found === FILES ? FILES : found.map((c) => c.word)
}

const cases: readonly (readonly [string, readonly string[] | string])[] = [
  ['g|', ['get', 'graph']],
  ['frobnicate |', commands.map((c) => c.name)],
  ['-n platform gra|', ['graph']],
  [
    'get |',
    [
      ...['modules', 'bootstrapmodules', 'holds', 'approvals', 'disruptionbudgets'],
      ...['pipelines', 'promotions'],
      ...['remoteassemblages', 'inventories'],
      ...['clusterresourcesets', 'clusterresourcesetbindings', 'clusters'],
    ],
  ],
  ['get modules |', ['web', 'shop']],
  ['get inv |', ['m.web.edge']],
  ['get cluster |', ['edge', 'prod-eu']],
  ['get nothing |', []],
  ['get modules web |', []],
  ['delete c|', []],
  ['get mod -o |', ['table', 'wide', 'json', 'yaml', 'name']],
  ['graph -o |', ['tree', 'dot', 'mermaid', 'json', 'yaml']],
  ['graph --output=d|', ['--output=dot']],
  ['apply --dry-run |', ['none', 'client', 'server']],
  ['get modules -n |', ['default', 'platform']],
  ['get modules --namespace=pl|', ['--namespace=platform']],
  ['--context |', ['hub', 'edge']],
  ['--kubeconfig |', FILES],
  ['get modules --kubeconfig=x|', FILES],
  ['apply -f |', FILES],
  ['up --clusters |', []],
  ['status |', ['web', 'shop', 'certs', 'cluster/', 'pipeline/', 'promotion/']],
  ['status pipeline/s|', ['pipeline/shop']],
  ['why pipeline/s|', ['pipeline/shop']],
  ['suspend pipeline/s|', ['pipeline/shop']],
  ['resume pipeline/shop@|', ['pipeline/shop@dev', 'pipeline/shop@prod']],
  ['suspend web@p|', ['web@prod-eu']],
  ['pin web@p|', ['web@prod-eu']],
  ['pin web@prod-eu shop@p|', ['shop@prod-eu']],
  ['promote |', ['web', 'shop']],
  ['promote shop --to p|', ['prod']],
  ['status cluster/p|', ['cluster/prod-eu']],
  ['why |', ['web@', 'shop@', 'certs@', 'pipeline/', 'promotion/']],
  ['why web@|', ['web@edge', 'web@prod-eu']],
  ['why --cluster edge |', ['web', 'shop', 'certs', 'pipeline/', 'promotion/']],
  ['why web --cluster e|', ['edge']],
  ['wait in|', ['inventory/']],
  ['wait module/w|', ['module/web']],
  ['wait mod/w|', ['mod/web']],
  ['wait module/web --for re|', ['ready', 'revision=', 'release=']],
  ['reconcile |', ['module/', 'bootstrapmodule/']],
  ['explain mod|', ['module', 'module.']],
  ['explain module.spec.rel|', ['module.spec.release']],
  ['explain mod.spec.roll|', ['mod.spec.rollout', 'mod.spec.rollout.']],
  ['explain module.spec.nothing.|', []],
  ['takeover |', ['crs']],
  ['handback crs |', ['cni', 'shop']],
  ['handback crs cni s|', ['shop']],
  ['get crs |', ['cni', 'shop']],
  ['wait clusterresourceset/c|', ['clusterresourceset/cni']],
  ['completion |', ['bash', 'zsh', 'fish']],
  ['apply --fi|', ['--filename']],
  ['apply -f a --fi|', ['--filename']],
  ['graph --cluster edge --clu|', []],
  ['version --na|', ['--namespace']],
  ['import ', ['flux', 'fleeet', 'pipelines', 'crs', 'clustergroup']],
  ['check ', ['flux', 'clustergroup', 'tenancy']],
  ['check clustergroup -f |', FILES],
  ['import flux |', FILES],
  ['import pipelines |', FILES],
  ['import crs |', ['cni', 'shop']],
  ['import crs shop c|', ['cni']],
  ['rollout re|', ['resume', 'retry']],
  ['rollout retry --h|', ['--hooks', '--help']],
  ['rollout undo --r|', ['--reason', '--request-timeout']],
  ['rollout resume web --no|', ['--no-headers', '--no-color']],
]
it.each(cases)('lockstep %s', async (line, expected) => {
  expect(await offered(line)).toEqual(expected)
})

it('every flag of every command is offered once, with what it is for', async () => {
  for (const c of commands) {
    const point = pointOf(commands, [c.name, '--'])
    const found = await candidatesOf(commands, point, names)
    if (found === FILES) throw new Error('flags are no files')
    const known = found.map((f) => f.word)
    for (const o of [...globalsFor(c), ...(c.options ?? [])])
      expect(known).toContain(/--[\w-]+/.exec(o.flags)![0])
    expect(new Set(known).size).toBe(known.length)
    for (const f of found) expect(f.text).toMatch(/\w/)
  }
})

it('every argument that a command takes can be completed', () => {
  for (const c of commands)
    expect([c.name, c.completes?.length ?? 0]).toEqual([c.name, (c.arguments?.match(/[<[]/g) ?? []).length])
})
