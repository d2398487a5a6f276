import { describe, expect, it } from 'vitest'
import type { Stored } from '../../../../../kube/src/object/kind.ts'
import type { Module } from '../../../api/kinds/index.ts'
import type { ClusterView } from '../../../fleet/clusters/cluster.ts'
import type { FleetSnapshot } from '../../kit/snapshot/snapshot.ts'
import { createTerminal } from '../../kit/terminal/terminal.ts'
import { widthOf } from '../../kit/terminal/texttable.ts'
import { dotOf } from './dot.ts'
import { graphOf, graphReport } from './graphreport.ts'
import { drawGraphTree } from './graphtree.ts'
import { mermaidOf } from './mermaid.ts'

interface Need {
  readonly on: string
  readonly optional?: boolean
  readonly release?: 'Any'
  readonly beforeWave?: number
}

/** `needs` by name; a name with a slash says its kind. */
function module(name: string, needs: readonly (string | Need)[] = [], targets: object = {}): Stored<Module> {
  const dependsOn = needs.map((need) => {
    const given: Need = typeof need === 'string' ? { on: need } : need
    const { on, optional = false, release = 'Same', ...part } = given
    const [kind, other] = on.includes('/') ? on.split('/') : ['Module', on]
    return { id: other!, module: { kind, name: other }, release, optional, ...part }
  })
  return {
    kind: 'Module',
    metadata: { name, namespace: 'platform' },
    spec: { release: '2', targets: { clusterSelector: {}, ...targets }, dependsOn },
    status: { release: '2', ready: '1/1' },
  } as unknown as Stored<Module>
}

const edge: ClusterView = {
  kind: 'Secret',
  namespace: 'platform',
  name: 'edge',
  standsIn: false,
  objectName: 'edge',
  uid: 'edge',
  labels: {},
  annotations: {},
  properties: {},
  paused: undefined,
  deleting: false,
  initialized: true,
  access: { type: 'Source', source: { type: 'Static', endpoint: { url: 'https://x' } }, version: '1' },
}

const snapshotOf = (...modules: readonly Stored<Module>[]): FleetSnapshot => ({
  modules,
  inventories: [],
  assemblages: [],
  foreign: [],
  holds: [],
  clusters: [edge],
  nowMs: 0,
})

const terminal = createTerminal(
  { color: false, unicode: true, live: false, wraps: true, width: 80 },
  { out() {}, err() {} },
)
const tree = (s: FleetSnapshot, cluster?: string): string[] =>
  drawGraphTree(terminal, graphOf(s, 'platform', cluster)).map((l) => l.replace(/ +/g, ' ').trim())

const stack = snapshotOf(
  module('base'),
  module('certs', ['base']),
  module('web', ['certs', 'base', { on: 'nix' }, { on: 'dns', optional: true, release: 'Any' }]),
)
const loop = snapshotOf(module('a', ['b']), module('b', ['c']), module('c', ['b']), module('d', ['d']))

