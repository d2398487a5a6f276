import { type CelValue, uint } from '../value/celvalue.ts'
import { fitsInt, fitsUint } from '../value/number.ts'
import { utf8Bytes } from '../value/utf8text.ts'

const SIMPLE: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  "'": "'",
  '"': '"',
  '`': '`',
  '?': '?',
}

/** The value of a string token. Undefined where an escape names no character. */
export function stringLiteral(token: string): string | undefined {
  const { body, raw } = unquoted(token)
  if (raw) return body
  let broken = false
  const text = body.replace(
    /\\(?:([xX])(..)|u(....)|U(........)|([0-3][0-7][0-7])|(.))/gs,
    (...m: string[]) => {
      const digits = m[2] ?? m[3] ?? m[4]
      if (digits === undefined && m[5] === undefined) return SIMPLE[m[6]!] ?? m[6]!
      const code = digits === undefined ? Number.parseInt(m[5]!, 8) : Number.parseInt(digits, 16)
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) broken = true
      return broken ? '' : String.fromCodePoint(code)
    },
  )
  return broken ? undefined : text
}

/** The value of a bytes token: `\xff` and `\377` are bytes here, anything else is UTF-8. */
export function bytesLiteral(token: string): Uint8Array | undefined {
  const { body, raw } = unquoted(token.slice(1))
  if (raw) return utf8Bytes(body)
  const bytes: number[] = []
  for (const part of body.match(/\\(?:[xX]..|u....|U........|[0-3][0-7][0-7]|.)|[^\\]+/gs) ?? []) {
    if (/^\\[uU]/.test(part)) return undefined
    if (/^\\[xX]/.test(part)) bytes.push(Number.parseInt(part.slice(2), 16))
    else if (/^\\[0-3][0-7]/.test(part)) bytes.push(Number.parseInt(part.slice(1), 8))
    else bytes.push(...utf8Bytes(part.startsWith('\\') ? (SIMPLE[part[1]!] ?? '') : part))
  }
  return Uint8Array.from(bytes)
}

function unquoted(token: string): { readonly body: string; readonly raw: boolean } {
  const raw = /^[rR]/.test(token)
  const quoted = raw ? token.slice(1) : token
  const width = /^("""|''')/.test(quoted) && quoted.length >= 6 ? 3 : 1
  return { body: quoted.slice(width, -width), raw }
}

/** The value of a number token with the sign before it. Undefined where it does not fit. */
export function numberLiteral(token: string, negative: boolean): CelValue | undefined {
  if (/[uU]$/.test(token)) {
    const whole = BigInt(token.slice(0, -1))
    return fitsUint(whole) ? uint(whole) : undefined
  }
  if (/^0x/.test(token) || !/[.eE]/.test(token)) {
    const whole = negative ? -BigInt(token) : BigInt(token)
    return fitsInt(whole) ? whole : undefined
  }
  const double = Number(token)
  if (!Number.isFinite(double)) return undefined
  return negative ? -double : double
}
