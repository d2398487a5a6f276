/**
 * Who has sent a request: its body is signed with a key of a Secret, as Flux's notification-controller signs (`generic-hmac`,
 * `X-Signature: sha256=<hex>`). No sum ever gets into a message.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'

/** The weaker ones are not taken. */
const ALGORITHMS = ['sha256', 'sha384', 'sha512'] as const

/** Keys that may be in use at once: while one is exchanged for another. */
const MOST_KEYS = 2

export interface SignedRequest {
  /** `x-signature`, as sent. */
  readonly signature: string | undefined
  readonly body: Uint8Array
  readonly path: string
  /** `x-lockstep-time`, as sent: who gives it has signed it, and the path. */
  readonly time: string | undefined
}

/**
 * Whether one of the keys has made it. Without any key the same is computed, with one that nobody has: how long an answer
 * takes says nothing about what is there.
 */
export function isSigned(request: SignedRequest, keys: readonly Uint8Array[]): boolean {
  const { algorithm, sum } = signatureOf(request.signature)
  let isOne = false
  for (let i = 0; i < MOST_KEYS; i++) {
    const key = keys[i]
    const isEqual = equalTexts(sum, sumOf(request, algorithm, key ?? NO_KEY))
    if (isEqual && key !== undefined && key.length > 0) isOne = true
  }
  return isOne
}

const NO_KEY = new Uint8Array(32)

interface RequestSignature {
  readonly algorithm: (typeof ALGORITHMS)[number]
  readonly sum: string
}

/** What cannot be read is a sum that none is equal to. */
function signatureOf(header: string | undefined): RequestSignature {
  const [, name, sum] = /^(sha256|sha384|sha512)=([0-9a-fA-F]+)$/.exec(header?.trim() ?? '') ?? []
  const algorithm = ALGORITHMS.find((a) => a === name)
  return algorithm ? { algorithm, sum: sum!.toLowerCase() } : { algorithm: 'sha256', sum: '' }
}

/** Of the body; of one with a time: of `<time>\n<path>\n<body>`, so that it is of use nowhere else, and not for long. */
function sumOf({ body, path, time }: SignedRequest, algorithm: string, key: Uint8Array): string {
  const sum = createHmac(algorithm, key)
  if (time !== undefined) sum.update(`${time}\n${path}\n`)
  return sum.update(body).digest('hex')
}

/** In a time that does not depend on where they differ; how long a sum is, is no secret. */
function equalTexts(given: string, made: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(made)]
  return a.length === b.length && timingSafeEqual(a, b)
}
