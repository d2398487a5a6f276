import type { Random } from '../../env/env.ts'
import { at } from '../../object/object.ts'
import type { Allocator } from './kind.ts'
import type { Kinds } from './kinds.ts'

const PORT_FROM = 30_000
const PORTS = 2768
/** 10.96.0.0/12 without its first addresses, which stay free for well-known services. */
const ADDRESS_FROM = (10 << 24) + (96 << 16) + 256
const ADDRESSES = 2 ** 20 - 512

/** Generated values of one cluster. Free addresses are found by looking at the services there are. */
export function allocator(random: Random, kinds: Kinds): Allocator {
  const services = function* () {
    const table = kinds.find('', 'v1', 'services')?.table
    if (!table) return
    for (const key of table.live.keys('', '')) yield table.live.get(key)!.object
  }
  const usedPorts = (): Set<unknown> => {
    const used = new Set<unknown>()
    for (const o of services()) {
      const ports = at(o, 'spec', 'ports')
      if (Array.isArray(ports)) for (const p of ports) used.add(at(p, 'nodePort'))
    }
    return used
  }
  const usedAddresses = (): Set<unknown> => {
    const used = new Set<unknown>()
    for (const o of services()) used.add(at(o, 'spec', 'clusterIP'))
    return used
  }
  return {
    uuid: () => random.uuid(),
    clusterIp: () => pick(random, ADDRESSES, usedAddresses(), (i) => dotted(ADDRESS_FROM + i)) as string,
    nodePort: () => pick(random, PORTS, usedPorts(), (i) => PORT_FROM + i) as number,
  }
}

/** A random free one; the next free one behind it when it is taken. */
function pick(
  random: Random,
  size: number,
  used: ReadonlySet<unknown>,
  make: (i: number) => unknown,
): unknown {
  const first = Math.floor(random.next() * size)
  for (let n = 0; n < size; n++) {
    const value = make((first + n) % size)
    if (!used.has(value)) return value
  }
  return make(first)
}

const dotted = (n: number): string => [24, 16, 8, 0].map((shift) => (n >>> shift) & 255).join('.')