describe('as a tree', () => {
  it('has what is needed below who needs it, and says what is not there', () => {
    expect(tree(stack)).toEqual([
      'web 2 1/1',
      '├─ certs 2 1/1',
      '│ └─ base 2 1/1',
      '├─ base 2 1/1',
      '├─ nix ✗ does not exist',
      '└─ dns · does not exist, any release, optional',
      '',
      '3 modules, 5 dependencies, 1 of them on missing objects, no cycle',
    ])
  })
  it('says which waves are needed of what', () => {
    const s = snapshotOf(module('group'), module('app', [{ on: 'group', beforeWave: 5 }]))
    expect(tree(s).slice(0, 2)).toEqual(['app 2 1/1', '└─ group 2 1/1 before wave 5'])
    expect(graphOf(s, 'platform').edges).toMatchObject([{ beforeWave: 5 }])
    expect(graphReport.schema.safeParse(graphReport.fill({ ...graphOf(s, 'platform') })).success).toBe(true)
  })
  it('a ClusterResourceSet is there as the Module that it is delivered by', () => {
    const s = snapshotOf(module('crs-cni'), module('web', ['ClusterResourceSet/cni']))
    expect(tree(s).slice(0, 2)).toEqual(['web 2 1/1', '└─ crs-cni 2 1/1'])
  })
  it('goes into what several need once', () => {
    const s = snapshotOf(
      module('base'),
      module('certs', ['base']),
      module('x', ['certs']),
      module('y', ['certs']),
    )
    expect(tree(s).slice(0, 5)).toEqual([
      'x 2 1/1',
      '└─ certs 2 1/1',
      '└─ base 2 1/1',
      'y 2 1/1',
      '└─ certs 2 1/1 see above',
    ])
  })
  it('ends at a cycle, and names each of them', () => {
    expect(tree(loop)).toEqual([
      'a 2 1/1',
      '└─ b 2 1/1',
      '└─ c 2 1/1 ✗ in a cycle',
      '└─ b 2 1/1 ✗ in a cycle',
      'd 2 1/1',
      '└─ d 2 1/1 ✗ in a cycle',
      '',
      '4 modules, 4 dependencies',
      '✗ dependency cycle: b → c → b; remove one of these dependencies',
      '✗ dependency cycle: d → d; remove one of these dependencies',
    ])
  })
  it('of a cluster has its units, and what is not for it', () => {
    const s = snapshotOf(module('base', [], { clusterSelector: undefined }), module('web', ['base']))
    expect(tree(s, 'edge')).toEqual([
      'web ⏸ waiting',
      '└─ base ✗ does not target edge',
      '',
      '1 unit, 1 dependency, 1 of them on missing objects, no cycle',
    ])
    expect(tree(snapshotOf(), 'edge')).toEqual(['No modules on cluster edge.'])
  })
  it('is as wide as the terminal', () => {
    const long = (i: number): string => `a-module-with-a-name-that-is-far-too-long-for-a-line-${i}`
    const all = Array.from({ length: 12 }, (_, i) => module(long(i), [long((i + 1) % 12)]))
    const lines = drawGraphTree(terminal, graphOf(snapshotOf(...all), 'platform'))
    expect(lines.flatMap((l) => l.split('\n')).filter((l) => widthOf(l) > 80)).toEqual([])
  })
})

it('of another kind says its kind', () => {
  const cni = { ...module('cni'), kind: 'BootstrapModule' } as Stored<Module>
  const s = snapshotOf(cni, module('cni', ['BootstrapModule/cni']))
  expect(tree(s).slice(0, 2)).toEqual(['cni 2 1/1', '└─ BootstrapModule/cni 2 1/1'])
})

it('as a report is what its schema says', () => {
  for (const s of [stack, loop, snapshotOf()]) {
    const report = graphReport.fill({ ...graphOf(s, 'platform') })
    expect(graphReport.schema.safeParse(report).error).toBeUndefined()
  }
  expect(graphOf(loop, 'platform').cycles).toEqual([
    ['Module/b', 'Module/c', 'Module/b'],
    ['Module/d', 'Module/d'],
  ])
  expect(
    graphOf(stack, 'platform')
      .edges.filter((e) => e.problem)
      .map((e) => e.to),
  ).toEqual(['Module/nix', 'Module/dns'])
})

it('for Graphviz', () => {
  expect(dotOf(graphOf(stack, 'platform')).split('\n').slice(2)).toEqual([
    '  node [shape=box]',
    '  "Module/base" [label="base\\n2\\n1/1"]',
    '  "Module/certs" [label="certs\\n2\\n1/1"]',
    '  "Module/web" [label="web\\n2\\n1/1"]',
    '  "Module/nix" [label="nix\\ndoes not exist", style=dashed, color=red]',
    '  "Module/dns" [label="dns\\ndoes not exist", style=dashed, color=red]',
    '  "Module/certs" -> "Module/base"',
    '  "Module/web" -> "Module/certs"',
    '  "Module/web" -> "Module/base"',
    '  "Module/web" -> "Module/nix" [color=red]',
    '  "Module/web" -> "Module/dns" [label="any release, optional", style=dashed]',
    '}',
    '',
  ])
  expect(dotOf(graphOf(loop, 'platform'))).toContain('"Module/c" -> "Module/b" [color=red]')
})

it('for Mermaid', () => {
  expect(mermaidOf(graphOf(stack, 'platform')).split('\n')).toEqual([
    'flowchart LR',
    '  n0["base<br/>2<br/>1/1"]',
    '  n1["certs<br/>2<br/>1/1"]',
    '  n2["web<br/>2<br/>1/1"]',
    '  n3["nix<br/>does not exist"]:::lost',
    '  n4["dns<br/>does not exist"]:::lost',
    '  n1 --> n0',
    '  n2 --> n1',
    '  n2 --> n0',
    '  n2 --> n3',
    '  n2 -.->|any release, optional| n4',
    '  linkStyle 3 stroke:red',
    '  classDef lost stroke:red,stroke-dasharray:4',
    '',
  ])
})
