import type { Random } from '../env.ts'

/** A seeded stream: sfc32, small and fast, good enough to choose faults; never for secrets. */
export function seededRandom(seed: string): Random {
  let [a, b, c, d] = seedWords(seed)
  const next32 = (): number => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + t
    c |= 0
    return t >>> 0
  }
  for (let i = 0; i < 12; i++) next32()
  const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, () => next32() & 0xff)
  return {
    next: () => next32() / 4294967296,
    bytes,
    uuid: () => uuidFrom(bytes(16)),
    fork: (name) => seededRandom(`${seed}/${name}`),
  }
}

/** Shapes 16 bytes as an RFC 9562 version 4 UUID. */
export function uuidFrom(bytes: Uint8Array): string {
  const b = Uint8Array.from(bytes)
  b[6] = ((b[6] ?? 0) & 0x0f) | 0x40
  b[8] = ((b[8] ?? 0) & 0x3f) | 0x80
  const hex = [...b].map((x) => x.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Four words from a text (FNV-1a with different offsets). */
function seedWords(seed: string): [number, number, number, number] {
  const word = (offset: number): number => {
    let h = offset
    for (let i = 0; i < seed.length; i++) h = Math.imul(h ^ seed.charCodeAt(i), 16777619)
    return h | 0
  }
  return [word(0x811c9dc5), word(0x9e3779b9), word(0x85ebca6b), word(0xc2b2ae35)]
}
