// Reads the run-time needs of a program or library: https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.dynamic.html

const MACHINES = { 62: 'linux/amd64', 183: 'linux/arm64' }
const [LOAD, DYNAMIC, INTERPRETER] = [1, 2, 3]
const [NEEDED, STRING_TABLE] = [1n, 5n]

/** Undefined for other files than 64-bit ELF; else its platform, the libraries that it names, and the path of its loader. */
export function readElf(file) {
  if (file.length < 64 || file.readUInt32BE(0) !== 0x7f454c46 || file[4] !== 2) return undefined
  const segments = segmentsOf(file)
  const loader = segments.find((s) => s.type === INTERPRETER)
  return {
    platform: MACHINES[file.readUInt16LE(18)] ?? `machine ${file.readUInt16LE(18)}`,
    needed: neededBy(file, segments),
    loader: loader && textAt(file, loader.offset),
  }
}

function segmentsOf(file) {
  const start = Number(file.readBigUInt64LE(32))
  const [size, count] = [file.readUInt16LE(54), file.readUInt16LE(56)]
  return Array.from({ length: count }, (_, i) => {
    const at = start + i * size
    const number = (offset) => Number(file.readBigUInt64LE(at + offset))
    return { type: file.readUInt32LE(at), offset: number(8), address: number(16), size: number(32) }
  })
}

function neededBy(file, segments) {
  const dynamic = segments.find((s) => s.type === DYNAMIC)
  if (!dynamic) return []
  const tags = []
  for (let at = dynamic.offset; at < dynamic.offset + dynamic.size; at += 16)
    tags.push([file.readBigInt64LE(at), Number(file.readBigUInt64LE(at + 8))])
  const table = tags.find(([tag]) => tag === STRING_TABLE)
  if (!table) return []
  const strings = offsetOf(table[1], segments)
  return tags.filter(([tag]) => tag === NEEDED).map(([, value]) => textAt(file, strings + value))
}

function offsetOf(address, segments) {
  const segment = segments.find(
    (s) => s.type === LOAD && address >= s.address && address < s.address + s.size,
  )
  return address - segment.address + segment.offset
}

const textAt = (file, at) => file.toString('utf8', at, file.indexOf(0, at))
