import type { Random } from '@lockstep/kube/env'
import { at, isArray, type KubeObject } from '@lockstep/kube/object'
import type { ResourceStore } from '../store/resourcestore.ts'
import type { Allocator } from './servedkind.ts'

const PORT_FROM = 30_000
const PORTS = 2768
/** 10.96.0.0/12 without its first addresses, which stay free for well-known services. */
const ADDRESS_FROM = (10 << 24) + (96 << 16) + 256
const ADDRESSES = 2 ** 20 - 512

/** Generated values of one cluster. What services hold is counted as they are written. */
export function allocator(random: Random, store: ResourceStore): Allocator {
  const used = new Map<unknown, number>()
  const count = (o: KubeObject | undefined, by: 1 | -1): void => {
    for (const value of o ? held(o) : []) {
      const n = (used.get(value) ?? 0) + by
      if (n === 0) used.delete(value)
      else used.set(value, n)
    }
  }
  store.observe((table, e) => {
    if (table.id !== 'services') return
    count(e.prev?.object, -1)
    count(e.next?.object, 1)
  })
  return {
    uuid: () => random.uuid(),
    clusterIp: () => pick(random, ADDRESSES, used, (i) => dotted(ADDRESS_FROM + i)),
    nodePort: () => pick(random, PORTS, used, (i) => PORT_FROM + i),
  }
}

function held(service: KubeObject): unknown[] {
  const ports = at(service, 'spec', 'ports')
  const nodePorts = isArray(ports) ? ports.map((p) => at(p, 'nodePort')) : []
  return [at(service, 'spec', 'clusterIP'), at(service, 'spec', 'healthCheckNodePort'), ...nodePorts].filter(
    (v) => v !== undefined && v !== 'None' && v !== '',
  )
}

/** A random free one; the next free one behind it when it is taken. */
function pick<T>(
  random: Random,
  size: number,
  used: ReadonlyMap<unknown, number>,
  make: (i: number) => T,
): T {
  const first = Math.floor(random.next() * size)
  for (let n = 0; n < size; n++) {
    const value = make((first + n) % size)
    if (!used.has(value)) return value
  }
  return make(first)
}

const dotted = (n: number): string => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.')
